"""Safety of archives, judged by the central directory and by reading every member once. Nothing is unpacked to disk.

The limits are those of a package index: an archive of a provider holds one program and a few texts.
"""

from dataclasses import dataclass
from typing import BinaryIO

from verification.releases.artifacts import unzipping, zip_directory
from verification.releases.artifacts.archive_members import check_headers, check_names
from verification.releases.artifacts.remarks import Remark, fail, select_remarks, warn
from verification.releases.artifacts.zip_directory import Directory, Malformed, Member
from verification.terraform.messages import TerraformDecision

MAX_MEMBERS = 200
MAX_UNPACKED_BYTES = 2 * 1024**3
MAX_COMPRESSION_RATIO = 50
MIN_BYTES_FOR_RATIO = 64 * 1024**2  # smaller archives may have any ratio
FAULTS = {
    "longer": "A member is longer than it says.",
    "shorter": "A member is shorter than it says.",
    "packing": "A member can't be unpacked.",
    "checksum": "The checksum of a member doesn't match the archive.",
}
UNREAD = frozenset({"too_large", "ratio", "overlap", "past_the_end", "encrypted", "method", "traversal"})
MAX_DESCRIPTOR_BYTES = 24  # data descriptor with signature and 64-bit sizes
SUFFIXES = ("", "_x4", "_x5", "_x6", ".exe")


@dataclass(frozen=True, slots=True)
class Archive:
    """Contents of an archive. `head` holds the first bytes of its program, at most 4 KiB."""

    members: tuple[Member, ...]
    remarks: tuple[Remark, ...]
    terraform: TerraformDecision
    program: str = ""
    head: bytes = b""


def judge(file: BinaryIO, size: int, name: str, binary: str = "") -> Archive:
    """Judge the archive of provider `name`; `binary` is what its program should be called. Raises nothing."""
    prefix = f"terraform-provider-{name}"
    max_bytes = min(MAX_UNPACKED_BYTES, max(MIN_BYTES_FOR_RATIO, MAX_COMPRESSION_RATIO * size))
    extraction = unzipping.judge(file, size, name, max_bytes)
    try:
        directory = zip_directory.read(file, size, MAX_MEMBERS)
    except Malformed as fault:
        return Archive((), (fail(fault.key, str(fault)),), extraction.terraform)
    members = directory.members
    first_remarks = [*_check_frame(directory), *_check_sizes(members), *check_names(members), *check_headers(members)]
    if not members or any(remark.key in UNREAD for remark in first_remarks):
        return Archive(members, tuple(first_remarks), extraction.terraform)
    program = _find_program(members, prefix)
    faults = [fail(extraction.fault, FAULTS[extraction.fault])] if extraction.fault else []
    remarks = (*first_remarks, *faults, *_check_program(program, prefix, binary))
    return Archive(members, remarks, extraction.terraform, program.name if program else "", extraction.head)


def _check_frame(directory: Directory) -> list[Remark]:
    return select_remarks(
        (not directory.members, fail("no_members", "The archive is empty.")),
        (directory.before, fail("prefix", "There are extra bytes before the archive.")),
        (directory.after, fail("trailing", "There are extra bytes after the archive.")),
        (directory.comment, warn("comment", "The archive has a comment.")),
    ) + _check_places(directory)


def _check_places(directory: Directory) -> list[Remark]:
    remarks, end = set(), directory.before
    for member in sorted(directory.members, key=lambda member: member.start):
        has_descriptor = member.start - end <= MAX_DESCRIPTOR_BYTES and end > directory.before
        if member.start < end:
            remarks.add(fail("overlap", "Two members overlap."))
        elif member.start > end and not has_descriptor:
            remarks.add(fail("gap", "There are extra bytes between the members."))
        end = member.data + member.packed_size
    if end > directory.start:
        remarks.add(fail("past_the_end", "A member overlaps the central directory."))
    return sorted(remarks, key=lambda remark: remark.key)


def _check_sizes(members: tuple[Member, ...]) -> list[Remark]:
    total, packed_total = sum(m.size for m in members), max(sum(m.packed_size for m in members), 1)
    size_text = f"Unpacked, the archive has {total} bytes. The maximum is 2 GiB."
    ratio_text = f"The archive grows {total // packed_total} times; {MAX_COMPRESSION_RATIO} times are the most."
    return select_remarks(
        (total > MAX_UNPACKED_BYTES, fail("too_large", size_text)),
        (total > MIN_BYTES_FOR_RATIO and total > MAX_COMPRESSION_RATIO * packed_total, fail("ratio", ratio_text)),
    )


def _find_program(members: tuple[Member, ...], prefix: str) -> Member | None:
    """Return the member that Terraform would start: at the top, with the name, or more of it after “_” or a dot."""
    programs = [
        m for m in members if m.name.startswith(prefix) and m.name[len(prefix) : len(prefix) + 1] in ("", "_", ".")
    ]
    return min((m for m in programs if "/" not in m.name), key=lambda m: m.name, default=None)


def _check_program(program: Member | None, prefix: str, binary: str) -> list[Remark]:
    if program is None:
        return [fail("no_program", f"The archive has no program called {binary or prefix}.")]
    is_misnamed = binary and program.name not in [binary + suffix for suffix in SUFFIXES]
    is_executable = not program.mode or program.mode & 0o111
    return select_remarks(
        (is_misnamed, fail("program_name", f"The program is called {program.name}, not {binary}.")),
        (not is_executable, warn("not_executable", "The program is not marked as executable.")),
    )
