"""Did HashiCorp vouch for a publisher's key? The trust signature in the registry's answer, as Terraform reads it.

It is an armoured detached signature by the key for partners over the bytes of the publisher's public key.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from verification.artefacts import armor, keyrings, signatures
from verification.base import Outcome
from verification.terraform import ACCEPTS, Judgement, refuses, says

PARTNERS = "51890657C5ACDB4B823086567D72D4268E4660FC"  # since 2020-03-16, without end
OFFICIAL = frozenset(
    {
        "C874011F0AB405110D02105534365D9472D7468F",  # since 2021-04-19; the published copy ended 2026-04-18
    }
)


class Level(StrEnum):
    """Who signed, in Terraform's words."""

    OFFICIAL = "signed by HashiCorp"
    PARTNER = "signed by a HashiCorp partner"
    SELF = "self-signed"
    BROKEN = "trust signature that does not hold"


@dataclass(frozen=True, slots=True)
class Trust:
    """The level, and what Terraform makes of it: a trust signature that does not hold is refused, not passed over."""

    level: Level
    terraform: Judgement


@cache
def partners() -> bytes:
    """The public key with which HashiCorp signs keys of partners."""
    return Path(__file__).with_name("partners.asc").read_bytes()


def judge(
    fingerprint: str,
    armoured_key: bytes,
    trust_signature: str,
    vouching: Callable[[], bytes] = partners,
    *,
    now: float,
) -> Trust:
    """Whose a key is. `fingerprint` is that of its primary key; `vouching` gives the key that vouches for partners."""
    if fingerprint in OFFICIAL:
        return Trust(Level.OFFICIAL, ACCEPTS)
    if not trust_signature:
        return Trust(Level.SELF, ACCEPTS)
    key, signature = armor.decode(armoured_key), armor.decode(trust_signature.encode())
    if key is None or signature is None:
        return Trust(Level.BROKEN, refuses("trust_armour"))
    certificates = keyrings.read_armored(vouching())
    verdict = signatures.check(key.body, signature.body, certificates, now=now)
    if verdict.outcome != Outcome.FAIL:
        return Trust(Level.PARTNER, ACCEPTS)
    if verdict.terraform == signatures.UNKNOWN_ISSUER and signature.error:
        return Trust(Level.BROKEN, refuses("trust", why=signature.error))
    return Trust(Level.BROKEN, _refused(verdict))


def _refused(verdict: signatures.Verdict) -> Judgement:
    """Terraform's words are those about a release's signature, but for their beginning and for an unknown key."""
    said = verdict.terraform
    if said.accepts is not False:
        return said
    if said.message == says("unknown_issuer"):
        return refuses("trust", why=says("issuer"))
    return refuses("trust", why=said.message.removeprefix(says("signature", why="")))
