"""Signature packets as Terraform's library reads them, and the sequence of packets that it makes of a file."""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from verification.artefacts.packets import (
    DSA,
    ECDSA,
    EDDSA,
    FATAL,
    FOREIGN,
    RSA,
    RSA_SIGN,
    Body,
    PacketError,
    PublicKey,
    Source,
    StructuralError,
    TruncatedError,
    UnsupportedError,
    read_foreign,
    read_header,
    read_key,
    read_length,
)

SIGNATURE, PUBLIC_KEY, USER_ID, SUBKEY, USER_ATTRIBUTE = 2, 6, 13, 14, 17
INTEGER_COUNTS = {RSA: 1, RSA_SIGN: 1, DSA: 2, ECDSA: 2, EDDSA: 2}
DIGESTS = {2: "sha1", 8: "sha256", 9: "sha384", 10: "sha512", 11: "sha224", 12: "sha3_256", 14: "sha3_512"}
CROSS_SIGNATURE = 0x19
COMPROMISED = 2
MAX_EMBEDDED_SIZE = 4096


@dataclass(slots=True)
class Signature:
    """A signature. `hashed` is what it covers of itself; moments and lifetimes are in seconds, 0 means none."""

    version: int
    kind: int
    algorithm: int
    digest: str
    hashed: bytes
    numbers: tuple[bytes, ...] = ()
    created_at: int | None = None
    lifetime: int = 0
    key_lifetime: int = 0
    issuer: str = ""  # a key ID
    issuer_fingerprint: str = ""
    flags: int | None = None
    is_primary: bool = False
    reason: int = 0
    embedded: "Signature | None" = None
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
    """The name that a key claims."""

    name: bytes


class Foreign:
    """A packet of another kind, which says nothing here."""


Packet = PublicKey | Signature | UserId | Foreign


def next_packet(source: Source) -> Packet | None:
    """Return the next packet that the library knows, None at the end. Raises PacketError."""
    while not source.is_at_end:
        tag, body = read_header(source)
        try:
            packet = _read_packet(tag, body)
        except PacketError as error:
            body.skip()
            if not isinstance(error, UnsupportedError) or tag in FATAL:
                raise
        else:
            if packet is not None:
                return packet
            body.skip()
    return None


def _read_packet(tag: int, body: Body) -> Packet | None:
    """Return a packet, None for one of an unknown kind."""
    match tag:
        case 2:
            return read_signature(body)
        case 6 | 14:
            return read_key(body, is_subkey=tag == SUBKEY)
        case 13:
            return UserId(body.rest())
        case 17:
            _split(body.rest())
            return Foreign()
    if tag not in (*FOREIGN, 5, 7):
        return None
    read_foreign(tag, body)
    return Foreign()


def read_signature(body: Body) -> Signature:
    """Return a signature. Raises PacketError."""
    start = body.source.at
    version = body.take(1)[0]
    if version not in (4, 5):
        raise UnsupportedError(f"signature packet version {version}")
    kind, algorithm, digest, size = struct.unpack(">BBBH", body.take(5))
    if algorithm not in INTEGER_COUNTS:
        raise UnsupportedError(f"public key algorithm {algorithm}")
    if digest not in DIGESTS:
        raise UnsupportedError(f"hash function {digest}")
    area = body.take(size)
    covered = body.source.data[start : body.source.at]
    trailer = struct.pack(">BBL", 4, 0xFF, len(covered))
    signature = Signature(version, kind, algorithm, DIGESTS[digest], covered + trailer)
    _read_subpackets(signature, area, is_hashed=True)
    _read_subpackets(signature, body.take(int.from_bytes(body.take(2))), is_hashed=False)
    body.take(2)  # the first bytes of the digest, which the library does not compare
    signature.numbers = tuple(body.integer() for _ in range(INTEGER_COUNTS[algorithm]))
    return signature


def _split(area: bytes) -> list[tuple[int, bytes]]:
    """Return type and content of each subpacket. Raises StructuralError."""
    subpackets, source = [], Source(area)
    try:
        while not source.is_at_end:
            content = source.take(_read_size(source))
            if not content:
                raise StructuralError("zero length signature subpacket")
            subpackets.append((content[0], content[1:]))
    except TruncatedError:
        raise StructuralError("signature subpacket truncated") from None
    return subpackets


