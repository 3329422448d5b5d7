"""OpenPGP packets as Terraform's library reads them: framing and public keys.

This module only reads. verification.releases.artifacts.keyrings verifies. The library is ProtonMail/go-crypto 1.0.0.
It differs from RFC 9580, and so does this module: integers can have leading zeros, unused bytes of a packet are read as
the next packet, and a packet of an unknown kind, version, or algorithm is ignored.
"""

import hashlib
import struct
from dataclasses import dataclass

from verification.terraform.messages import render_message

RSA = 1
RSA_ENCRYPT = 2
RSA_SIGN = 3
ELGAMAL = 16
DSA = 17
ECDH = 18
ECDSA = 19
EDDSA = 22
FAMILIES = {RSA: "RSA", RSA_SIGN: "RSA", DSA: "DSA", ECDSA: "ECDSA", EDDSA: "EdDSA"}  # those that sign
INTEGER_COUNTS = {RSA: 2, RSA_ENCRYPT: 2, RSA_SIGN: 2, DSA: 4, ELGAMAL: 3}
# The library's limit for the public exponent of an RSA key.
MAX_EXPONENT_BYTES = 3
# Curves by object identifier, with their names in the library cryptography and the algorithms of keys on them.
CURVES = {
    "2a8648ce3d030107": ("SECP256R1", {ECDSA, ECDH}),
    "2b81040022": ("SECP384R1", {ECDSA, ECDH}),
    "2b81040023": ("SECP521R1", {ECDSA, ECDH}),
    "2b8104000a": ("SECP256K1", {ECDSA, ECDH}),
    "2b2403030208010107": ("BrainpoolP256R1", {ECDSA, ECDH}),
    "2b240303020801010b": ("BrainpoolP384R1", {ECDSA, ECDH}),
    "2b240303020801010d": ("BrainpoolP512R1", {ECDSA, ECDH}),
    "2b060104019755010501": ("X25519", {ECDH}),
    "2b656f": ("X448", {ECDH}),
    "2b06010401da470f01": ("Ed25519", {EDDSA, ECDH}),
    "2b6571": ("Ed448", {EDDSA, ECDH}),
}
# Accepted key derivations of ECDH keys
DERIVATION_VERSION = 1
DERIVATION_DIGESTS = {8, 9, 10, 11, 12, 14}
DERIVATION_CIPHERS = {2, 3, 7, 8, 9}


class PacketError(ValueError):
    """Bytes that aren't a packet. The message is similar or equal to Terraform's."""


class StructuralError(PacketError):
    """Malformed packet. A key with such a packet is ignored."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"openpgp: invalid data: {reason}")


class UnsupportedError(PacketError):
    """Packet with a version or an algorithm that the library doesn't know. The packet is ignored."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"openpgp: unsupported feature: {reason}")


