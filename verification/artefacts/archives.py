"""Is an archive safe and what it says? Judged by its central directory, then read once through, never unpacked to disk.

The limits are those of a package index: an archive of a provider holds one program and a few texts.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from verification.artefacts import zipfiles
from verification.artefacts.base import Remark, fail, warn
from verification.artefacts.members import heads_of, names_of
from verification.artefacts.zipfiles import Directory, Malformed, Member
from verification.terraform import ACCEPTS, Judgement, refuses, unknown

MOST_MEMBERS = 200
MOST_BYTES = 2 * 1024**3
MOST_RATIO = 50
RATIO_FROM = 64 * 1024**2
HEAD = 4096
READ = 256 * 1024
OPEN = "Not settled: the archive was not read to its end."
UNREAD = frozenset({"too_large", "ratio", "overlap", "past_the_end", "encrypted", "method", "traversal"})
LONGEST_DESCRIPTOR = 24
SUFFIXES = ("", "_x4", "_x5", "_x6", ".exe")


@dataclass(frozen=True, slots=True)
class Archive:
    """What is in an archive. `head` are the first bytes of its program, at most 4 KiB."""

    members: tuple[Member, ...]
    remarks: tuple[Remark, ...]
    terraform: Judgement
    program: str = ""
    head: bytes = b""


def judge(file: BinaryIO, size: int, name: str, binary: str = "") -> Archive:
    """What the archive of provider `name` is; `binary` is what its program should be called. Raises nothing."""
    wanted = f"terraform-provider-{name}"
    try:
        directory = zipfiles.read(file, size, MOST_MEMBERS)
    except Malformed as fault:
        return Archive((), (fail(fault.key, str(fault)),), _without_directory(fault))
    members = directory.members
    seen = [*_of_the_frame(directory), *_of_the_sizes(members), *names_of(members), *heads_of(members)]
    if not members or any(remark.key in UNREAD for remark in seen):
        return Archive(members, tuple(seen), _terraform_unread(members))
    program = _program(members, wanted)
    spoilt, head = _read_through(file, members, program)
    found = (*seen, *spoilt, *_of_the_program(program, wanted, binary))
    return Archive(members, found, _terraform(members, spoilt, program, wanted), program.name if program else "", head)


def _of_the_frame(directory: Directory) -> list[Remark]:
    found = []
    if not directory.members:
        found.append(fail("no_members", "The archive is empty."))
    if directory.before:
        found.append(fail("prefix", "Bytes stand in front of the archive."))
    if directory.after:
        found.append(fail("trailing", "Bytes stand behind the end of the archive."))
    if directory.comment:
        found.append(warn("comment", "The archive carries a comment."))
    return [*found, *_of_the_places(directory)]


def _of_the_places(directory: Directory) -> list[Remark]:
    found, end = set(), directory.before
    for member in sorted(directory.members, key=lambda member: member.start):
        described = member.start - end <= LONGEST_DESCRIPTOR and end > directory.before
        if member.start < end:
            found.add(fail("overlap", "Two members share the same bytes."))
        elif member.start > end and not described:
            found.add(fail("gap", "Bytes stand between the members that belong to none."))
        end = member.data + member.packed
    if end > directory.start:
        found.add(fail("past_the_end", "A member reaches into the central directory."))
    return sorted(found, key=lambda remark: remark.key)


def _of_the_sizes(members: tuple[Member, ...]) -> list[Remark]:
    found = []
    total, packed = sum(m.size for m in members), sum(m.packed for m in members)
    if total > MOST_BYTES:
        found.append(fail("too_large", f"Unpacked, the archive has {total} bytes; 2 GiB are the most."))
    if total > RATIO_FROM and total > MOST_RATIO * max(packed, 1):
        found.append(
            fail("ratio", f"The archive grows {total // max(packed, 1)} times; {MOST_RATIO} times are the most.")
        )
    return found


def _program(members: tuple[Member, ...], wanted: str) -> Member | None:
    """The member that Terraform would start: at the top, called so, or so and more behind “_” or a dot."""
    fit = [m for m in members if m.name.startswith(wanted) and m.name[len(wanted) : len(wanted) + 1] in ("", "_", ".")]
    return min((m for m in fit if "/" not in m.name), key=lambda m: m.name, default=None)


def _of_the_program(program: Member | None, wanted: str, binary: str) -> list[Remark]:
    if program is None:
        return [fail("no_program", f"The archive has no program called {binary or wanted}.")]
    found = []
    if binary and not (
        program.name.startswith(binary) and program.name[len(binary) :] in ("", "_x4", "_x5", "_x6", ".exe")
    ):
        found.append(fail("program_name", f"The program is called {program.name}, not {binary}."))
    if program.mode and not program.mode & 0o111:
        found.append(warn("not_executable", "The program is not marked as one that can be started."))
    return found


def _read_through(file: BinaryIO, members: tuple[Member, ...], program: Member | None) -> tuple[list[Remark], bytes]:
    """Every member unpacked to nowhere and compared with its size and checksum; the first bytes of the program."""
    head = b""
    for member in members:
        crc = size = 0
        try:
            for piece in _pieces(file, member):
                if member is program and len(head) < HEAD:
                    head += piece[: HEAD - len(head)]
                crc, size = zlib.crc32(piece, crc), size + len(piece)
                if size > member.size:
                    return [fail("longer", "A member is longer than it says.")], head
        except zlib.error:
            return [fail("packing", "A member cannot be unpacked.")], head
        if size != member.size:
            return [fail("shorter", "A member is shorter than it says.")], head
        if crc != member.crc:
            return [fail("checksum", "A member does not have the checksum that the archive gives.")], head
    return [], head


def _pieces(file: BinaryIO, member: Member) -> Iterator[bytes]:
    """A member's bytes in pieces of at most 256 KiB. Raises zlib.error."""
    unpack = zlib.decompressobj(-15) if member.method == zipfiles.DEFLATED else None
    left = member.packed
    file.seek(member.data)
    while left > 0 and (chunk := file.read(min(READ, left))):
        left -= len(chunk)
        while chunk:
            if unpack is None:
                yield chunk
                break
            piece = unpack.decompress(chunk, READ)
            chunk = unpack.unconsumed_tail
            if not piece and not chunk:
                break
            yield piece
    if unpack is not None and not unpack.eof:
        raise zlib.error("no end")


def _without_directory(fault: Malformed) -> Judgement:
    return refuses("no_zip") if fault.key == "no_zip" else unknown(OPEN)


def _terraform_unread(members: tuple[Member, ...]) -> Judgement:
    """What Terraform makes of an archive that was not read: known for the two ways that it looks for itself."""
    if not members:
        return refuses("zip_empty")
    first = next((m.name for m in members if ".." in m.name.replace("\\", "/").split("/")), "")
    return refuses("zip_dots", name=first) if first else unknown(OPEN)


def _terraform(members: tuple[Member, ...], spoilt: list[Remark], program: Member | None, wanted: str) -> Judgement:
    if spoilt:
        return refuses("zip_checksum") if spoilt[0].key == "checksum" else unknown(OPEN)
    return ACCEPTS if program else refuses("no_binary", prefix=wanted)
