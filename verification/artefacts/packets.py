"""OpenPGP packets as Terraform's library reads them: framing, public keys and user IDs.

Reading decides nothing: verification.artefacts.keyrings verifies. The library is ProtonMail/go-crypto 1.0.0. Where it
departs from RFC 9580 so does this: integers may have leading zeros, bytes that a packet does not use are read as the
next packet, and a packet of an unknown kind, version or algorithm is skipped.
"""

import hashlib
import struct
from dataclasses import dataclass

from verification.terraform import says

RSA, RSA_ENCRYPT, RSA_SIGN, ELGAMAL, DSA, ECDH, ECDSA, EDDSA = 1, 2, 3, 16, 17, 18, 19, 22
FAMILIES = {RSA: "RSA", RSA_SIGN: "RSA", DSA: "DSA", ECDSA: "ECDSA", EDDSA: "EdDSA"}  # those that sign
INTEGER_COUNTS = {RSA: 2, RSA_ENCRYPT: 2, RSA_SIGN: 2, DSA: 4, ELGAMAL: 3}
MAX_EXPONENT_BYTES = 3
CURVES = {
    "2a8648ce3d030107": "SECP256R1",
    "2b81040022": "SECP384R1",
    "2b81040023": "SECP521R1",
    "2b8104000a": "SECP256K1",
    "2b2403030208010107": "BrainpoolP256R1",
    "2b240303020801010b": "BrainpoolP384R1",
    "2b240303020801010d": "BrainpoolP512R1",
    "2b060104019755010501": "X25519",
    "2b656f": "X448",
    "2b06010401da470f01": "Ed25519",
    "2b6571": "Ed448",
}
POINT_SIZES = {"Ed25519": 33, "Ed448": 58}
NOT_ECDSA = frozenset({"", "X25519", "X448", "Ed25519", "Ed448"})
# packets that have no place beside a key or a signature: how much is read of them, and the versions that are known
FOREIGN = {
    1: (10, ()),
    3: (1, ()),
    4: (13, ()),
    8: (1, (0, 1, 2, 3)),
    9: (0, ()),
    11: (2, ()),
    18: (1, (1,)),
    20: (4, ()),
}
FATAL = frozenset({8, 9, 11, 18, 20})  # an unknown version of these ends the reading


class PacketError(ValueError):
    """The bytes are no packet. The text is Terraform's, or near it."""


class StructuralError(PacketError):
    """A packet is malformed; a key with such a packet is passed over."""

    def __init__(self, why: str) -> None:
        super().__init__(f"openpgp: invalid data: {why}")


class UnsupportedError(PacketError):
    """A packet is of a version or an algorithm that the library does not know; the packet is passed over."""

    def __init__(self, why: str) -> None:
        super().__init__(f"openpgp: unsupported feature: {why}")


class TruncatedError(PacketError):
    """The bytes end within a packet."""

    def __init__(self) -> None:
        super().__init__(says("unexpected_end"))


class Source:
    """Bytes that are read from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def is_at_end(self) -> bool:
        return self.at >= len(self.data)

    def take(self, count: int, limit: int | None = None) -> bytes:
        """Return so many bytes, none of them past the limit. Raises TruncatedError."""
        end = self.at + count
        stop = len(self.data) if limit is None else min(limit, len(self.data))
        if end > stop:
            self.at = max(self.at, stop)
            raise TruncatedError
        self.at = end
        return self.data[end - count : end]


@dataclass(frozen=True, slots=True)
class Body:
    """The contents of one packet: a source up to a limit, or to its end."""

    source: Source
    limit: int | None

    def take(self, count: int) -> bytes:
        return self.source.take(count, self.limit)

    def rest(self) -> bytes:
        return self.take((len(self.source.data) if self.limit is None else self.limit) - self.source.at)

    def skip(self) -> None:
        stop = len(self.source.data) if self.limit is None else min(self.limit, len(self.source.data))
        self.source.at = max(self.source.at, stop)

    def integer(self) -> bytes:
        """Return the bytes of an integer, whose length in bits stands in front of it."""
        return self.take((int.from_bytes(self.take(2)) + 7) // 8)

    def identifier(self) -> bytes:
        """Return bytes whose length stands in front of them."""
        size = self.take(1)[0]
        if size in (0, 0xFF):
            raise UnsupportedError("reserved for future extensions")
        return self.take(size)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A primary key or a subkey. `hashed` is what signatures about it cover; `numbers` make up the key."""

    is_subkey: bool
    created_at: int  # seconds since 1970
    algorithm: int
    hashed: bytes
    numbers: tuple[bytes, ...]
    curve: str = ""

    @property
    def fingerprint(self) -> str:
        return hashlib.sha1(self.hashed, usedforsecurity=False).hexdigest().upper()

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


