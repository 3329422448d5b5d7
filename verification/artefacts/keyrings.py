"""Key rings as Terraform reads them: which keys a block holds, and whether one of them made a signature.

The order of the questions and their answers are those of ProtonMail/go-crypto 1.0.0, which Terraform 1.11 uses, and
tests/conform compares the verdicts with Terraform's. Only the arithmetic of verification.artefacts.arithmetic decides
whether a signature holds.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from verification.artefacts import arithmetic, armor
from verification.artefacts.packets import PacketError, PublicKey, Source, StructuralError, UnsupportedError
from verification.artefacts.signature_packets import COMPROMISED, Packet, Signature, UserId, next_packet
from verification.terraform import says

BINARY, TEXT = 0x00, 0x01
CERTIFICATIONS = (0x10, 0x11, 0x12, 0x13)
BINDING, SUBKEY_REVOCATION, CERTIFICATION_REVOCATION = 0x18, 0x28, 0x30
MAY_SIGN = 0x02
KINDS = ("PGP PUBLIC KEY BLOCK", "PGP PRIVATE KEY BLOCK")


@dataclass(slots=True)
class Identity:
    """A user ID with the newest signature by which the key claims it."""

    name: bytes
    claim: Signature | None = None
    revocations: list[Signature] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Subkey:
    """A subkey with the newest signature that binds it."""

    key: PublicKey
    binding: Signature
    revocations: tuple[Signature, ...]


@dataclass(slots=True)
class Certificate:
    """A primary key with its identities and subkeys."""

    primary: PublicKey
    identities: dict[bytes, Identity] = field(default_factory=dict)
    subkeys: list[Subkey] = field(default_factory=list)
    revocations: list[Signature] = field(default_factory=list)
    data: bytes = b""  # the block that the certificate comes from

    @property
    def keys(self) -> tuple[PublicKey, ...]:
        return self.primary, *(subkey.key for subkey in self.subkeys)

    @property
    def key_ids(self) -> tuple[str, ...]:
        return tuple(key.key_id for key in self.keys)

    @property
    def user_ids(self) -> tuple[str, ...]:
        return tuple(name.decode("utf-8", "replace") for name in self.identities)

    @property
    def expires_at(self) -> datetime | None:
        """Return the end of the primary key, None where it never ends."""
        claim = self.primary_identity.claim
        end = self.primary.created_at + claim.key_lifetime if claim and claim.key_lifetime else None
        return None if end is None else datetime.fromtimestamp(end, UTC)

    @property
    def primary_identity(self) -> Identity:
        """Return the identity that speaks for the key: not revoked, marked as primary, newest."""
        return max(self.identities.values(), key=_preference)


def _preference(identity: Identity) -> tuple[int, bool, int]:
    claim = identity.claim
    return -len(identity.revocations), bool(claim and claim.is_primary), (claim.created_at or 0) if claim else 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A key that a signature names. `claim` is the signature that says what the key is for."""

    certificate: Certificate
    key: PublicKey
    claim: Signature | None
    revocations: Sequence[Signature]

    @property
    def is_subkey(self) -> bool:
        return self.key is not self.certificate.primary

    @property
    def may_sign(self) -> bool:
        return self.claim is None or self.claim.flags is None or bool(self.claim.flags & MAY_SIGN)

    def is_revoked(self, now: float) -> bool:
        lists = (self.revocations, self.certificate.revocations, self.certificate.primary_identity.revocations)
        return any(one.reason == COMPROMISED or not one.is_expired(now) for revocations in lists for one in revocations)

    @property
    def claims(self) -> tuple[Signature | None, ...]:
        """Return the signatures that make the key what it is; None stands for one that is missing."""
        primary = self.certificate.primary_identity.claim
        return (primary, self.claim, self.claim.embedded) if self.is_subkey and self.claim else (primary,)

    @property
    def ends_at(self) -> float:
        """Return the moment at which the key, or the primary key above it, expires."""
        pairs = [(self.certificate.primary, self.certificate.primary_identity.claim), (self.key, self.claim)]
        ends = [key.created_at + claim.key_lifetime for key, claim in pairs if claim and claim.key_lifetime]
        return min(ends, default=float("inf"))

    def is_expired(self, now: float) -> bool:
        """Return whether the key has expired or was made in the future."""
        return self.ends_at < now or max(self.key.created_at, self.certificate.primary.created_at) > now


class _Packets:
    """Packets with one that can be put back."""

    def __init__(self, data: bytes) -> None:
        self.source = Source(data)
        self.unread: Packet | None = None

    @property
    def is_at_end(self) -> bool:
        return self.unread is None and self.source.is_at_end

    def next(self) -> Packet | None:
        if self.unread is not None:
            packet, self.unread = self.unread, None
            return packet
        return next_packet(self.source)

    def signatures(self) -> Iterator[Signature]:
        """Yield the signatures up to the next packet of another kind."""
        while isinstance(packet := self.next(), Signature):
            yield packet
        self.unread = packet


def read_armored(text: bytes) -> list[Certificate]:
    """Return the certificates of an armored block. Raises PacketError or ArmorError, with Terraform's words."""
    block = armor.decode(text)
    if block is None:
        raise armor.ArmorError(says("no_armour"))
    if block.kind not in KINDS:
        raise armor.ArmorError(says("armor_kind", kind=block.kind))
    return read(block.read())


