"""Verdicts on the signature over a list of checksums.

Each has two parts: Terraform's decision on the signature, and the portal's class, which also refuses weak digests and
keys. docs/decisions/0010-signatures.md compares the verifiers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import Annotated

from pysequoia import Cert, Sig, verify

from portal.core.content_files import Content, load_content, require_keys
from verification.outcomes import Outcome
from verification.releases.artifacts import keyrings
from verification.releases.artifacts.armor import ArmorError, decode
from verification.releases.artifacts.digest_verification import LimitError, SignatureResult
from verification.releases.artifacts.keyrings import Candidate, Certificate
from verification.releases.artifacts.packets import PacketError, PacketReader, PublicKey, read_header
from verification.releases.artifacts.remarks import Remark
from verification.releases.artifacts.signature_packets import SIGNATURE, Signature, read_packets
from verification.terraform.messages import (
    ACCEPT_DECISION,
    TerraformDecision,
    build_refusal,
    build_unknown_decision,
    render_message,
)

# Stricter than Terraform, which accepts SHA-1 and keys of any size: see docs/explanation/signatures.md.
WEAK_DIGESTS = frozenset({"sha1"})
MIN_BITS = 2048
CLOCK_TOLERANCE_SECONDS = 1800
MAX_KEY_BYTES = 1024 * 1024  # all keys of a release together
UNKNOWN_ISSUER = build_refusal("unknown_issuer")  # Terraform tries the next key then


class SignatureClass(StrEnum):
    """Result of verifying a signature. All but GOOD and EXPIRED_SINCE are faults."""

    GOOD = "good"
    EXPIRED_SINCE = "expired_key_signed_while_valid"
    EMPTY = "empty"
    ARMORED = "armored"
    NO_SIGNATURE = "no_signature"
    OTHER_PURPOSE = "other_purpose"
    MALFORMED = "malformed"
    UNSUPPORTED = "unsupported"
    NO_KEYS = "no_keys"
    UNREADABLE_KEY = "unreadable_key"
    UNSUPPORTED_KEY = "unsupported_key"
    WRONG_KEY = "wrong_key"
    NOT_FOR_SIGNING = "not_for_signing"
    TAMPERED = "tampered"
    DISPUTED = "disputed"
    REVOKED = "revoked"
    FUTURE = "future"
    EXPIRED_AT_SIGNING = "expired_at_signing"
    SIGNATURE_EXPIRED = "signature_expired"
    WEAK_DIGEST = "weak_digest"
    WEAK_KEY = "weak_key"
    ECC_KEY = "ecc_key"


class SentenceFile(Content):
    """Content of signature_classes.yaml."""

    sentences: Annotated[dict[SignatureClass, str], require_keys(SignatureClass)]


SENTENCES = load_content(Path(__file__).parents[1] / "data" / "signature_classes.yaml", SentenceFile).sentences

GOOD_OUTCOMES = {SignatureClass.GOOD: Outcome.PASS, SignatureClass.EXPIRED_SINCE: Outcome.WARN}
FAULTS = {
    SignatureResult.INVALID: SignatureClass.TAMPERED,
    SignatureResult.UNSUPPORTED: SignatureClass.UNSUPPORTED,
    SignatureResult.MALFORMED: SignatureClass.MALFORMED,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Class of a signature, its key, and Terraform's decision on it. `key_index` is its place in the list."""

    kind: SignatureClass
    terraform: TerraformDecision
    certificate: Certificate | None = None
    signer: PublicKey | None = None
    signature: Signature | None = None
    expires_at: datetime | None = None
    key_index: int = -1

    @property
    def outcome(self) -> Outcome:
        return GOOD_OUTCOMES.get(self.kind, Outcome.FAIL)

    @property
    def summary(self) -> str:
        return SENTENCES[self.kind]

    @property
    def remarks(self) -> tuple[Remark, ...]:
        if self.kind == SignatureClass.GOOD:
            return ()
        return (Remark(self.kind, self.outcome, self.summary),)


