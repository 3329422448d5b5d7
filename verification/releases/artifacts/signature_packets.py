"""Signature packets as Terraform's library reads them, and the sequence of packets that it makes of a file."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from verification.releases.artifacts.packets import (
    DSA,
    ECDSA,
    EDDSA,
    RSA,
    RSA_SIGN,
    PacketError,
    PacketReader,
    PublicKey,
    StructuralError,
    UnsupportedError,
    read_header,
    read_key,
    read_length,
)

SIGNATURE = 2
SUBKEY = 14
# Tags of packets that don't belong to a key or a signature. Of some, the library reads only this many bytes.
OTHER_TAGS = frozenset({5, 7, 8, 9, 11, 17, 18, 20})
SKIPPED_BYTES = {1: 10, 3: 1, 4: 13}
INTEGER_COUNTS = {RSA: 1, RSA_SIGN: 1, DSA: 2, ECDSA: 2, EDDSA: 2}
DIGESTS = {2: "sha1", 8: "sha256", 9: "sha384", 10: "sha512", 11: "sha224", 12: "sha3_256", 14: "sha3_512"}
COMPROMISED = 2
MAX_EMBEDDED_DEPTH = 8  # more nested signatures would exhaust the stack


@dataclass(slots=True)
class Signature:
    """Signature over a document and `hashed_data`. Times and lifetimes are in seconds; 0 means none."""

    kind: int
    algorithm: int
    digest: str
    hashed_data: bytes
    numbers: tuple[bytes, ...] = ()
    created_at: int | None = None
    lifetime: int = 0
    key_lifetime: int = 0
    issuer: str = ""  # a key ID
    issuer_fingerprint: str = ""
    flags: int | None = None
    is_primary: int = 0
    reason: int = 0
    embedded_signature: "Signature | None" = None
    critical_notations: list[str] = field(default_factory=list)

    def has_ended(self, now: float) -> bool:
        return self.lifetime > 0 and now > (self.created_at or 0) + self.lifetime

    def is_expired(self, now: float) -> bool:
        """Return whether the signature has ended or was made in the future."""
        return (self.created_at or 0) > now or self.has_ended(now)

    def is_by(self, key: PublicKey) -> bool:
        if self.issuer_fingerprint:
            return self.issuer_fingerprint == key.fingerprint
        return self.issuer == key.key_id


@dataclass(frozen=True, slots=True)
class UserId:
    """Name that a key claims."""

    name: bytes


class OtherPacket:
    """Packet of another kind without relevance."""


Packet = PublicKey | Signature | UserId | OtherPacket


def read_packets(data: bytes) -> Iterator[Packet | PacketError]:
    """Yield the packets that the library knows, and the error at which it stops."""
    source = PacketReader(data)
    while not source.is_at_end:
        try:
            tag, body, is_whole = read_header(source)
        except PacketError as error:
            yield error
            continue
        try:
            packet = _read_packet(tag, body)
        except PacketError as error:
            if not isinstance(error, UnsupportedError):
                yield error
        else:
            if packet is not None:
                yield packet
                if is_whole:
                    # The library reads what a packet leaves unread as the next packet.
                    source.position -= len(body.data) - body.position


def _read_packet(tag: int, body: PacketReader) -> Packet | None:
    """Return a packet, or None for an unknown kind."""
    match tag:
        case 2:
            return read_signature(body)
        case 6 | 14:
            return read_key(body, is_subkey=tag == SUBKEY)
        case 13:
            return UserId(body.read_rest())
        case _ if tag in SKIPPED_BYTES:
            body.read(SKIPPED_BYTES[tag])
        case _ if tag in OTHER_TAGS:
            body.read_rest()
            return OtherPacket()
    return None


def read_signature(body: PacketReader, depth: int = 0) -> Signature:
    """Return a signature. `depth` counts the signatures around it. Raises PacketError."""
    if (version := body.read_number()) != 4:
        raise UnsupportedError(f"signature packet version {version}")
    kind, algorithm, digest, size = struct.unpack(">BBBH", body.read(5))
    if algorithm not in INTEGER_COUNTS:
        raise UnsupportedError(f"public key algorithm {algorithm}")
    if digest not in DIGESTS:
        raise UnsupportedError(f"hash function {digest}")
    area = body.read(size)
    hashed_data = body.data[: body.position] + struct.pack(">BBL", 4, 0xFF, body.position)
    signature = Signature(kind, algorithm, DIGESTS[digest], hashed_data)
    _read_subpackets(signature, area, depth, is_hashed=True)
    _read_subpackets(signature, body.read(body.read_number(2)), depth, is_hashed=False)
    body.read(2)  # the first bytes of the digest, which the library does not compare
    signature.numbers = tuple(body.read_integer() for _ in range(INTEGER_COUNTS[algorithm]))
    return signature


def _split_subpackets(area: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield type and content of each subpacket. Raises StructuralError."""
    source = PacketReader(area)
    while not source.is_at_end:
        try:
            content = source.read(read_length(source, 255)[0])
        except PacketError:
            raise StructuralError("signature subpacket truncated") from None
        if not content:
            raise StructuralError("zero length signature subpacket")
        yield content[0], content[1:]


def _read_subpackets(signature: Signature, area: bytes, depth: int, *, is_hashed: bool) -> None:
    for kind, content in list(_split_subpackets(area)):
        number = kind & 0x7F
        is_critical = bool(kind & 0x80)
        if not is_hashed and number not in UNHASHED_SUBPACKETS:
            continue
        if is_critical and number not in KNOWN_SUBPACKETS:
            raise UnsupportedError(f"unknown critical signature subpacket type {number}")
        if number in SIZES and len(content) not in SIZES[number]:
            raise StructuralError(f"subpacket of type {number} with bad length")
        if number == 32 and depth < MAX_EMBEDDED_DEPTH:
            signature.embedded_signature = read_signature(PacketReader(content), depth + 1)
        _apply(signature, number, content, is_critical)
    if signature.created_at is None:
        raise StructuralError("no creation time in signature")


def _apply(signature: Signature, number: int, content: bytes, is_critical: bool) -> None:
    match number:
        case 16:
            signature.issuer = content.hex().upper()
        case 20 if is_critical:
            name = content[8 : 8 + int.from_bytes(content[4:6])]
            signature.critical_notations.append(name.decode("utf-8", "replace"))
        case 27:
            signature.flags = (signature.flags or 0) | int.from_bytes(content[:1])
        case 33:
            signature.issuer_fingerprint = content[1:].hex().upper()
            signature.issuer = (content[1:9] if content[0] == 5 else content[13:21]).hex().upper()
        case _ if number in NUMBERS:
            setattr(signature, NUMBERS[number], int.from_bytes(content))


# The types of subpackets are those of RFC 9580, section 5.2.3.
NUMBERS = {2: "created_at", 3: "lifetime", 9: "key_lifetime", 25: "is_primary", 29: "reason"}
SIZES = {2: (4,), 3: (4,), 9: (4,), 16: (8,), 25: (1,), 33: (21, 33)}
UNHASHED_SUBPACKETS = frozenset({16, 32, 33})  # read in the area that the signature does not cover too
KNOWN_SUBPACKETS = frozenset({2, 3, 5, 6, 9, 11, 16, 20, 21, 22, 25, 26, 27, 28, 29, 30, 32, 33, 39})
