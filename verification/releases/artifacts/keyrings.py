"""Key rings as Terraform reads them: which keys a block holds, and whether one of them made a signature.

The order of the questions and their answers are those of ProtonMail/go-crypto 1.0.0, which Terraform 1.11 uses, and
tests/conform compares the verdicts with Terraform's. Only verification.releases.artifacts.digest_verification
decides whether a signature is valid.
"""

import hashlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from verification.releases.artifacts import armor, digest_verification
from verification.releases.artifacts.digest_verification import LimitError, SignatureResult
from verification.releases.artifacts.packets import PacketError, PublicKey, StructuralError, UnsupportedError
from verification.releases.artifacts.signature_packets import COMPROMISED, Packet, Signature, UserId, read_packets
from verification.terraform.messages import render_message

BINARY = 0x00
TEXT = 0x01
CERTIFICATIONS = (0x10, 0x11, 0x12, 0x13)
BINDING = 0x18
SUBKEY_REVOCATION = 0x28
CERTIFICATION_REVOCATION = 0x30
MAY_SIGN = 0x02
MAX_VERIFICATIONS = 500  # per release; a key in use has a few dozen self-signatures
KINDS = ("PGP PUBLIC KEY BLOCK", "PGP PRIVATE KEY BLOCK")
Packets = deque[Packet | PacketError]


@dataclass(slots=True)
class VerificationLimit:
    """Limit of verified self-signatures for all keys of a release. `remaining` counts down."""

    remaining: int = MAX_VERIFICATIONS

    def verify(self, key: PublicKey, signature: Signature, signed_data: bytes) -> bool:
        """Return whether the signature is valid. Raises LimitError if the limit is used up."""
        if not self.remaining:
            raise LimitError(f"the keys have more than {MAX_VERIFICATIONS} signatures by themselves")
        self.remaining -= 1
        return verify(key, signature, signed_data) == SignatureResult.VALID


@dataclass(slots=True)
class Identity:
    """A user ID with the newest signature by which the key claims it."""

    name: bytes
    claim: Signature | None = None
    revocations: list[Signature] = field(default_factory=list)


@dataclass(slots=True)
class Certificate:
    """A primary key with its identities and subkeys."""

    primary: PublicKey
    data: bytes  # the block that the certificate comes from
    identities: dict[bytes, Identity] = field(default_factory=dict)
    subkeys: list["Candidate"] = field(default_factory=list)
    revocations: list[Signature] = field(default_factory=list)

    @property
    def keys(self) -> tuple[PublicKey, ...]:
        return self.primary, *(subkey.key for subkey in self.subkeys)

    @property
    def user_ids(self) -> tuple[str, ...]:
        return tuple(name.decode("utf-8", "replace") for name in self.identities)

    @property
    def expires_at(self) -> datetime | None:
        """Return when the primary key expires, or None if it never does."""
        claim = self.primary_identity.claim
        end = self.primary.created_at + claim.key_lifetime if claim and claim.key_lifetime else None
        return None if end is None else datetime.fromtimestamp(end, UTC)

    @property
    def main(self) -> "Candidate":
        """Return the primary key as a candidate, with the claim of its primary identity and its revocations."""
        return Candidate(self, self.primary, self.primary_identity.claim, self.revocations)

    @property
    def primary_identity(self) -> Identity:
        """Return the primary identity: the newest one that is marked as primary and not revoked."""
        return max(self.identities.values(), key=_get_preference)