def verify_signature(document: bytes, signature: bytes, keys: Sequence[bytes], *, now: float) -> Verdict:
    """Verify a detached signature over a document against armored keys, in their order, as Terraform does.

    Time and memory are limited. Keys above the limits are SignatureClass.UNSUPPORTED_KEY.

    Args:
        now: Seconds since 1970, which determines what has expired.
    """
    if sum(map(len, keys)) > MAX_KEY_BYTES:
        decision = build_unknown_decision(f"the keys exceed {MAX_KEY_BYTES} bytes.")
        return Verdict(SignatureClass.UNSUPPORTED_KEY, decision)
    limit = keyrings.VerificationLimit()
    for key_index, armored_key in enumerate(keys):
        try:
            certificates = keyrings.read_armored(armored_key, limit)
            verdict = check(document, signature, certificates, now=now, key_index=key_index)
        # Terraform goes on with the next key only after an unknown issuer. Any other error ends its search.
        except (ArmorError, PacketError) as error:
            return Verdict(SignatureClass.UNREADABLE_KEY, build_refusal("key", why=str(error)), key_index=key_index)
        except LimitError as error:
            return Verdict(SignatureClass.UNSUPPORTED_KEY, build_unknown_decision(f"{error}."), key_index=key_index)
        if verdict.terraform != UNKNOWN_ISSUER:
            return verdict
    return verdict if keys else Verdict(SignatureClass.NO_KEYS, UNKNOWN_ISSUER)


def check(
    document: bytes, data: bytes, certificates: Sequence[Certificate], *, now: float, key_index: int = 0
) -> Verdict:
    """Verify a binary signature against one block of keys."""
    named_packet = None
    for packet in read_packets(data):
        if isinstance(packet, PacketError):
            return _refuse(_classify_unreadable(data), str(packet))
        if not isinstance(packet, Signature):
            return _refuse(SignatureClass.NO_SIGNATURE, render_message("no_signature_packet"))
        if not packet.issuer:
            return _refuse(SignatureClass.MALFORMED, render_message("no_issuer"))
        named_packet = named_packet or packet
        if candidates := keyrings.find(certificates, packet):
            return _verify_with_candidate(document, data, candidates[0], packet, now, key_index)
    if named_packet is None:
        is_signature = bool(data) and read_header(PacketReader(data))[0] == SIGNATURE
        other_kind = SignatureClass.UNSUPPORTED if is_signature else SignatureClass.NO_SIGNATURE
        return Verdict(other_kind if data else SignatureClass.EMPTY, UNKNOWN_ISSUER)
    is_known = any(named_packet.issuer == key.key_id for certificate in certificates for key in certificate.keys)
    kind = SignatureClass.NOT_FOR_SIGNING if is_known else SignatureClass.WRONG_KEY
    return Verdict(kind, UNKNOWN_ISSUER, signature=named_packet)


def _classify_unreadable(data: bytes) -> SignatureClass:
    if data[0] & 0x80:
        return SignatureClass.MALFORMED
    return SignatureClass.ARMORED if decode(data) else SignatureClass.NO_SIGNATURE


def _refuse(kind: SignatureClass, why: str) -> Verdict:
    return Verdict(kind, build_refusal("signature", why=why))


def _verify_with_candidate(
    document: bytes, data: bytes, candidate: Candidate, signature: Signature, now: float, key_index: int
) -> Verdict:
    """Verify a signature that names a listed key."""
    end = candidate.ends_at
    expires_at = None if end == inf else datetime.fromtimestamp(end, UTC)
    terraform, kind = _apply_terraform_rules(document, candidate, signature, now)
    if kind == SignatureClass.TAMPERED and _is_accepted_by_sequoia(document, data, candidate.certificate):
        kind = SignatureClass.DISPUTED
    kind = kind or _find_fault(candidate, signature, now)
    return Verdict(kind, terraform, candidate.certificate, candidate.key, signature, expires_at, key_index)


