"""Who signed a list of checksums, and is that worth anything? One named class for each way to be wrong.

Two questions, two answers: what the program makes of it, and what Terraform would say. Terraform looks at the mere
arithmetic and at little else; pysequoia refuses by policy and does not say why. So the reasons are read from the
packets first, and where policy and arithmetic have to be told apart, gpg is asked. Without gpg that stays open.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import product
from math import inf

from pysequoia import Cert, Sig, verify

from verification.artefacts import gpg
from verification.artefacts.base import Remark, fail, warn
from verification.artefacts.openpgp import (
    NO_BASE64,
    NO_END,
    NO_SIGNATURE,
    Key,
    PublicKey,
    Signature,
    Unreadable,
    dearmoured,
    is_armoured,
    read_keys,
    read_signatures,
)
from verification.base import Outcome
from verification.terraform import ACCEPTS, Judgement, refuses, says, unknown

Ask = Callable[[bytes, bytes, bytes], gpg.Status]
UNSUPPORTED = frozenset({"MD5", "RipeMD"})  # Terraform passes such signatures over
MOST_KEYS = 20


class Class(StrEnum):
    """What a signature is. All but GOOD and EXPIRED_SINCE are faults."""

    GOOD = "good"
    EXPIRED_SINCE = "expired_key_signed_while_valid"
    EMPTY = "empty"
    ARMOURED = "armoured"
    NO_SIGNATURE = "no_signature"
    NO_KEYS = "no_keys"
    UNREADABLE_KEY = "unreadable_key"
    WRONG_KEY = "wrong_key"
    TAMPERED = "tampered"
    REVOKED = "revoked"
    EXPIRED_AT_SIGNING = "expired_at_signing"
    SIGNATURE_EXPIRED = "signature_expired"
    WEAK_DIGEST = "weak_digest"
    WEAK_KEY = "weak_key"
    ECC_KEY = "ecc_key"
    DISPUTED = "disputed"


SENTENCES = {
    Class.GOOD: "Signed by a registered key.",
    Class.EXPIRED_SINCE: "The key has expired since it signed this release; extend it or register its successor.",
    Class.EMPTY: "The signature is empty.",
    Class.ARMOURED: "The signature is armoured text; the registry and Terraform read a binary one.",
    Class.NO_SIGNATURE: "The file is no OpenPGP signature.",
    Class.NO_KEYS: "The registry names no key for this provider.",
    Class.UNREADABLE_KEY: "A key that the registry names cannot be read.",
    Class.WRONG_KEY: "Signed by a key that is not registered for this provider.",
    Class.TAMPERED: "The signature does not fit the list of checksums: one of them was changed after signing.",
    Class.REVOKED: "The key that signed is revoked.",
    Class.EXPIRED_AT_SIGNING: "The key had expired when it signed.",
    Class.SIGNATURE_EXPIRED: "The signature itself has an expiry date that has passed.",
    Class.WEAK_DIGEST: "The signature uses a digest that is broken; sign with SHA-256 or better.",
    Class.WEAK_KEY: "The key is too weak; use RSA with 4096 bits.",
    Class.ECC_KEY: "The key is of elliptic curves; Terraform takes it, the registry takes RSA and DSA only.",
    Class.DISPUTED: "Two programs that read this signature disagree about it.",
}
NO_GPG = "Not settled: it needs gpg, which is not installed here."


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a signature is, by which key, and what Terraform would say of it. `at`: the key's place in the list."""

    kind: Class
    terraform: Judgement
    key: Key | None = None
    signer: PublicKey | None = None
    signature: Signature | None = None
    at: int = -1

    @property
    def outcome(self) -> Outcome:
        return {Class.GOOD: Outcome.PASS, Class.EXPIRED_SINCE: Outcome.WARN}.get(self.kind, Outcome.FAIL)

    @property
    def summary(self) -> str:
        return SENTENCES[self.kind]

    @property
    def remarks(self) -> tuple[Remark, ...]:
        if self.kind == Class.GOOD:
            return ()
        return ((warn if self.outcome == Outcome.WARN else fail)(self.kind, self.summary),)


def judge(document: bytes, signature: bytes, keys: Sequence[bytes], *, now: float, ask: Ask = gpg.ask) -> Verdict:
    """What the signature over the document is, if one of these armoured keys made it.

    `now` in seconds since 1970. `ask` settles the arithmetic where policy hides it; tests may pass one that cannot.
    """
    broken = _not_a_signature(signature)
    if broken is not None:
        return broken
    packets = read_signatures(signature)
    for at, armoured in enumerate(keys[:MOST_KEYS]):
        certificates = _keys(armoured)
        if isinstance(certificates, Judgement):
            return Verdict(Class.UNREADABLE_KEY, certificates, at=at)
        for packet, key in product(packets, certificates):
            signer = key.find(packet)
            if signer is not None:
                return replace(_signed(document, signature, Claim(key, signer, packet, now), ask), at=at)
    kind = Class.WRONG_KEY if keys else Class.NO_KEYS
    return Verdict(kind, refuses("unknown_issuer"), signature=packets[0])


