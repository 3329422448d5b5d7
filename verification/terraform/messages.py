"""Terraform's own messages with values filled in, and its notation for bytes and quotes.

The messages are in messages.toml. They must match Terraform's output exactly.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

MESSAGES: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
# As Go's strconv.Quote() writes them.
NAMED_ESCAPES = {char: f"\\{name}" for char, name in zip('\a\b\f\n\r\t\v"\\', 'abfnrtv"\\', strict=True)}


@dataclass(frozen=True, slots=True)
class TerraformDecision:
    """Predicted decision of Terraform: accept (True), refuse (False), or unknown (None), with its own message.

    `outage` is set if Terraform would refuse now for a temporary reason that no publisher caused, `missing` if it would
    refuse because a server doesn't have what it requests.
    """

    accepts: bool | None
    message: str = ""
    outage: bool = False
    missing: bool = False

    @property
    def verdict(self) -> str:
        return {True: "accept", False: "refuse", None: "unknown"}[self.accepts]


ACCEPT_DECISION = TerraformDecision(True)


def render_message(key: str, **values: object) -> str:
    """Fill values into the Terraform message with this key. Raises KeyError for an unknown key or value."""
    return MESSAGES[key].format(**values)


def build_refusal(key: str, **values: object) -> TerraformDecision:
    return TerraformDecision(False, render_message(key, **values))


def build_unknown_decision(reason: str) -> TerraformDecision:
    """Build a decision of unknown outcome. The reason is a clause in our own words."""
    return TerraformDecision(None, f"Not decided: {reason}")


def quote(data: bytes | str) -> str:
    """Quote text like Terraform, with Go's %q."""
    raw = data.encode() if isinstance(data, str) else data
    return '"' + "".join(_quote_character(char) for char in raw.decode("utf-8", "surrogateescape")) + '"'


def _quote_character(char: str) -> str:
    code = ord(char)
    if char in NAMED_ESCAPES:
        return NAMED_ESCAPES[char]
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if char.isprintable():
        return char
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def format_byte(byte: int) -> str:
    """Format a byte like Go's %#U: U+0067 'g'."""
    char = chr(byte)
    return f"U+{byte:04X} '{char}'" if char.isprintable() else f"U+{byte:04X}"


HEX_DIGITS = frozenset(b"0123456789abcdefABCDEF")


def decode_hex(text: bytes, size: int = 32) -> tuple[bytes, str, bool]:
    """Decode hexadecimal digits into `size` bytes. Return the bytes, Go's error message, and whether it crashes."""
    decoded = bytearray()
    for position in range(0, len(text) - 1, 2):
        for byte in text[position : position + 2]:
            if byte not in HEX_DIGITS:
                return bytes(decoded), render_message("hex_byte", char=format_byte(byte)), False
        if len(decoded) == size:
            return bytes(decoded), render_message("crash_long"), True
        decoded.append(int(text[position : position + 2], 16))
    # Go reports an invalid last digit first, and an odd number of digits only after that.
    if len(text) % 2:
        is_digit = text[-1] in HEX_DIGITS
        error = render_message("hex_length") if is_digit else render_message("hex_byte", char=format_byte(text[-1]))
        return bytes(decoded), error, False
    # Go decodes into an array, whose rest stays zero.
    return bytes(decoded).ljust(size, b"\0"), "", False
