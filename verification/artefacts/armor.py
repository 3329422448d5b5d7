"""ASCII armor as Terraform's OpenPGP library reads it.

The rules differ from RFC 9580 where the library does: a wrong checksum makes the block unreadable, a missing end line
or checksum does not, and white space around the lines of the body is an error.
"""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass

from verification.artefacts.sums import trim
from verification.terraform import says

BEGIN, END, DASHES = b"-----BEGIN ", b"-----END ", b"-----"
READ_SIZE = 100  # the library's line buffer: a longer line arrives in pieces
MAX_BODY_LINE = 96
CORRUPT = "openpgp: invalid data: armor invalid"
ALPHABET = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
CRC_INIT, CRC_POLY = 0xB704CE, 0x1864CFB


class ArmorError(ValueError):
    """The text holds no armored block, or a broken one. The text is Terraform's, or its beginning."""


@dataclass(frozen=True, slots=True)
class Armor:
    """The first block of a text. `body` is what precedes the `error`, which is empty for a sound block."""

    kind: str
    body: bytes
    error: str = ""

    def read(self) -> bytes:
        """Return the whole body. Raises ArmorError."""
        if self.error:
            raise ArmorError(self.error)
        return self.body


def is_armored(data: bytes) -> bool:
    return any(line.startswith(BEGIN) for line, is_piece in _lines(data) if not is_piece)


def decode(text: bytes) -> Armor | None:
    """Return the first block, or None where the text has none."""
    lines = _lines(text)
    while True:
        kind = _find_begin(lines)
        if kind is None:
            return None
        match _skip_headers(lines):
            case None:
                return None
            case True:
                return _read_body(kind, lines)


def _lines(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """Yield lines without their ends, and whether the line goes on in the next one."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at, at + READ_SIZE)
        if end >= 0:
            yield data[at:end].removesuffix(b"\r"), False
            at = end + 1
        elif len(data) - at >= READ_SIZE:
            piece = data[at : at + READ_SIZE].removesuffix(b"\r")
            yield piece, True
            at += len(piece)
        else:
            yield data[at:], False
            return


def _find_begin(lines: Iterator[tuple[bytes, bool]]) -> str | None:
    was_piece = False
    for line, is_piece in lines:
        skipped, was_piece = was_piece or is_piece, is_piece
        trimmed = trim(line)
        if not skipped and trimmed.startswith(BEGIN) and len(trimmed) > len(BEGIN) + len(DASHES):
            return trimmed[len(BEGIN) : -len(DASHES)].decode("utf-8", "replace")
    return None


def _skip_headers(lines: Iterator[tuple[bytes, bool]]) -> bool | None:
    """Return True at the blank line, False at a line that is no header, None at the end of the text."""
    was_piece = False
    for line, is_piece in lines:
        continues, was_piece = was_piece, is_piece
        if continues:
            continue
        if not (trimmed := trim(line)):
            return True
        if b":" not in trimmed:
            return False
    return None


def _read_body(kind: str, lines: Iterator[tuple[bytes, bool]]) -> Armor:
    text, error, checksum = bytearray(), "", None
    for line, is_piece in lines:
        if is_piece or (len(line) > MAX_BODY_LINE and not line.startswith(END)):
            error = CORRUPT
            break
        if line.startswith(END):
            break
        if len(line) == 5 and line.startswith(b"="):
            checksum, error = _read_checksum(line[1:], lines)
            if error or checksum is not None:
                break
            continue
        text += line
    body, wrong = _decode_base64(bytes(text))
    error = wrong or error
    if not error and checksum is not None and checksum != crc24(body):
        error = CORRUPT
    return Armor(kind, body, error)


def _read_checksum(digits: bytes, lines: Iterator[tuple[bytes, bool]]) -> tuple[int | None, str]:
    """Return the checksum, None for a line that holds less than one, and what is wrong with it."""
    if not ALPHABET.issuperset(digits):
        return None, says("base64")
    decoded, wrong = _decode_base64(digits)
    if wrong or len(decoded) != 3:
        return None, wrong
    line, _ = next(lines, (b"", False))
    return int.from_bytes(decoded), "" if line.startswith(END) else CORRUPT


def _decode_base64(text: bytes) -> tuple[bytes, str]:
    """Return the bytes before the first error, and the error. Padding ends the body."""
    text = text.replace(b"\r", b"")
    whole = len(text) // 4 * 4
    bad = next((at for at, char in enumerate(text[:whole]) if char not in ALPHABET), whole)
    padding = text.find(b"=", 0, bad)
    end = bad // 4 * 4 if padding < 0 else min(bad // 4, padding // 4 + 1) * 4
    try:
        body = base64.b64decode(text[:end], validate=True)
    except binascii.Error:
        return base64.b64decode(text[: padding // 4 * 4]), says("base64")
    if end < whole:
        return body, says("base64")
    return body, says("unexpected_end") if whole < len(text) else ""


def crc24(data: bytes) -> int:
    """Return the checksum of RFC 9580, section 6.1."""
    crc = CRC_INIT
    for byte in data:
        crc ^= byte << 16
        for _ in range(8):
            crc <<= 1
            if crc & 0x1000000:
                crc ^= CRC_POLY
    return crc