def _read_size(source: Source) -> int:
    """Return the length of a subpacket, which has no partial form."""
    first = source.data[source.at]
    if 224 <= first < 255:
        return (source.take(1)[0] - 192 << 8) + source.take(1)[0] + 192
    return read_length(source)[0]


def _read_subpackets(signature: Signature, area: bytes, *, is_hashed: bool) -> None:
    for kind, content in _split(area):
        number, is_critical = kind & 0x7F, bool(kind & 0x80)
        rule = RULES.get(number)
        if rule is None and number not in IGNORED and is_critical:
            raise UnsupportedError(f"unknown critical signature subpacket type {number}")
        if rule is None or (not is_hashed and rule.is_hashed_only):
            continue
        if not rule.fits(content) or (number == 2 and not is_hashed) or (number == 16 and signature.version > 4):
            raise StructuralError(f"subpacket of type {number} with bad length or place")
        rule.apply(signature, content, is_critical)
    if signature.created_at is None:
        raise StructuralError("no creation time in signature")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a subpacket must look like and what it sets."""

    fits: Callable[[bytes], bool]
    apply: Callable[[Signature, bytes, bool], None]
    is_hashed_only: bool = True


def _set_number(name: str) -> Rule:
    """Return the rule of a subpacket that holds four bytes of seconds."""
    return Rule(lambda content: len(content) == 4, lambda s, content, _: setattr(s, name, int.from_bytes(content)))


def _set_issuer(signature: Signature, content: bytes, _: bool) -> None:
    signature.issuer = content.hex().upper()


def _set_fingerprint(signature: Signature, content: bytes, _: bool) -> None:
    signature.issuer_fingerprint = content[1:].hex().upper()
    signature.issuer = content[1:9].hex().upper() if content[0] == 5 else content[13:21].hex().upper()


def _set_primary(signature: Signature, content: bytes, _: bool) -> None:
    signature.is_primary = content != b"\0"


def _add_flags(signature: Signature, content: bytes, _: bool) -> None:
    signature.flags = (signature.flags or 0) | content[0]


def _set_reason(signature: Signature, content: bytes, _: bool) -> None:
    signature.reason = content[0]


def _set_embedded(signature: Signature, content: bytes, _: bool) -> None:
    if signature.embedded is not None:
        raise StructuralError("Cannot have multiple embedded signatures")
    if len(content) > MAX_EMBEDDED_SIZE:  # one within the other within the other would exhaust the stack
        raise StructuralError("embedded signature is too large")
    signature.embedded = read_signature(Body(Source(content), len(content)))
    if signature.embedded.kind != CROSS_SIGNATURE:
        raise StructuralError(f"cross-signature has unexpected type {signature.embedded.kind}")


def _add_notation(signature: Signature, content: bytes, is_critical: bool) -> None:
    if is_critical:
        name = content[8 : 8 + int.from_bytes(content[4:6])]
        signature.critical_notations.append(name.decode("utf-8", "replace"))


def _is_notation(content: bytes) -> bool:
    sizes = int.from_bytes(content[4:6]) + int.from_bytes(content[6:8])
    return len(content) >= 8 and len(content) == sizes + 8


def _ignore(signature: Signature, content: bytes, is_critical: bool) -> None:
    """Nothing but the form of the subpacket matters."""


IGNORED = frozenset({11, 21, 22, 26, 28, 30})  # known to the library, of no consequence here
RULES = {
    2: Rule(lambda content: len(content) == 4, _set_number("created_at").apply, is_hashed_only=False),
    3: _set_number("lifetime"),
    5: Rule(lambda content: len(content) == 2, _ignore, is_hashed_only=False),
    6: Rule(lambda content: content.endswith(b"\0"), _ignore, is_hashed_only=False),
    9: _set_number("key_lifetime"),
    16: Rule(lambda content: len(content) == 8, _set_issuer, is_hashed_only=False),
    20: Rule(_is_notation, _add_notation),
    25: Rule(lambda content: len(content) == 1, _set_primary),
    27: Rule(bool, _add_flags),
    29: Rule(bool, _set_reason),
    32: Rule(lambda _: True, _set_embedded, is_hashed_only=False),
    33: Rule(
        lambda content: len(content) == (33 if content[:1] == b"\x05" else 21), _set_fingerprint, is_hashed_only=False
    ),
    39: Rule(lambda content: len(content) % 2 == 0, _ignore),
}
