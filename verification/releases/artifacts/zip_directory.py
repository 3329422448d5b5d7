"""Directories of ZIP archives: the end record and the central directory, parsed without trusting either.

Python's reader is lenient. Here, every number is compared with the position that it must point to.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from verification.releases.artifacts import zip_format
from verification.releases.artifacts.remarks import build_remark

ENTRY = struct.Struct("<4s6H3L5H2L")
LOCAL = struct.Struct("<4s5H3L2H")
TAIL = struct.Struct("<4s4H2LH")
# The length of the comment at the end has two bytes.
MAX_TAIL_BYTES = TAIL.size + 65535
MAX_DIRECTORY_BYTES = 4 * 1024 * 1024
ENCRYPTED = 0x1
HAS_DATA_DESCRIPTOR = 0x8
UTF_8 = 0x800
SYMLINK = 0o120000
FOLDER = 0o040000
FILE = 0o100000


class MalformedArchiveError(ValueError):
    """Unreadable archive. `remark` has the reason."""

    def __init__(self, key: str, **values: object) -> None:
        self.remark = build_remark(key, **values)
        super().__init__(self.remark.text)


@dataclass(frozen=True, slots=True)
class Member:
    """Entry of the central directory. `start` is the position of its local header, `data` that of its bytes."""

    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed_size: int
    size: int
    mode: int
    start: int
    data: int
    local: tuple[bytes, int, int, int, int, int]  # name, flags, method, crc, packed, size, as the local header says

    @property
    def name(self) -> str:
        # Without the flag, names are in code page 437 (APPNOTE, appendix D).
        return self.raw_name.decode("utf-8" if self.flags & UTF_8 else "cp437", "replace")

    @property
    def is_folder(self) -> bool:
        return self.raw_name.endswith(b"/")

    @property
    def kind(self) -> int:
        """Return the Unix file type from the mode, or 0 if the mode has none."""
        return self.mode & 0o170000


@dataclass(frozen=True, slots=True)
class Directory:
    """All members. The central directory begins at `start`. `before` and `after` count bytes outside the archive."""

    members: tuple[Member, ...]
    start: int
    before: int
    after: int
    comment: bytes


def read(file: BinaryIO, size: int, limit: int) -> Directory:
    """Return the directory of an archive of `size` bytes with at most `limit` members. Raises MalformedArchiveError."""
    at, tail, comment, after = _find_end_record(file, size)
    _, disk, first_disk, here, count, length, offset, _ = tail
    if (position := zip_format.find_end_64(file, at)) is not None:
        at, here, count, length, offset = _read_end_64(file, at, position, (here, count, length, offset))
    if disk or first_disk or here != count:
        raise MalformedArchiveError("disks")
    if count > limit:
        raise MalformedArchiveError("members", count=count, limit=limit)
    start = at - length
    if start < 0 or start < offset:
        raise MalformedArchiveError("directory")
    if length > MAX_DIRECTORY_BYTES:
        raise MalformedArchiveError("directory_size")
    before = start - offset  # places count from the archive's own beginning
    file.seek(start)
    entries = tuple(_read_entries(file, file.read(length), count, before, start))
    return Directory(entries, start, before, after, comment)


def _find_end_record(file: BinaryIO, size: int) -> tuple[int, tuple[int, ...], bytes, int]:
    """Return the position of the end record, its fields, the comment, and the number of bytes after it."""
    file.seek(max(0, size - MAX_TAIL_BYTES))
    base = file.tell()
    last = file.read(MAX_TAIL_BYTES)
    at = last.rfind(zip_format.END_SIGNATURE)
    while at >= 0:
        if at + TAIL.size <= len(last):
            fields = TAIL.unpack_from(last, at)
            end = at + TAIL.size + fields[-1]
            if end <= len(last):
                return base + at, fields, last[at + TAIL.size : end], len(last) - end
        # These four bytes can also be part of a comment or a member, so the search goes on.
        at = last.rfind(zip_format.END_SIGNATURE, 0, at)
    raise MalformedArchiveError("no_zip")


def _read_end_64(file: BinaryIO, end: int, position: int, numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the position of the ZIP64 end record, and both counts, the length, and the offset of the directory."""
    # Nothing can be between the ZIP64 end record, its locator, and the end record.
    at = end - zip_format.LOCATOR_64.size - zip_format.END_64.size
    if at < 0:
        raise MalformedArchiveError("zip64")
    record = zip_format.read_at(file, at, zip_format.END_64.size)
    signature, size, _, _, disk, first_disk, *wide_numbers = zip_format.END_64.unpack(record)
    marks = (zip_format.MARK_16, zip_format.MARK_16, zip_format.MARK_32, zip_format.MARK_32)
    is_consistent = all(number in (wide, mark) for number, wide, mark in zip(numbers, wide_numbers, marks, strict=True))
    # This record follows the directory. Both positions leave out the bytes before the archive.
    length, offset = wide_numbers[2:]
    is_in_place = position == offset + length
    is_record = (signature, size, disk, first_disk) == (zip_format.END_64_SIGNATURE, zip_format.END_64.size - 12, 0, 0)
    if not (is_record and is_consistent and is_in_place):
        raise MalformedArchiveError("zip64")
    return at, *wide_numbers


def _read_entries(file: BinaryIO, directory: bytes, count: int, before: int, end: int) -> Iterator[Member]:
    at = 0
    for _ in range(count):
        if at + ENTRY.size > len(directory):
            raise MalformedArchiveError("directory_short")
        fields = ENTRY.unpack_from(directory, at)
        signature, _, _, flags, method, _, _, crc, packed_size, size, name, extra, comment, *_, mode, offset = fields
        if signature != zip_format.ENTRY_SIGNATURE:
            raise MalformedArchiveError("directory_entry")
        name_end = at + ENTRY.size + name
        raw_name = directory[at + ENTRY.size : name_end]
        size, packed_size, offset = _widen((size, packed_size, offset), directory[name_end : name_end + extra])
        start = before + offset
        local, data = _read_local_header(file, start, end)
        yield Member(raw_name, flags, method, crc, packed_size, size, mode >> 16, start, data, local)
        at += ENTRY.size + name + extra + comment
    if at != len(directory):
        raise MalformedArchiveError("directory_long")


def _read_local_header(file: BinaryIO, start: int, end: int) -> tuple[tuple[bytes, int, int, int, int, int], int]:
    """Return the fields of the local header, and the position of the data."""
    head = zip_format.read_at(file, start, LOCAL.size)
    if start + LOCAL.size > end or len(head) < LOCAL.size or not head.startswith(zip_format.LOCAL_SIGNATURE):
        raise MalformedArchiveError("local_header")
    _, _, flags, method, _, _, crc, packed_size, size, name, extra = LOCAL.unpack(head)
    data = start + LOCAL.size + name + extra
    raw_name = file.read(name)
    size, packed_size = _widen((size, packed_size), file.read(extra))
    return (raw_name, flags, method, crc, packed_size, size), data


def _widen(numbers: tuple[int, ...], extra: bytes) -> tuple[int, ...]:
    """Return the numbers of a header with those of its ZIP64 field. Raises MalformedArchiveError."""
    wide_numbers = zip_format.replace_marks(numbers, extra)
    if wide_numbers is None:
        raise MalformedArchiveError("zip64")
    return wide_numbers
