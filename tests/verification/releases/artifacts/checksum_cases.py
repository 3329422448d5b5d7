"""Lists of checksums with the expected remarks of the portal and errors of Terraform."""

import hashlib
import json
from collections.abc import Callable

ZIP = "terraform-provider-rocket_1.0.0_linux_amd64.zip"
MANIFEST = "terraform-provider-rocket_1.0.0_manifest.json"
DIGEST = hashlib.sha256(b"zip").hexdigest()
VALID = f"{DIGEST}  {ZIP}\n{hashlib.sha256(b'manifest').hexdigest()}  {MANIFEST}\n".encode()
MISSING = f'checksum list has no SHA-256 hash for "{ZIP}"'
ZEROS = "0" * 64
ODD_LENGTH = f'checksum list has invalid SHA256 hash "{DIGEST[:63]}": encoding/hex: odd length hex string'
BLANK_LINE_PANIC = "panic: runtime error: index out of range [0] with length 0"
LONG_DIGEST_PANIC = "panic: runtime error: index out of range [32] with length 32"


def describe_invalid_byte(digest: str, byte: str) -> str:
    return f'checksum list has invalid SHA256 hash "{digest}": encoding/hex: invalid byte: {byte}'


def describe_unexpected(digest: str) -> str:
    return f"checksum list has unexpected SHA-256 hash {digest} (expected {DIGEST})"


def change_digest(change: Callable[[bytes], bytes]) -> bytes:
    return change(DIGEST.encode()) + VALID[64:]


# name: the list, Terraform's error (blank for none, None for unknown), and the keys of our remarks
CASES = {
    "valid": (VALID, "", set()),
    "CRLF": (VALID.replace(b"\n", b"\r\n"), "", {"crlf"}),
    "uppercase": (VALID.upper().replace(ZIP.upper().encode(), ZIP.encode()), "", {"upper_case", "missing"}),
    "uppercase hash": (change_digest(bytes.upper), "", {"upper_case"}),
    "tab": (VALID.replace(b"  ", b"\t"), "", {"spacing"}),
    "one space": (VALID.replace(b"  ", b" "), "", {"spacing"}),
    "three spaces": (VALID.replace(b"  ", b"   "), "", {"spacing"}),
    "leading space": (b" " + VALID, "", {"spacing"}),
    "no-break space": (VALID.replace(b"  ", "\u00a0".encode()), "", {"spacing"}),
    "no line break at the end": (VALID.strip(), "", {"no_newline"}),
    "third word": (VALID.replace(b"\n", b" ok\n"), "", {"more_words"}),
    "repeated": (VALID + VALID, "", {"twice"}),
    "repeated, second different": (VALID + f"{ZEROS}  {ZIP}\n".encode(), "", {"contradiction"}),
    "word": (VALID + b"end\n", "", {"no_name"}),
    "comment": (b"# sums\n" + VALID, "", {"length", "no_hex"}),
    "without the manifest": (VALID.splitlines(keepends=True)[0], "", {"missing"}),
    "blank lines": (b"\n" + VALID + b"\n", BLANK_LINE_PANIC, {"blank_line"}),
    "blank line, CRLF": (VALID + b"\r\n", BLANK_LINE_PANIC, {"blank_line", "crlf"}),
    "blank line at the end": (VALID + b"\n", BLANK_LINE_PANIC, {"blank_line"}),
    "blank line after text": (VALID + b"# end\n\n", "", {"blank_line", "length", "no_hex"}),
    "longer hash": (change_digest(lambda a: a + b"00"), LONG_DIGEST_PANIC, {"length"}),
    "longer hash, not hexadecimal": (change_digest(lambda a: a + b"zz"), None, {"length", "no_hex"}),
    "binary mode": (VALID.replace(b"  ", b" *"), MISSING, {"binary_mode", "missing"}),
    "dot and slash": (VALID.replace(b"  ", b"  ./"), MISSING, {"folder", "missing"}),
    "folder": (VALID.replace(b"  ", b"  dist/"), MISSING, {"folder", "missing"}),
    "other name": (VALID.replace(b"linux", b"darwin"), MISSING, {"missing"}),
    "uppercase name": (VALID.replace(b"terraform", b"Terraform"), MISSING, {"missing"}),
    "empty": (b"", MISSING, {"empty_list"}),
    "blank": (b" \n\n", MISSING, {"empty_list"}),
    "HTML": (b"<html>Not Found</html>\n", MISSING, {"folder", "length", "missing", "no_hex"}),
    "UTF-16": (VALID.decode().encode("utf-16"), MISSING, {"encoding"}),
    "UTF-16, big-endian": (b"\xfe\xff" + VALID.decode().encode("utf-16-be"), MISSING, {"encoding"}),
    "NUL": (VALID.replace(b"\n", b"\0\n"), MISSING, {"nul"}),
    "byte order mark": (b"\xef\xbb\xbf" + VALID, describe_invalid_byte(f"\\ufeff{DIGEST}", "U+00EF 'ï'"), {"encoding"}),
    "not hexadecimal": (
        change_digest(lambda a: b"g" + a[1:]),
        describe_invalid_byte(f"g{DIGEST[1:]}", "U+0067 'g'"),
        {"no_hex"},
    ),
    "odd number of digits": (change_digest(lambda a: a[:63]), ODD_LENGTH, {"length"}),
    "odd number of digits, not hexadecimal": (
        change_digest(lambda a: a[:62] + b"!"),
        describe_invalid_byte(f"{DIGEST[:62]}!", "U+0021 '!'"),
        {"no_hex", "length"},
    ),
    "short hash": (change_digest(lambda a: a[:62]), describe_unexpected(f"{DIGEST[:62]}00"), {"length"}),
    "MD5": (change_digest(lambda a: a[:32]), describe_unexpected(f"{DIGEST[:32]}{'0' * 32}"), {"length"}),
    "SHA-512": (change_digest(lambda a: a + a), LONG_DIGEST_PANIC, {"length"}),
    "repeated, first different": (f"{ZEROS}  {ZIP}\n".encode() + VALID, describe_unexpected(ZEROS), {"contradiction"}),
    "control character": (
        change_digest(lambda a: b"\x07" + a[1:]),
        describe_invalid_byte(f"\\a{DIGEST[1:]}", "U+0007"),
        {"no_hex", "spacing"},
    ),
    "byte that is not UTF-8": (
        change_digest(lambda a: b"\xff" + a[1:]),
        describe_invalid_byte(f"\\xff{DIGEST[1:]}", "U+00FF 'ÿ'"),
        {"no_hex"},
    ),
    "many lines": (VALID * 501, "", {"too_long"}),
    "long": (VALID + b"a" * 1024 * 1024, "", {"too_long"}),
    "JSON": (json.dumps({ZIP: DIGEST}).encode(), MISSING, {"length", "missing", "no_hex", "no_newline"}),
    "BSD form": (f"SHA256 ({ZIP}) = {DIGEST}\n".encode(), MISSING, {"length", "missing", "more_words", "no_hex"}),
}
# lists that a careless parser would read for a long time
OVERSIZED = {
    "one long line": b"a" * 1024 * 1024,
    "spaces": b" " * 1024 * 1024,
    "spaces of two bytes": b"\xc2\xa0" * 512 * 1024,
    "line breaks": b"\n" * 1024 * 1024,
    "names of one letter": b"0 a\n" * 250_000,
    "words": b"a " * 512 * 1024,
}