class PacketReader:
    """Reader of consecutive bytes. The bytes of a truncated packet never end, so reading the rest of them fails."""

    def __init__(self, data: bytes, *, is_truncated: bool = False) -> None:
        self.data = data
        self.position = 0
        self.is_truncated = is_truncated

    @property
    def is_at_end(self) -> bool:
        return self.position == len(self.data)

    def read(self, count: int) -> bytes:
        """Return the next bytes. Raises PacketError if there are fewer."""
        start = self.position
        self.position = min(self.position + count, len(self.data))
        if self.position - start < count:
            raise PacketError(render_message("unexpected_end"))
        return self.data[start : self.position]

    def read_number(self, size: int = 1) -> int:
        return int.from_bytes(self.read(size))

    def read_integer(self) -> bytes:
        """Return the bytes of an integer that follows its length in bits."""
        return self.read((self.read_number(2) + 7) // 8)

    def read_identifier(self) -> bytes:
        """Return bytes that follow their length."""
        size = self.read_number()
        if size in (0, 0xFF):
            raise UnsupportedError("reserved for future extensions")
        return self.read(size)

    def read_rest(self) -> bytes:
        """Return all remaining bytes. Raises PacketError if the packet is truncated."""
        if self.is_truncated:
            raise PacketError(render_message("unexpected_end"))
        return self.read(len(self.data) - self.position)

    def read_part(self, size: int) -> "PacketReader":
        """Return a reader of the next bytes, fewer at the end. This reader continues after them."""
        end = self.position + size
        data = self.data[self.position : end]
        self.position = min(end, len(self.data))
        return PacketReader(data, is_truncated=end > len(self.data))


@dataclass(frozen=True, slots=True)
class PublicKey:
    """Primary key or subkey. `hashed_data` is the part that its signatures cover."""

    is_subkey: bool
    created_at: int  # seconds since 1970
    algorithm: int
    hashed_data: bytes
    fingerprint: str
    numbers: tuple[bytes, ...]
    curve: str = ""

    @property
    def key_id(self) -> str:
        return self.fingerprint[-16:]

    @property
    def can_sign(self) -> bool:
        return self.algorithm in FAMILIES

    @property
    def family(self) -> str:
        return FAMILIES.get(self.algorithm, str(self.algorithm))

    @property
    def bits(self) -> int:
        """Return the size of an RSA or DSA key, and 0 for elliptic curves."""
        return 0 if self.curve else int.from_bytes(self.numbers[0]).bit_length()

    @property
    def label(self) -> str:
        return f"{self.family} {self.bits}" if self.bits else self.family


def read_header(source: PacketReader) -> tuple[int, PacketReader, bool]:
    """Return the tag of the next packet, its contents, and whether they are in one piece. Raises PacketError."""
    first = source.read_number()
    if not first & 0x80:
        raise StructuralError("tag byte does not have MSB set")
    if not first & 0x40:
        tag = (first & 0x3F) >> 2
        length_type = first & 3
        size = len(source.data) - source.position if length_type == 3 else source.read_number(1 << length_type)
        return tag, source.read_part(size), True
    size, is_partial = read_length(source)
    body = source.read_part(size)
    if not is_partial:
        return first & 0x3F, body, True
    data = bytearray(body.data)
    while is_partial and not source.is_at_end:
        size, is_partial = read_length(source)
        body = source.read_part(size)
        data += body.data
    return first & 0x3F, PacketReader(bytes(data), is_truncated=body.is_truncated), False


def read_length(source: PacketReader, first_partial: int = 224) -> tuple[int, bool]:
    """Return a length and whether another part follows. Subpackets have no parts: pass 255 for them."""
    first = source.read_number()
    if first < 192:
        return first, False
    if first < first_partial:
        return (first - 192 << 8) + source.read_number() + 192, False
    if first < 255:
        return 1 << (first & 0x1F), True
    return source.read_number(4), False


def read_key(body: PacketReader, *, is_subkey: bool) -> PublicKey:
    """Return a public key. Raises PacketError."""
    version, created_at, algorithm = struct.unpack(">BLB", body.read(6))
    if version != 4:
        raise UnsupportedError(f"public key version {version}")
    if algorithm in INTEGER_COUNTS:
        curve = ""
        numbers = tuple(body.read_integer() for _ in range(INTEGER_COUNTS[algorithm]))
        if algorithm in (RSA, RSA_ENCRYPT, RSA_SIGN) and len(numbers[1]) > MAX_EXPONENT_BYTES:
            raise UnsupportedError("large public exponent")
    elif algorithm in (ECDSA, ECDH, EDDSA):
        curve, point = _read_point(body, algorithm)
        numbers = (point,)
    else:
        raise UnsupportedError(f"public key type: {algorithm}")
    hashed_data = b"\x99" + struct.pack(">H", body.position & 0xFFFF) + body.data[: body.position]
    # Fingerprints of version 4 are SHA-1 by definition (RFC 9580, section 5.5.4).
    fingerprint = hashlib.sha1(hashed_data, usedforsecurity=False).hexdigest().upper()
    return PublicKey(is_subkey, created_at, algorithm, hashed_data, fingerprint, numbers, curve)


def _read_point(body: PacketReader, algorithm: int) -> tuple[str, bytes]:
    """Return the curve of a key and the point on it."""
    curve, algorithms = CURVES.get(body.read_identifier().hex(), ("", ()))
    point = body.read_integer()
    derivation = body.read_identifier() if algorithm == ECDH else b""
    if algorithm not in algorithms:
        raise UnsupportedError("unknown oid")
    if algorithm == ECDH:
        _check_derivation(derivation)
    return curve, point


def _check_derivation(derivation: bytes) -> None:
    """Raise UnsupportedError for a key derivation of another length, version, digest, or cipher than the known ones."""
    if len(derivation) < 3:
        raise UnsupportedError(f"unsupported ECDH KDF length: {len(derivation)}")
    version, digest, cipher = derivation[:3]
    if version != DERIVATION_VERSION or digest not in DERIVATION_DIGESTS or cipher not in DERIVATION_CIPHERS:
        raise UnsupportedError("unsupported ECDH KDF")
