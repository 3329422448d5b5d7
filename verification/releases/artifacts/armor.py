"""ASCII armor as Terraform's OpenPGP library reads it.

The rules differ from RFC 9580 where the library does: a wrong checksum makes the block unreadable, a missing end line
or checksum does not, and white space around the lines of the body is an error.
"""

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass

from verification.releases.artifacts.checksums import trim
from verification.terraform.messages import render_message

BEGIN = b"-----BEGIN "
END = b"-----END "
DASHES = b"-----"
# The library's limit. RFC 9580 allows lines of 76 characters.
MAX_BODY_LINE = 96
CORRUPT = "openpgp: invalid data: armor invalid"
# Possessive, because a hostile body must not cause backtracking.
DIGITS = re.compile(rb"(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
CRC_INIT = 0xB704CE
CRC_POLY = 0x1864CFB


class ArmorError(ValueError):
    """Missing or broken armored block. The message is Terraform's, or its beginning."""


@dataclass(frozen=True, slots=True)
class Armor:
    """First block of a text. `body` is what precedes the `error`, which is empty for a valid block."""

    kind: str
    body: bytes
    error: str = ""

    def read(self) -> bytes:
        """Return the whole body. Raises ArmorError."""
        if self.error:
            raise ArmorError(self.error)
        return self.body


def decode(text: bytes) -> Armor | None:
    """Return the first block of a text, or None if it has none."""
    lines = iter(text.removesuffix(b"\n").split(b"\n"))
    for line in lines:
        trimmed_line = trim(line)
        is_begin_line = trimmed_line.startswith(BEGIN) and len(trimmed_line) > len(BEGIN) + len(DASHES)
        if is_begin_line and _skip_headers(lines):
            return _read_body(trimmed_line[len(BEGIN) : -len(DASHES)].decode("utf-8", "replace"), lines)
    return None


def _skip_headers(lines: Iterator[bytes]) -> bool:
    """Skip the headers. Return whether a blank line ends them."""
    first = next((line for line in lines if not trim(line) or b":" not in line), b"no blank line")
    return not trim(first)


def _read_body(kind: str, lines: Iterator[bytes]) -> Armor:
    text = bytearray()
    error = ""
    checksum = b""
    for line in lines:
        line = line.removesuffix(b"\r")
        if line.startswith(END) or len(line) > MAX_BODY_LINE:
            error = "" if line.startswith(END) else CORRUPT
            break
        if len(line) != 5 or not line.startswith(b"="):
            text += line
            continue
        checksum, error = _decode_base64(line[1:])
        if error:
            break
        if len(checksum) == 3:  # a shorter one is ignored
            if not next(lines, b"").startswith(END):
                error = CORRUPT
            break
    body, body_error = _decode_base64(bytes(text).replace(b"\r", b""))
    if not error and len(checksum) == 3 and checksum != compute_crc24(body).to_bytes(3):
        error = CORRUPT
    return Armor(kind, body, body_error or error)


def _decode_base64(text: bytes) -> tuple[bytes, str]:
    """Return the bytes before the first error, and the error."""
    match = DIGITS.match(text)
    end = match.end() if match else 0
    rest = len(text) - end
    # Go decodes four digits at a time, so fewer are an early end and not a wrong digit.
    message_key = "base64" if rest >= 4 else "unexpected_end"
    return base64.b64decode(text[:end]), render_message(message_key) if rest else ""


def compute_crc24(data: bytes) -> int:
    """Return the checksum of RFC 9580, section 6.1."""
    crc = CRC_INIT
    for byte in data:
        crc = (crc << 8) & 0xFFFFFF ^ CRC_TABLE[crc >> 16 ^ byte]
    return crc


def _compute_crc_entry(byte: int) -> int:
    """Return what a byte contributes to the checksum."""
    crc = byte << 16
    for _ in range(8):
        crc = crc << 1 ^ (CRC_POLY if crc & 0x800000 else 0)
    return crc


CRC_TABLE = tuple(map(_compute_crc_entry, range(256)))
