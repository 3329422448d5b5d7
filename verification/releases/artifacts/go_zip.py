"""Directories of ZIP archives as Go's archive/zip reads them, which Terraform unpacks with.

Go searches for the directory from the end and trusts it over the headers of the members.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from verification.releases.artifacts import zip_format

END_SIZE = 22
ENTRY_SIZE = 46
# Go looks for the end record in the last KiB, then in the last 65 KiB, which a comment of any length fits in.
SEARCH_SIZES = (1024, 65 * 1024)
# Systems that create members, by number: Unix and macOS, then FAT, NTFS, and VFAT. Go ignores modes of other systems.
UNIX = (3, 19)
FAT = (0, 11, 14)
DIRECTORY_BIT = 0x10
UNIX_FOLDER = 0o040000
MAX_DIRECTORY_BYTES = 4 * 1024 * 1024  # longer directories are not read
SIGN_BIT_64 = 1 << 63  # Go reads positions as signed numbers


class ZipError(ValueError):
    """Archive that Terraform refuses. `key` is the key of its message."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


class TooLargeError(ValueError):
    """Archive with more data or members than are read here."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Member as the directory describes it."""

    name: bytes
    flags: int
    method: int
    crc: int
    packed_size: int
    size: int
    offset: int
    is_folder: bool

    @property
    def path(self) -> bytes:
        return b"/".join(part for part in self.name.split(b"/") if part not in (b"", b"."))


def read_directory(file: BinaryIO, size: int) -> Iterator[Entry]:
    """Yield the members. Raises ZipError or TooLargeError."""
    at = _find_end(file, size)
    count, length, offset = struct.unpack("<H2L", zip_format.read_at(file, at + 10, 10))
    # Go compares the length, too, with the mark of a number of 16 bits.
    if zip_format.MARK_16 in (count, length) or offset == zip_format.MARK_32:
        at, count, length, offset = _read_end_64(file, at) or (at, count, length, offset)
    base = at - length - offset
    if not 0 <= base + offset < size:
        raise ZipError("no_zip")
    # If a valid entry is where the end record says, Go doesn't add the length of the bytes before the archive.
    if base > 0 and isinstance(_read_entry(file, offset, 0), tuple):
        base = 0
    position = base + offset
    entry_count = 0
    while not isinstance(entry := _read_entry(file, position, base), ZipError):
        position = entry[1]
        entry_count += 1
        if position - base - offset > MAX_DIRECTORY_BYTES:
            raise TooLargeError
        yield entry[0]
    # Go reads entries until something isn't one. Then it compares the last 16 bits of their number.
    if entry.key == "json_end" or entry_count % 0x10000 != count % 0x10000:
        raise entry


def _read_end_64(file: BinaryIO, end_position: int) -> tuple[int, int, int, int] | None:
    """Return the position of the ZIP64 end record, and the count, length, and offset in it, or None without one."""
    position = zip_format.find_end_64(file, end_position)
    if position is None or position >= SIGN_BIT_64:
        return None
    record = zip_format.read_at(file, position, zip_format.END_64.size)
    if len(record) < zip_format.END_64.size:
        raise ZipError("json_end")
    *_, count, length, offset = zip_format.END_64.unpack(record)
    if not record.startswith(zip_format.END_64_SIGNATURE) or max(length, offset) >= SIGN_BIT_64:
        raise ZipError("no_zip")
    return position, count, length, offset


def _find_end(file: BinaryIO, size: int) -> int:
    for length in SEARCH_SIZES:
        block = zip_format.read_at(file, max(0, size - length), length)
        at = block.rfind(zip_format.END_SIGNATURE, 0, len(block) - END_SIZE + len(zip_format.END_SIGNATURE))
        # Only the last signature of a block counts. If its comment is cut off, Go searches the larger block.
        if at >= 0 and at + END_SIZE + int.from_bytes(block[at + 20 : at + 22], "little") <= len(block):
            return max(0, size - length) + at
        if length >= size:
            break
    raise ZipError("no_zip")


def _read_entry(file: BinaryIO, at: int, base: int) -> tuple[Entry, int] | ZipError:
    """Return an entry and the offset of the next one, or the error that prevents reading it."""
    head = zip_format.read_at(file, at, ENTRY_SIZE)
    if len(head) < ENTRY_SIZE:
        return ZipError("unexpected_end" if head else "json_end")
    if not head.startswith(zip_format.ENTRY_SIGNATURE):
        return ZipError("no_zip")
    creator, flags, method = head[5], *struct.unpack("<2H", head[8:12])
    crc, packed_size, size, name_size, extra_size, comment_size = struct.unpack("<3L3H", head[16:34])
    attributes, offset = struct.unpack("<2L", head[38:46])
    rest = zip_format.read_at(file, at + ENTRY_SIZE, name_size + extra_size + comment_size)
    if len(rest) < name_size + extra_size + comment_size:
        return ZipError("unexpected_end" if rest else "json_end")
    numbers = zip_format.replace_marks((size, packed_size, offset), rest[name_size : name_size + extra_size])
    # Go accepts a size that is a mark, but not the other two.
    if numbers is None or zip_format.MARK_32 in numbers[1:]:
        return ZipError("no_zip")
    size, packed_size, offset = numbers
    start = base + offset - (offset & SIGN_BIT_64) * 2
    name = rest[:name_size]
    entry = Entry(name, flags, method, crc, packed_size, size, start, _is_folder(name, creator, attributes))
    return entry, at + ENTRY_SIZE + len(rest)


def _is_folder(name: bytes, creator: int, attributes: int) -> bool:
    unix = creator in UNIX and attributes >> 16 & 0o170000 == UNIX_FOLDER
    return unix or (creator in FAT and bool(attributes & DIRECTORY_BIT)) or name.endswith(b"/")