def _get_preference(identity: Identity) -> tuple[int, bool, int]:
    claim = identity.claim
    # The library's order: the fewest revocations, then the primary mark, then the newest claim.
    return -len(identity.revocations), bool(claim and claim.is_primary), (claim.created_at or 0) if claim else 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """Key that can have signed. `claim` is the newest signature that states the purpose of the key."""

    certificate: Certificate
    key: PublicKey
    claim: Signature | None
    revocations: Sequence[Signature]

    @property
    def is_subkey(self) -> bool:
        return self.key is not self.certificate.primary

    @property
    def can_sign(self) -> bool:
        # Other programs let a key without flags sign, but the library doesn't find such a key by its ID.
        return self.claim is not None and bool((self.claim.flags or 0) & MAY_SIGN)

    def is_revoked(self, now: float) -> bool:
        # A compromised key is revoked for all time, even before the revocation's date and after its expiration.
        lists = (self.revocations, self.certificate.revocations, self.certificate.primary_identity.revocations)
        return any(
            each.reason == COMPROMISED or not each.is_expired(now) for revocations in lists for each in revocations
        )

    @property
    def claims(self) -> tuple[Signature | None, ...]:
        """Return the signatures that bind the key, with None for a missing one."""
        primary = self.certificate.primary_identity.claim
        return (primary, self.claim, self.claim.embedded_signature) if self.is_subkey and self.claim else (primary,)

    @property
    def ends_at(self) -> float:
        """Return the moment at which the key, or the primary key above it, expires."""
        pairs = ((self.certificate.primary, self.certificate.primary_identity.claim), (self.key, self.claim))
        ends = [key.created_at + claim.key_lifetime for key, claim in pairs if claim and claim.key_lifetime]
        return min(ends, default=float("inf"))

    def is_expired(self, now: float) -> bool:
        """Return whether the key has expired or was made in the future."""
        return self.ends_at < now or max(self.key.created_at, self.certificate.primary.created_at) > now


def read_armored(text: bytes, limit: VerificationLimit | None = None) -> list[Certificate]:
    """Return the certificates of an armored block.

    Raises:
        PacketError, ArmorError: Terraform can't read the block either. The message is Terraform's.
        LimitError: The portal doesn't verify such keys, or so many signatures.
    """
    block = armor.decode(text)
    if block is None:
        raise armor.ArmorError(render_message("no_armor"))
    if block.kind not in KINDS:
        raise armor.ArmorError(render_message("armor_kind", kind=block.kind))
    return read(block.read(), limit or VerificationLimit())


def read(data: bytes, limit: VerificationLimit) -> list[Certificate]:
    """Return the certificates, without those that are malformed. Raises PacketError if none remains."""
    packets = deque(read_packets(data))
    certificates = []
    # Terraform skips a key with an invalid user ID or subkey and goes on with the next one of the block.
    last: PacketError | None = None
    while packets:
        try:
            certificates.append(_read_certificate(packets, data, limit))
        except (StructuralError, UnsupportedError) as error:
            last = error
            _skip_to_key(packets)
    if last is not None and not certificates:
        raise last
    return certificates


def _take_packet(packets: Packets) -> Packet:
    packet = packets.popleft()
    if isinstance(packet, PacketError):
        raise packet
    return packet


def _take_signatures(packets: Packets) -> Iterator[Signature]:
    """Yield the signatures up to the next packet of another kind."""
    while packets and isinstance(packets[0], Signature | PacketError):
        packet = _take_packet(packets)
        assert isinstance(packet, Signature)
        yield packet


def _skip_to_key(packets: Packets) -> None:
    while packets:
        packet = _take_packet(packets)
        if isinstance(packet, PublicKey) and not packet.is_subkey:
            packets.appendleft(packet)
            return


def _read_certificate(packets: Packets, data: bytes, limit: VerificationLimit) -> Certificate:
    primary = _take_packet(packets)
    if not isinstance(primary, PublicKey) or not primary.can_sign:
        raise StructuralError("first packet was not a public/private key")
    certificate = Certificate(primary, data)
    _read_parts(certificate, packets, limit)
    if not certificate.identities:
        raise StructuralError("entity without any identities")
    if not all(limit.verify(primary, revocation, primary.hashed_data) for revocation in certificate.revocations):
        raise StructuralError("revocation signature signed by alternate key")
    return certificate