def _apply_terraform_rules(
    document: bytes, candidate: Candidate, signature: Signature, now: float
) -> tuple[TerraformDecision, SignatureClass | None]:
    """Return Terraform's verdict, and the class if its reason for a refusal allows only one."""
    if signature.kind not in (keyrings.BINARY, keyrings.TEXT):
        return _build_signature_refusal("signature_type", number=signature.kind), SignatureClass.OTHER_PURPOSE
    if candidate.key.algorithm != signature.algorithm:
        return _build_signature_refusal("other_algorithm"), SignatureClass.MALFORMED
    result = keyrings.verify_document(candidate, signature, document)
    if result != SignatureResult.VALID:
        return _build_signature_refusal("bad_signature", algorithm=candidate.key.family), FAULTS[result]
    covering = candidate.claims
    if None in covering:
        return build_refusal("crash_nil"), SignatureClass.UNREADABLE_KEY
    signatures = [signature, *(claim for claim in covering if claim is not None)]
    notation = next((name for each in signatures for name in each.critical_notations), None)
    if notation is not None:
        return _build_signature_refusal("notation", name=notation), SignatureClass.UNSUPPORTED
    if candidate.is_revoked(now):
        return _build_signature_refusal("revoked"), SignatureClass.REVOKED
    # Terraform accepts an expired key and doesn't check its signatures further.
    if not candidate.is_expired(now) and any(each.is_expired(now) for each in signatures):
        has_ended = any(each.has_ended(now) for each in signatures)
        fault = SignatureClass.SIGNATURE_EXPIRED if has_ended else SignatureClass.FUTURE
        return _build_signature_refusal("signature_expired"), fault
    return ACCEPT_DECISION, None


def _build_signature_refusal(key: str, **values: object) -> TerraformDecision:
    return build_refusal("signature", why=render_message(key, **values))


def _find_fault(candidate: Candidate, signature: Signature, now: float) -> SignatureClass:
    """Return the first reason why the program refuses a valid signature, or GOOD."""
    key = candidate.key
    primary = candidate.certificate.primary
    signed_at = signature.created_at or 0
    has_ended = any(each is not None and each.has_ended(now) for each in (signature, *candidate.claims))
    primary_claim = candidate.claims[0]
    is_weakly_bound = primary_claim is not None and primary_claim.digest in WEAK_DIGESTS
    is_small = any(not each.curve and each.bits < MIN_BITS for each in (key, primary))
    # The only warning comes last, so that it hides no fault.
    faults = (
        (SignatureClass.FUTURE, max(signed_at, key.created_at, primary.created_at) > now + CLOCK_TOLERANCE_SECONDS),
        # Terraform accepts signatures that were made after the key expired.
        (SignatureClass.EXPIRED_AT_SIGNING, signed_at >= candidate.ends_at),
        (SignatureClass.SIGNATURE_EXPIRED, has_ended),
        (SignatureClass.WEAK_DIGEST, signature.digest in WEAK_DIGESTS),
        (SignatureClass.WEAK_KEY, is_weakly_bound or is_small),
        # The registry accepts RSA and DSA keys only (Publishing Providers). Terraform itself accepts elliptic curves.
        (SignatureClass.ECC_KEY, bool(key.curve or primary.curve)),
        (SignatureClass.EXPIRED_SINCE, candidate.is_expired(now)),
    )
    return next((fault for fault, applies in faults if applies), SignatureClass.GOOD)


def _is_accepted_by_sequoia(document: bytes, data: bytes, certificate: Certificate) -> bool:
    """Return whether Sequoia verifies the same bytes. A signature is tampered only if both verifiers reject it."""
    try:
        keys = Cert.split_bytes(certificate.data)
        return bool(verify(bytes=document, store=lambda _: keys, signature=Sig.from_bytes(data)).valid_sigs)
    except (RuntimeError, TypeError):
        return False
