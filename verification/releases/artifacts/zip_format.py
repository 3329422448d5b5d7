"""Records of the ZIP format that both readers of archives share, with the numbers of 64 bits (APPNOTE, sections 4.3 and
4.5.3).
"""

import struct
from typing import BinaryIO

ENTRY_SIGNATURE = b"PK\x01\x02"
LOCAL_SIGNATURE = b"PK\x03\x04"
END_SIGNATURE = b"PK\x05\x06"
END_64_SIGNATURE = b"PK\x06\x06"
LOCATOR_64 = struct.Struct("<4sLQL")
END_64 = struct.Struct("<4sQ2H2L4Q")
STORED = 0
DEFLATED = 8
# In place of a number that the ZIP64 fields have.
MARK_16 = 0xFFFF
MARK_32 = 0xFFFFFFFF
NUMBERS_64_ID = 0x0001
# No archive that is read has a higher one, and no file can have the highest that the format allows.
MAX_POSITION = 2**40


def read_at(file: BinaryIO, position: int, size: int) -> bytes:
    """Return the bytes at a position, fewer at the end of the file."""
    file.seek(min(position, MAX_POSITION))
    return file.read(size)


def find_end_64(file: BinaryIO, end_position: int) -> int | None:
    """Return where the ZIP64 end record should be, or None if no locator precedes the end record."""
    if end_position < LOCATOR_64.size:
        return None
    locator = read_at(file, end_position - LOCATOR_64.size, LOCATOR_64.size)
    signature, disk, position, disk_count = LOCATOR_64.unpack(locator)
    return position if (signature, disk, disk_count) == (b"PK\x06\x07", 0, 1) else None


def replace_marks(numbers: tuple[int, ...], extra: bytes) -> tuple[int, ...] | None:
    """Return numbers of 32 bits, those that are marks replaced by the ones in the ZIP64 field of the extra fields.

    Without that field, the marks stay. Return None if it has too few numbers.
    """
    while len(extra) >= 4:
        kind, size = struct.unpack("<2H", extra[:4])
        content = extra[4 : 4 + size]
        if len(content) < size:
            break
        if kind == NUMBERS_64_ID:
            count = numbers.count(MARK_32)
            if size < 8 * count:
                return None
            wide_numbers = iter(struct.unpack(f"<{count}Q", content[: 8 * count]))
            return tuple(next(wide_numbers) if number == MARK_32 else number for number in numbers)
        extra = extra[4 + size :]
    return numbers