def read_header(source: Source) -> tuple[int, Body]:
    """Return the tag of the next packet and its contents. Raises PacketError."""
    first = source.take(1)[0]
    if not first & 0x80:
        raise StructuralError("tag byte does not have MSB set")
    if not first & 0x40:
        tag, length_type = (first & 0x3F) >> 2, first & 3
        size = 0 if length_type == 3 else int.from_bytes(source.take(1 << length_type))
        return tag, Body(source, None if length_type == 3 else source.at + size)
    size, is_partial = read_length(source)
    return first & 0x3F, _join(source, size) if is_partial else Body(source, source.at + size)


def read_length(source: Source) -> tuple[int, bool]:
    """Return a length and whether another part follows."""
    first = source.take(1)[0]
    if first < 192:
        return first, False
    if first < 224:
        return (first - 192 << 8) + source.take(1)[0] + 192, False
    if first < 255:
        return 1 << (first & 0x1F), True
    return int.from_bytes(source.take(4)), False


def _join(source: Source, size: int) -> Body:
    """Return the contents of a packet of partial lengths; reading past the end of truncated ones fails."""
    parts, is_partial, missing = [], True, 0
    try:
        while is_partial:
            parts.append(source.take(size))
            size, is_partial = read_length(source)
        parts.append(source.take(size))
    except TruncatedError:
        missing = 1
    joined = b"".join(parts)
    return Body(Source(joined), len(joined) + missing)


def read_foreign(tag: int, body: Body) -> None:
    """Read as much as the library does of a packet that is neither key nor signature; the rest is the next packet."""
    if tag in (5, 7):
        read_key(body, is_subkey=tag == 7)
        body.take(1)
        raise UnsupportedError("private key")
    size, versions = FOREIGN[tag]
    head = body.take(size)
    if tag == 11:
        body.take(head[1] + 4)
    elif size and head[0] not in versions:
        raise UnsupportedError(f"packet {tag}")


def read_key(body: Body, *, is_subkey: bool) -> PublicKey:
    """Return a public key. Raises PacketError."""
    start = body.source.at
    version, created_at, algorithm = struct.unpack(">BLB", body.take(6))
    if version != 4:
        raise UnsupportedError(f"public key version {version}")
    if algorithm in INTEGER_COUNTS:
        curve, numbers = "", tuple(body.integer() for _ in range(INTEGER_COUNTS[algorithm]))
        if algorithm in (RSA, RSA_ENCRYPT, RSA_SIGN) and len(numbers[1]) > MAX_EXPONENT_BYTES:
            raise UnsupportedError("large public exponent")
    elif algorithm in (ECDSA, ECDH, EDDSA):
        curve, point = _read_point(body, algorithm)
        numbers = (point,)
    else:
        raise UnsupportedError(f"public key type: {algorithm}")
    material = body.source.data[start : body.source.at]
    hashed = b"\x99" + struct.pack(">H", len(material) & 0xFFFF) + material
    return PublicKey(is_subkey, created_at, algorithm, hashed, numbers, curve)


def _read_point(body: Body, algorithm: int) -> tuple[str, bytes]:
    """Return the curve of a key and the point on it."""
    curve = CURVES.get(body.identifier().hex(), "")
    is_known = bool(curve) if algorithm == ECDH else (curve in POINT_SIZES) == (algorithm == EDDSA)
    if algorithm == EDDSA and not is_known:
        raise UnsupportedError("unknown oid")
    point = body.integer()
    if algorithm == ECDH:
        body.identifier()
    if not is_known or (algorithm == ECDSA and curve in NOT_ECDSA):
        raise UnsupportedError("unknown oid")
    if algorithm == EDDSA and point[:1] != b"\x40":
        raise UnsupportedError("unsupported EdDSA compression")
    if algorithm == EDDSA and len(point) != POINT_SIZES[curve]:
        raise PacketError("eddsa: failed to parse EC point")
    return curve, point
