"""Safety of archives, from the central directory and from reading every member once. Nothing is unpacked to disk.

The limits are those of a package index: an archive of a provider holds one program and a few texts.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from verification.releases.artifacts import unzipping, zip_directory
from verification.releases.artifacts.executables import ExecutablePlatform, read_platform
from verification.releases.artifacts.remarks import Remark, build_remark, select_remarks
from verification.releases.artifacts.zip_directory import (
    ENCRYPTED,
    FILE,
    FOLDER,
    HAS_DATA_DESCRIPTOR,
    SYMLINK,
    UTF_8,
    Directory,
    MalformedArchiveError,
    Member,
)
from verification.releases.artifacts.zip_format import DEFLATED, STORED
from verification.terraform.messages import TerraformDecision

MAX_MEMBERS = 200
MAX_UNPACKED_BYTES = 2 * 1024**3
# The Python Package Index refuses uploads by the same ratio and also only if they unpack to 64 MiB or more.
MAX_COMPRESSION_RATIO = 50
MIN_BYTES_FOR_RATIO = 64 * 1024**2  # smaller archives may have any ratio
UNREAD = frozenset({"too_large", "ratio", "overlap", "past_the_end", "encrypted", "method", "traversal"})
MAX_DESCRIPTOR_BYTES = 24  # data descriptor with signature and 64-bit sizes
# Older providers have the version of the plugin protocol in their names: terraform-provider-aws_v5.100.0_x5.
SUFFIXES = tuple(protocol + extension for protocol in ("", "_x4", "_x5", "_x6") for extension in ("", ".exe"))
MAX_NAME_BYTES = 255
ARCHIVE_SUFFIXES = (".zip", ".tar", ".gz", ".tgz", ".xz", ".bz2", ".7z", ".jar")


@dataclass(frozen=True, slots=True)
class Archive:
    """Contents of an archive. `platform` is the platform of its program, None without a readable program."""

    remarks: tuple[Remark, ...]
    terraform: TerraformDecision
    program: str = ""
    platform: ExecutablePlatform | None = None


def inspect_archive(file: BinaryIO, size: int, name: str, binary: str) -> Archive:
    """Inspect the archive of provider `name`; `binary` is the expected name of its program. Never raises."""
    prefix = f"terraform-provider-{name}"
    # The sizes in the headers can be wrong, so reading ends by itself where the limits are exceeded.
    max_bytes = min(MAX_UNPACKED_BYTES, max(MIN_BYTES_FOR_RATIO, MAX_COMPRESSION_RATIO * size))
    extraction = unzipping.unpack_archive(file, size, name, max_bytes)
    try:
        directory = zip_directory.read(file, size, MAX_MEMBERS)
    except MalformedArchiveError as fault:
        return Archive((fault.remark,), extraction.terraform)
    members = directory.members
    first_remarks = [*_check_frame(directory), *_check_sizes(members), *check_names(members)]
    first_remarks += _apply(HEADER_RULES, members)
    if not members or any(remark.key in UNREAD for remark in first_remarks):
        return Archive(tuple(first_remarks), extraction.terraform)
    program = _find_program(members, prefix)
    faults = [build_remark(extraction.fault)] if extraction.fault else []
    remarks = (*first_remarks, *faults, *_check_program(program, binary))
    platform = read_platform(extraction.head) if program and extraction.head else None
    return Archive(remarks, extraction.terraform, program.name if program else "", platform)


def _check_frame(directory: Directory) -> list[Remark]:
    conditions = {
        "no_members": not directory.members,
        "prefix": directory.before,
        "trailing": directory.after,
        "comment": directory.comment,
    }
    return select_remarks(conditions) + _check_places(directory)


def _check_places(directory: Directory) -> list[Remark]:
    keys = set()
    end = directory.before
    for member in sorted(directory.members, key=lambda member: member.start):
        # A data descriptor can be between two members, but not before the first one.
        has_descriptor = member.start - end <= MAX_DESCRIPTOR_BYTES and end > directory.before
        if member.start < end:
            keys.add("overlap")
        elif member.start > end and not has_descriptor:
            keys.add("gap")
        end = member.data + member.packed_size
    if end > directory.start:
        keys.add("past_the_end")
    elif directory.start - end > MAX_DESCRIPTOR_BYTES:
        keys.add("gap")
    return [build_remark(key) for key in sorted(keys)]


def _check_sizes(members: tuple[Member, ...]) -> list[Remark]:
    total = sum(m.size for m in members)
    packed_total = max(sum(m.packed_size for m in members), 1)
    conditions = {
        "too_large": total > MAX_UNPACKED_BYTES,
        "ratio": total > MIN_BYTES_FOR_RATIO and total > MAX_COMPRESSION_RATIO * packed_total,
    }
    return select_remarks(conditions, total=total, ratio=total // packed_total, limit=MAX_COMPRESSION_RATIO)


def split_name(member: Member) -> list[str]:
    """Split a name into its folders and its last part, without the closing slash of a folder."""
    split = member.name.replace("\\", "/").split("/")
    return split[:-1] if member.is_folder else split


def is_odd(part: str) -> bool:
    # Windows drops spaces and dots at the end of a name, so another file would be written.
    return part in {"", "."} or part != part.strip(" ") or (part.endswith(".") and part != "..")


def has_different_sizes(member: Member) -> bool:
    """Return whether the checksum or a size differs, unless the header announces that it follows the bytes."""
    _, flags, _, *local = member.local
    expected = (member.crc, member.packed_size, member.size)
    # Before a data descriptor, writers may already state what they know, and mark sizes that can have 64 bits.
    unknown = (0, 0xFFFFFFFF) if flags & HAS_DATA_DESCRIPTOR else ()
    return any(value not in (number, *unknown) for value, number in zip(local, expected, strict=True))


def has_different_names(member: Member) -> bool:
    name, flags, method, *_ = member.local
    return (name, method) != (member.raw_name, member.method) or bool((flags ^ member.flags) & ~UTF_8)


Rule = Callable[[Member], bool]
NAME_RULES: dict[str, Rule] = {
    "traversal": lambda m: ".." in split_name(m),
    "absolute": lambda m: m.name.startswith(("/", "\\")) or m.name[1:2] == ":",
    "backslash": lambda m: "\\" in m.name,
    "name_length": lambda m: not 0 < len(m.raw_name) <= MAX_NAME_BYTES,
    "control": lambda m: not m.name.isprintable() or "\ufffd" in m.name,
    "odd_name": lambda m: any(map(is_odd, split_name(m))),
}
HEADER_RULES: dict[str, Rule] = {
    "encrypted": lambda m: bool((m.flags | m.local[1]) & ENCRYPTED),
    "method": lambda m: m.method not in (STORED, DEFLATED),
    "headers_differ": has_different_names,
    "sizes_differ": has_different_sizes,
    "stored_size": lambda m: m.method == STORED and m.packed_size != m.size,
    "symlink": lambda m: m.kind == SYMLINK,
    "device": lambda m: m.kind not in (0, FILE, FOLDER, SYMLINK),
    "kind": lambda m: m.kind in (FILE, FOLDER) and (m.kind == FOLDER) != m.is_folder,
    "set_user": lambda m: bool(m.mode & 0o7000),
    "nested": lambda m: m.name.lower().endswith(ARCHIVE_SUFFIXES),
}


def check_names(members: tuple[Member, ...]) -> Iterator[Remark]:
    """Yield the faults of single names and of all names together."""
    yield from _apply(NAME_RULES, members)
    names = [member.name.rstrip("/") for member in members]
    if len(set(names)) != len(names):
        yield build_remark("duplicate")
    elif len({name.casefold() for name in names}) != len(names):
        yield build_remark("same_on_windows")
    # Members with longer names have already failed, and their folders would take quadratic time and memory.
    short = [split_name(member) for member in members if len(member.raw_name) <= MAX_NAME_BYTES]
    folders = {"/".join(path[:depth]) for path in short for depth in range(1, len(path))}
    if any(not member.is_folder and member.name in folders for member in members):
        yield build_remark("file_and_folder")


def _apply(rules: Mapping[str, Rule], members: tuple[Member, ...]) -> Iterator[Remark]:
    violated = (key for key, is_violated in rules.items() if any(map(is_violated, members)))
    return (build_remark(key, limit=MAX_NAME_BYTES) for key in violated)


def _find_program(members: tuple[Member, ...], prefix: str) -> Member | None:
    """Return the member that Terraform would start: at the top, with the name, or more of it after “_” or a dot."""
    programs = [
        m for m in members if m.name.startswith(prefix) and m.name[len(prefix) : len(prefix) + 1] in ("", "_", ".")
    ]
    return min((m for m in programs if "/" not in m.name), key=lambda m: m.name, default=None)


def _check_program(program: Member | None, binary: str) -> list[Remark]:
    if program is None:
        return [build_remark("no_program", expected=binary)]
    conditions = {
        "program_name": program.name not in [binary + suffix for suffix in SUFFIXES],
        "not_executable": program.mode and not program.mode & 0o111,
    }
    return select_remarks(conditions, found=program.name, expected=binary)
