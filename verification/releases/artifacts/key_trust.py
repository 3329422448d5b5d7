"""Trust signatures: HashiCorp's signature over a publisher's key, as Terraform reads it.

A trust signature is an armored detached signature by the key for partners over the bytes of the publisher's public key.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from verification.outcomes import Outcome
from verification.releases.artifacts import armor, keyrings, signatures
from verification.terraform.messages import ACCEPT_DECISION, TerraformDecision, build_refusal, render_message

PARTNER_KEY_FINGERPRINT = "51890657C5ACDB4B823086567D72D4268E4660FC"  # since 2020-03-16, without expiration
OFFICIAL_KEY_FINGERPRINT = (
    "C874011F0AB405110D02105534365D9472D7468F"  # since 2021-04-19; its copy expired on 2026-04-18
)


class Level(StrEnum):
    """Who signed, in Terraform's words."""

    OFFICIAL = "signed by HashiCorp"
    PARTNER = "signed by a HashiCorp partner"
    SELF = "self-signed"
    BROKEN = "invalid trust signature"


@dataclass(frozen=True, slots=True)
class Trust:
    """Trust level, and how Terraform treats it: it refuses an invalid trust signature instead of ignoring it."""

    level: Level
    terraform: TerraformDecision


@cache
def load_partner_key() -> bytes:
    """Return the public key with which HashiCorp signs keys of partners."""
    return Path(__file__).with_name("partners.asc").read_bytes()


def evaluate_trust(
    fingerprint: str,
    armored_key: bytes,
    trust_signature: str,
    load_key: Callable[[], bytes] = load_partner_key,
    *,
    now: float,
) -> Trust:
    """Return the level of trust in a key.

    Args:
        fingerprint: The fingerprint of its primary key.
        load_key: Returns the public key with which HashiCorp signs keys of partners.
    """
    # Terraform verifies the signature again with its own copies of these keys, which leads to the same result.
    if fingerprint == OFFICIAL_KEY_FINGERPRINT:
        return Trust(Level.OFFICIAL, ACCEPT_DECISION)
    if not trust_signature:
        return Trust(Level.SELF, ACCEPT_DECISION)
    key = armor.decode(armored_key)
    signature = armor.decode(trust_signature.encode())
    if key is None or signature is None:
        return Trust(Level.BROKEN, build_refusal("trust_armor"))
    certificates = keyrings.read_armored(load_key())
    verdict = signatures.check(key.body, signature.body, certificates, now=now)
    if verdict.outcome != Outcome.FAIL:
        return Trust(Level.PARTNER, ACCEPT_DECISION)
    if verdict.terraform == signatures.UNKNOWN_ISSUER and signature.error:
        return Trust(Level.BROKEN, build_refusal("trust", why=signature.error))
    return Trust(Level.BROKEN, _build_refusal(verdict))


def _build_refusal(verdict: signatures.Verdict) -> TerraformDecision:
    """Return the refusal with Terraform's message, which differs from that for a release's signature."""
    decision = verdict.terraform
    if decision.accepts is not False:
        return decision
    if decision.message == render_message("unknown_issuer"):
        return build_refusal("trust", why=render_message("issuer"))
    return build_refusal("trust", why=decision.message.removeprefix(render_message("signature", why="")))
