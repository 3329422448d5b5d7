"""RSA keys and signatures built packet by packet, for tests of data that no signing tool writes."""

import hashlib
import struct
from collections.abc import Callable
from functools import cache

from cryptography.hazmat.primitives.asymmetric import rsa

CREATED_AT = 1_775_044_800  # 2026-04-01
USER_ID = b"Acme <a@acme.example>"
DIGESTS = {8: "sha256", 12: "sha3_256", 14: "sha3_512"}
PREFIXES = {
    8: "3031300d060960864801650304020105000420",
    12: "3031300d060960864801650304020805000420",
    14: "3051300d060960864801650304020a05000440",
}  # RFC 8017, section 9.2; FIPS 202 identifiers
SHA256 = 8
CERTIFICATION = 0x13
SIGNING_FLAGS = b"\x02\x1b\x03"  # subpacket of key flags: certify and sign
Change = Callable[[bytes], bytes]


@cache
def _private_numbers() -> rsa.RSAPrivateNumbers:
    return rsa.generate_private_key(65537, 2048).private_numbers()


def write_integer(number: int) -> bytes:
    return struct.pack(">H", number.bit_length()) + number.to_bytes((number.bit_length() + 7) // 8)


def write_packet(tag: int, body: bytes) -> bytes:
    return bytes([0x80 | tag << 2 | 1]) + struct.pack(">H", len(body)) + body


def build_key_body(*numbers: int, algorithm: int = 1) -> bytes:
    return b"\x04" + struct.pack(">LB", CREATED_AT, algorithm) + b"".join(map(write_integer, numbers))


def _rsa_body() -> bytes:
    public = _private_numbers().public_numbers
    return build_key_body(public.n, public.e)


def _hash_key(body: bytes) -> bytes:
    return b"\x99" + struct.pack(">H", len(body)) + body


def _pad_and_sign(signed_data: bytes, digest: int) -> bytes:
    tail = b"\0" + bytes.fromhex(PREFIXES[digest]) + hashlib.new(DIGESTS[digest], signed_data).digest()
    padding = b"\0\1".ljust(256 - len(tail), b"\xff") + tail
    numbers = _private_numbers()
    return write_integer(pow(int.from_bytes(padding), numbers.d, numbers.public_numbers.n))


def sign(
    signed_data: bytes,
    kind: int = 0,
    digest: int = SHA256,
    *,
    body: bytes = b"",
    flags: bytes = b"",
    change: Change = lambda number: number,
) -> bytes:
    """Return a signature by the RSA key. `body` replaces the issuing key; `change` changes the integer."""
    body = body or _rsa_body()
    area = b"\x05\x02" + struct.pack(">L", CREATED_AT + 60) + flags
    head = bytes([4, kind, body[5], digest]) + struct.pack(">H", len(area)) + area
    signed_data += head + b"\x04\xff" + struct.pack(">L", len(head))
    issuer = b"\x09\x10" + hashlib.sha1(_hash_key(body)).digest()[-8:]
    start = hashlib.new(DIGESTS[digest], signed_data).digest()[:2]
    integers = change(_pad_and_sign(signed_data, digest))
    return write_packet(2, head + struct.pack(">H", len(issuer)) + issuer + start + integers)


def build_key(
    body: bytes = b"", *, certifications: int = 1, kind: int = CERTIFICATION, flags: bytes = SIGNING_FLAGS
) -> bytes:
    """Return a key with certifications of its user ID, which are invalid for another body."""
    body = body or _rsa_body()
    signed_data = _hash_key(body) + b"\xb4" + struct.pack(">L", len(USER_ID)) + USER_ID
    change = (lambda number: number) if body[5] == 1 else (lambda number: number * 2)
    certification = sign(signed_data, kind, body=body, flags=flags, change=change)
    return write_packet(6, body) + write_packet(13, USER_ID) + certification * certifications
