"""What would Terraform say? Its own sentences, filled in, and its way of writing bytes and quotes.

The sentences stand in terraform.toml: they are another program's words, to be matched letter by letter.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NAMED = {
    "\a": r"\a",
    "\b": r"\b",
    "\f": r"\f",
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
    "\v": r"\v",
    '"': r"\"",
    "\\": r"\\",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What Terraform would do: accept (True), refuse (False), or not known here (None). `message` is its own.

    `outage` is set where it would refuse now, for a reason that passes and is nobody's fault.
    """

    accepts: bool | None
    message: str = ""
    outage: bool = False

    @property
    def verdict(self) -> str:
        return {True: "accept", False: "refuse", None: "unknown"}[self.accepts]


ACCEPTS = Judgement(True)


@cache
def _sentences() -> dict[str, str]:
    return {key: str(text) for key, text in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).items()}


def says(key: str, **values: object) -> str:
    """Terraform's sentence of that key with the values in it. Raises KeyError for an unknown key or value."""
    return _sentences()[key].format(**values)


def refuses(key: str, **values: object) -> Judgement:
    return Judgement(False, says(key, **values))


def unknown(why: str) -> Judgement:
    """Not settled here; the message is ours, and says why."""
    return Judgement(None, why)


def quoted(data: bytes | str) -> str:
    """As Terraform quotes: Go's %q."""
    raw = data.encode() if isinstance(data, str) else data
    return '"' + "".join(_quoted(char) for char in raw.decode("utf-8", "surrogateescape")) + '"'


def _quoted(char: str) -> str:
    code = ord(char)
    if char in NAMED:
        return NAMED[char]
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if char.isprintable():
        return char
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def named(byte: int) -> str:
    """A byte as Go's %#U writes it: U+0067 'g'."""
    char = chr(byte)
    return f"U+{byte:04X} '{char}'" if char.isprintable() else f"U+{byte:04X}"


HEX = frozenset(b"0123456789abcdefABCDEF")


def unhex(text: bytes, size: int = 32) -> tuple[bytes, str, bool]:
    """Go's reading of hexadecimal digits into `size` bytes: (bytes, what it says if it stops, whether it crashes)."""
    done = bytearray()
    for at in range(0, len(text) - 1, 2):
        for byte in text[at : at + 2]:
            if byte not in HEX:
                return bytes(done), says("hex_byte", char=named(byte)), False
        if len(done) == size:
            return bytes(done), says("crash_long"), True
        done.append(int(text[at : at + 2], 16))
    if len(text) % 2:
        last = text[-1]
        return bytes(done), says("hex_byte", char=named(last)) if last not in HEX else says("hex_length"), False
    return bytes(done).ljust(size, b"\0"), "", False