def _read_parts(certificate: Certificate, packets: Packets, limit: VerificationLimit) -> None:
    """Read up to the next primary key."""
    while packets:
        packet = _take_packet(packets)
        match packet:
            case UserId():
                _add_identity(certificate, packets, packet.name, limit)
            case Signature(kind=0x20):
                certificate.revocations.append(packet)
            case PublicKey(is_subkey=True):
                certificate.subkeys.append(_read_subkey(certificate, packets, packet, limit))
            case PublicKey():
                packets.appendleft(packet)
                return


def _add_identity(certificate: Certificate, packets: Packets, name: bytes, limit: VerificationLimit) -> None:
    """Read the signatures of a user ID, which counts only with a valid one by the key itself."""
    identity = Identity(name)
    signed_data = certificate.primary.hashed_data + b"\xb4" + len(name).to_bytes(4) + name
    for signature in _take_signatures(packets):
        if signature.kind not in (*CERTIFICATIONS, CERTIFICATION_REVOCATION):
            raise StructuralError("user ID signature with wrong type")
        # Anyone can certify a user ID, so only the key's own signatures count.
        if not signature.is_by(certificate.primary):
            continue
        if not limit.verify(certificate.primary, signature, signed_data):
            raise StructuralError("user ID self-signature invalid")
        if signature.kind == CERTIFICATION_REVOCATION:
            identity.revocations.append(signature)
        elif identity.claim is None or (signature.created_at or 0) > (identity.claim.created_at or 0):
            identity.claim = signature
        certificate.identities[name] = identity


def _read_subkey(certificate: Certificate, packets: Packets, key: PublicKey, limit: VerificationLimit) -> Candidate:
    primary = certificate.primary
    binding = None
    revocations = []
    signed_data = primary.hashed_data + key.hashed_data
    for signature in _take_signatures(packets):
        if signature.kind not in (BINDING, SUBKEY_REVOCATION):
            raise StructuralError("subkey signature with wrong type")
        is_bound = limit.verify(primary, signature, signed_data)
        if not is_bound or not _is_cross_signed(key, signature, signed_data, limit):
            raise StructuralError("subkey signature invalid")
        if signature.kind == SUBKEY_REVOCATION:
            revocations.append(signature)
        elif binding is None or (signature.created_at or 0) > (binding.created_at or 0):
            binding = signature
    if binding is None:
        raise StructuralError("subkey packet not followed by signature")
    return Candidate(certificate, key, binding, revocations)


def _is_cross_signed(key: PublicKey, binding: Signature, signed_data: bytes, limit: VerificationLimit) -> bool:
    """Return whether a signing subkey has signed its binding to the primary key."""
    # Without the subkey's signature, anyone could bind another signing key to their own (RFC 9580, section 5.2.1).
    if not (binding.flags or 0) & MAY_SIGN:
        return True
    return binding.embedded_signature is not None and limit.verify(key, binding.embedded_signature, signed_data)


def verify(key: PublicKey, signature: Signature, signed_data: bytes) -> SignatureResult:
    """Verify a signature over the bytes that it covers in addition to itself. Raises LimitError."""
    # SHA-1 included: Terraform accepts it, and only the portal's own class refuses it later.
    digest = hashlib.new(signature.digest, signed_data + signature.hashed_data, usedforsecurity=False).digest()
    return digest_verification.verify_digest(key, signature, digest)


def find(certificates: Sequence[Certificate], signature: Signature) -> list[Candidate]:
    """Return the keys that the signature names and that can sign."""
    return [
        candidate
        for certificate in certificates
        for candidate in (certificate.main, *certificate.subkeys)
        if candidate.key.key_id == signature.issuer and candidate.can_sign
    ]


def verify_document(candidate: Candidate, signature: Signature, document: bytes) -> SignatureResult:
    """Verify a signature over a document. Raises LimitError."""
    if signature.kind == TEXT:
        # Signatures of text are over lines that end in CRLF (RFC 9580, section 5.2.1).
        document = document.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    return verify(candidate.key, signature, document)
