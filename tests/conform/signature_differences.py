"""Explanations of the differences between gpg and Terraform, each shown by what gpg itself reports."""

import hashlib
import re
import time
from collections.abc import Callable, Sequence

from tests.conform.signature_cases import Case
from tests.conform.signature_references import GpgVerdict
from verification.releases.artifacts import armor
from verification.releases.artifacts.packets import PacketReader, read_header
from verification.releases.artifacts.signatures import SignatureClass, Verdict

RIPEMD160 = "3"
SHORT_DIGESTS = ("2", "11")  # SHA-1 and SHA-224: shorter than every curve
ECDSA = "19"
# Reasons of ERRSIG
GENERAL_ERROR = "1"
MISSING_KEY = "9"
ARMORED = "Terraform reads binary signatures only; gpg removes the armor"
REVOKED = "gpg reports a revoked key and exits 0; Terraform refuses it"
FUTURE = "gpg reports a date in the future and continues; Terraform refuses it"
UNREADABLE_KEY = "gpg repairs armor and imports the intact parts of a key; Terraform refuses the whole block"
PASSED_OVER_KEY = "gpg finds the signer in a part of the key block that Terraform skips"
OTHER_ISSUER = "gpg finds the signer without the key ID that Terraform uses"
NOT_FOR_SIGNING = "gpg accepts a signature of a key without key flags; Terraform does not"
DIGEST = "gpg supports RIPEMD-160; Terraform does not"
SEVERAL_PACKETS = "gpg verifies every packet of the file; Terraform stops at the first signature by a listed key"
NO_SIGNATURE = "gpg refuses a file with other packets or bytes around the signature"
NO_LENGTH = "gpg refuses a signature packet without a known length; Terraform reads it to the end of the file"
SHORT_DIGEST = "gpg requires a digest as long as the curve"
SHORT_CLAIM = "gpg does not import the key: its self-signature has a digest shorter than its curve"
ED448 = "gpg does not import the key: it does not support Ed448"
NO_KEY = "gpg reads no key from the armor; Terraform does"
CRITICAL = "gpg refuses an unknown critical subpacket that the signature does not cover; Terraform ignores it"
DAMAGED_SUBKEY = "gpg imports the key without its subkey: a part that Terraform does not verify is damaged"
DAMAGED_KEY = "gpg does not import the key: a part that Terraform does not verify is damaged"


def explain(case: Case, verdict: Verdict, gpg: GpgVerdict) -> str:
    """Return the class of a difference, empty for one that gpg's own report does not explain."""
    if verdict.terraform.accepts:
        return _explain_refusal(case, verdict, gpg)
    if gpg.signer is None or gpg.signer.primary not in gpg.imported_fingerprints:
        return ""
    reason, is_shown = ACCEPTED_BY_GPG.get(verdict.kind, ("", _is_never_explained))
    if is_shown(case, verdict, gpg):
        return reason
    signature = verdict.signature if verdict.kind == SignatureClass.WRONG_KEY else None
    return OTHER_ISSUER if signature and signature.issuer != gpg.signer.fingerprint[-16:] else ""


def _is_never_explained(*_: object) -> bool:
    return False


def _has_named_signer(case: Case, verdict: Verdict, gpg: GpgVerdict) -> bool:
    """Return whether the key that gpg found is the one whose ID Terraform looked for."""
    issuer = verdict.signature.issuer if verdict.signature else ""
    return gpg.signer is not None and gpg.signer.fingerprint.endswith(issuer)


# Terraform refuses; the class of the portal, the reason, and what shows that it is the reason
ACCEPTED_BY_GPG: dict[SignatureClass, tuple[str, Callable[[Case, Verdict, GpgVerdict], bool]]] = {
    SignatureClass.ARMORED: (ARMORED, lambda case, verdict, gpg: armor.decode(case.signature) is not None),
    SignatureClass.REVOKED: (REVOKED, lambda case, verdict, gpg: "REVKEYSIG" in gpg.words),
    SignatureClass.FUTURE: (
        FUTURE,
        lambda case, verdict, gpg: gpg.signer is not None and gpg.signer.made_at > time.time(),
    ),
    SignatureClass.UNREADABLE_KEY: (
        UNREADABLE_KEY,
        lambda case, verdict, gpg: True,
    ),  # the key is among the imported ones
    SignatureClass.WRONG_KEY: (PASSED_OVER_KEY, _has_named_signer),
    SignatureClass.NOT_FOR_SIGNING: (NOT_FOR_SIGNING, _has_named_signer),
    SignatureClass.UNSUPPORTED: (
        DIGEST,
        lambda case, verdict, gpg: gpg.signer is not None and gpg.signer.digest == RIPEMD160,
    ),
}


def _explain_refusal(case: Case, verdict: Verdict, gpg: GpgVerdict) -> str:
    """Explain why gpg refuses what Terraform accepts."""
    if "unknown critical bit" in gpg.text:
        return CRITICAL
    has_more = _has_more(case.signature)
    if gpg.signer is not None:
        return SEVERAL_PACKETS if has_more and "BADSIG" not in gpg.words else ""
    issuer = verdict.signature.issuer if verdict.signature else ""
    error = next((line for line in gpg.lines if line[0] == "ERRSIG" and line[1] == issuer), None)
    if error is not None:
        return _explain_error(verdict, gpg, error)
    is_no_signature = "NODATA" in gpg.words or "not a detached signature" in gpg.text
    if is_no_signature and _has_no_length(case.signature):
        return NO_LENGTH
    return NO_SIGNATURE if has_more and is_no_signature else ""


def _explain_error(verdict: Verdict, gpg: GpgVerdict, error: Sequence[str]) -> str:
    """Explain a line ERRSIG: key ID, algorithm, digest, class, time and reason."""
    _, _, algorithm, digest, _, _, reason, *_ = error
    if reason == GENERAL_ERROR:
        return SHORT_DIGEST if algorithm == ECDSA and digest in SHORT_DIGESTS else ""
    certificate = verdict.certificate
    if reason != MISSING_KEY or certificate is None:
        return ""
    if certificate.primary.fingerprint in gpg.imported_fingerprints:
        return DAMAGED_SUBKEY if error[1] != certificate.primary.key_id else ""
    if not gpg.count_read():
        return NO_KEY
    if not gpg.count_without_user_id():
        return ""
    claim = certificate.primary_identity.claim
    curve = certificate.primary.curve
    size = re.search(r"P(\d{3})R1$", curve.upper())
    if curve == "Ed448":
        return ED448
    if size and claim and hashlib.new(claim.digest).digest_size * 8 < int(size[1]) // 8 * 8:
        return SHORT_CLAIM
    return DAMAGED_KEY


def _has_no_length(signature: bytes) -> bool:
    """Return whether the first packet has the length type 3, or the length of its first part (RFC 9580, 4.2)."""
    return signature[0] & 0xC3 == 0x83 or (signature[0] & 0xC0 == 0xC0 and 224 <= signature[1] < 255)


def _has_more(signature: bytes) -> bool:
    """Return whether anything stands around the first signature."""
    source = PacketReader(signature)
    read_header(source)
    return not source.is_at_end