def _not_a_signature(data: bytes) -> Verdict | None:
    """The verdict about bytes that are no binary signature."""
    if not data:
        return Verdict(Class.EMPTY, refuses("unknown_issuer"))
    if data[0] < 0x80:
        kind = Class.ARMOURED if is_armoured(data) else Class.NO_SIGNATURE
        return Verdict(kind, refuses("signature", why=says("tag_byte")))
    try:
        if read_signatures(data):
            return None
    except Unreadable as error:
        if "runcated" in str(error) or "EOF" in str(error):
            return Verdict(Class.NO_SIGNATURE, refuses("signature", why=says("unexpected_end")))
        if str(error) == NO_SIGNATURE:
            return Verdict(Class.NO_SIGNATURE, refuses("signature", why=says("no_signature_packet")))
        return Verdict(Class.NO_SIGNATURE, unknown("Not settled: the file is no signature that we can read."))
    return Verdict(Class.NO_SIGNATURE, refuses("unknown_issuer"))


def _keys(armoured: bytes) -> tuple[Key, ...] | Judgement:
    """The certificates of a block, or what Terraform says to one that cannot be read."""
    if not is_armoured(armoured):
        return refuses("key", why=says("no_armour"))
    try:
        return read_keys(armoured)
    except Unreadable:
        return _unread(armoured)


def _unread(armoured: bytes) -> Judgement:
    """Terraform's words about an armour that is broken; about what is inside it, it has too many to tell."""
    try:
        dearmoured(armoured)
    except Unreadable as error:
        words = {NO_END: "unexpected_end", NO_BASE64: "base64"}.get(str(error))
        if words:
            return refuses("key", why=says(words))
    return unknown("Not settled: one of the keys cannot be read.")


@dataclass(frozen=True, slots=True)
class Claim:
    """This key says to have signed, and this is the moment at which that is judged."""

    key: Key
    signer: PublicKey
    signature: Signature
    now: float

    @property
    def revoked(self) -> bool:
        return self.key.primary.revoked or self.signer.revoked

    @property
    def ends(self) -> float:
        """When the first of the keys involved expires, in seconds since 1970."""
        return min(_seconds(self.key.primary.expires_at), _seconds(self.signer.expires_at))

    @property
    def key_expired(self) -> bool:
        return self.ends <= self.now

    @property
    def signature_expired(self) -> bool:
        return _seconds(self.signature.expires_at) <= self.now

    @property
    def fault(self) -> Class | None:
        """Why policy refuses it; the first line that applies."""
        made = self.signature.created_at
        faults = (
            (Class.REVOKED, self.revoked),
            (Class.EXPIRED_AT_SIGNING, made is not None and made.timestamp() >= self.ends),
            (Class.SIGNATURE_EXPIRED, self.signature_expired),
            (Class.WEAK_DIGEST, self.signature.weak_digest),
            (Class.WEAK_KEY, self.signer.is_weak or self.key.primary.is_weak or self.key.weakly_bound),
            (Class.ECC_KEY, self.signer.is_curve or self.key.primary.is_curve),
        )
        return next((fault for fault, applies in faults if applies), None)


def _seconds(moment: datetime | None) -> float:
    return inf if moment is None else moment.timestamp()


def _signed(document: bytes, data: bytes, claim: Claim, ask: Ask) -> Verdict:
    """The verdict about a signature that names one of the keys."""
    fault = claim.fault
    sound = _verifies(document, data, claim.key)
    signed = True if sound else _arithmetic(ask(document, data, claim.key.binary), claim.key)
    if signed is None and fault in (None, Class.ECC_KEY):
        signed = False  # no policy stands in the way, so it was the arithmetic
    if signed is False:
        kind = Class.TAMPERED
    elif sound:
        kind = fault or (Class.EXPIRED_SINCE if claim.key_expired else Class.GOOD)
    else:
        kind = fault if fault not in (None, Class.ECC_KEY) else Class.DISPUTED
    return Verdict(kind, _terraform(claim, signed), claim.key, claim.signer, claim.signature)


def _verifies(document: bytes, data: bytes, key: Key) -> bool:
    """Whether arithmetic and policy both hold."""
    try:
        cert = Cert.from_bytes(key.binary)
        found = verify(bytes=document, store=lambda _: [cert], signature=Sig.from_bytes(data))
    except RuntimeError:
        return False
    return bool(found.valid_sigs)


def _arithmetic(status: gpg.Status, key: Key) -> bool | None:
    ours = {key.primary.fingerprint, *(subkey.fingerprint for subkey in key.subkeys)}
    return False if status.signed and status.fingerprint not in ours else status.signed


def _terraform(claim: Claim, signed: bool | None) -> Judgement:
    """Arithmetic first, then revocation, then expiry: that of the key is forgiven, and hides that of the signature."""
    if claim.signature.digest in UNSUPPORTED:
        return refuses("unknown_issuer")
    if signed is None:
        return unknown(NO_GPG)
    if not signed:
        return refuses("signature", why=says("bad_signature", algorithm=claim.signer.family))
    if claim.revoked:
        return refuses("signature", why=says("revoked"))
    if claim.signature_expired and not claim.key_expired:
        return refuses("signature", why=says("signature_expired"))
    return ACCEPTS