def read(data: bytes) -> list[Certificate]:
    """Return the certificates, without those that are malformed. Raises PacketError where none is left."""
    packets, found = _Packets(data), []
    last: PacketError | None = None
    while not packets.is_at_end:
        try:
            certificate = _read_certificate(packets)
            certificate.data = data
            found.append(certificate)
        except (StructuralError, UnsupportedError) as error:
            last = error
            _skip_to_key(packets)
        except EOFError:
            break
    if last is not None and not found:
        raise last
    return found


def _skip_to_key(packets: _Packets) -> None:
    while (packet := packets.next()) is not None:
        if isinstance(packet, PublicKey) and not packet.is_subkey:
            packets.unread = packet
            return


def _read_certificate(packets: _Packets) -> Certificate:
    packet = packets.next()
    if packet is None:
        raise EOFError
    if not isinstance(packet, PublicKey):
        packets.unread = packet
        raise StructuralError("first packet was not a public/private key")
    if not packet.can_sign:
        raise StructuralError("primary key cannot be used for signatures")
    certificate = Certificate(packet)
    _read_parts(certificate, packets)
    if not certificate.identities:
        raise StructuralError("entity without any identities")
    if not all(_holds(packet, revocation, packet.hashed) for revocation in certificate.revocations):
        raise StructuralError("revocation signature signed by alternate key")
    return certificate


def _read_parts(certificate: Certificate, packets: _Packets) -> None:
    """Read up to the next primary key."""
    while (packet := packets.next()) is not None:
        match packet:
            case UserId():
                _add_identity(certificate, packets, packet.name)
            case Signature(kind=0x20):
                certificate.revocations.append(packet)
            case PublicKey(is_subkey=True):
                certificate.subkeys.append(_read_subkey(certificate.primary, packets, packet))
            case PublicKey():
                packets.unread = packet
                return


def _add_identity(certificate: Certificate, packets: _Packets, name: bytes) -> None:
    """Read the signatures about a user ID, which counts only with a good one by the key itself."""
    identity, covered = Identity(name), certificate.primary.hashed + b"\xb4" + len(name).to_bytes(4) + name
    for signature in packets.signatures():
        if signature.kind not in (*CERTIFICATIONS, CERTIFICATION_REVOCATION):
            raise StructuralError("user ID signature with wrong type")
        if not signature.is_by(certificate.primary):
            continue
        if not _holds(certificate.primary, signature, covered):
            raise StructuralError("user ID self-signature invalid")
        if signature.kind == CERTIFICATION_REVOCATION:
            identity.revocations.append(signature)
        elif identity.claim is None or (signature.created_at or 0) > (identity.claim.created_at or 0):
            identity.claim = signature
        certificate.identities[name] = identity


def _read_subkey(primary: PublicKey, packets: _Packets, key: PublicKey) -> Subkey:
    binding, revocations, covered = None, [], primary.hashed + key.hashed
    try:
        for signature in packets.signatures():
            if signature.kind not in (BINDING, SUBKEY_REVOCATION):
                raise StructuralError("subkey signature with wrong type")
            if not _holds(primary, signature, covered) or not _is_cross_signed(key, signature, covered):
                raise StructuralError("subkey signature invalid")
            if signature.kind == SUBKEY_REVOCATION:
                revocations.append(signature)
            elif binding is None or (signature.created_at or 0) > (binding.created_at or 0):
                binding = signature
    except PacketError as error:
        raise (
            error if isinstance(error, StructuralError) else StructuralError(f"subkey signature invalid: {error}")
        ) from error
    if binding is None:
        raise StructuralError("subkey packet not followed by signature")
    return Subkey(key, binding, tuple(revocations))


def _is_cross_signed(key: PublicKey, binding: Signature, covered: bytes) -> bool:
    """Return whether a subkey that may sign has agreed to belong to its primary key."""
    if not (binding.flags or 0) & MAY_SIGN:
        return True
    return binding.embedded is not None and _holds(key, binding.embedded, covered)


def _holds(key: PublicKey, signature: Signature, covered: bytes) -> bool:
    digest = hashlib.new(signature.digest, covered + signature.hashed, usedforsecurity=False).digest()
    return signature.version == 4 and arithmetic.verify(key, signature, digest)


def find(certificates: Sequence[Certificate], signature: Signature) -> list[Candidate]:
    """Return the keys that the signature names and that may sign."""
    found = []
    for certificate in certificates:
        claim = certificate.primary_identity.claim
        if certificate.primary.key_id == signature.issuer:
            found.append(Candidate(certificate, certificate.primary, claim, certificate.revocations))
        found += [
            Candidate(certificate, subkey.key, subkey.binding, subkey.revocations)
            for subkey in certificate.subkeys
            if subkey.key.key_id == signature.issuer
        ]
    return [candidate for candidate in found if candidate.may_sign]


def holds(candidate: Candidate, signature: Signature, document: bytes) -> bool:
    """Return whether this key made the signature over the document."""
    if signature.kind == TEXT:
        document = document.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    return _holds(candidate.key, signature, document)
