"""Signing and verification of badge statements. This module reads nothing from the database or the network.

A statement is a JSON Web Signature (RFC 7515) with EdDSA (RFC 8037) over compact JSON with sorted keys. Its claims are
those of a JSON Web Token (iss, sub, iat, exp) and of the badge. docs/reference/badges.md specifies the format.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypeGuard

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from portal.core.value_types import JsonObject
from portal.directory.badges.signing_keys import build_jwk, decode_base64url, encode_base64url
from portal.directory.badges.status import BadgeStatus

STATEMENT_TYPE = "badge-statement+jwt"  # distinguishes statements from other tokens of the portal
# A copied statement must end soon, because it can't be withdrawn after a suspension.
STATEMENT_LIFETIME = timedelta(hours=2)
MAX_CLOCK_SKEW = timedelta(minutes=5)
MAX_STATEMENT_CHARACTERS = 8_000


class StatementVerdict(StrEnum):
    """Result of the verification of a statement."""

    GENUINE = "genuine"
    EXPIRED = "expired"
    EARLY = "early"
    ALTERED = "altered"
    FORGED = "forged"
    FOREIGN = "foreign"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """Verdict with the claims of a readable statement. Trust the claims only if the statement is genuine."""

    verdict: StatementVerdict
    claims: JsonObject = field(default_factory=dict)

    @property
    def signed(self) -> bool:
        """Return whether one of the keys signed the statement, even if it has expired."""
        return self.verdict in (StatementVerdict.GENUINE, StatementVerdict.EXPIRED, StatementVerdict.EARLY)

    def get_moment(self, name: str) -> datetime | None:
        """Return iat or exp as a time, or None."""
        value = self.claims.get(name)
        return datetime.fromtimestamp(value, UTC) if _is_timestamp(value) else None


def encode_canonical_json(value: Mapping[str, object]) -> bytes:
    """Return compact UTF-8 JSON with sorted keys and minimal escaping."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def build_claims(badge_status: BadgeStatus, issuer: str, now: datetime) -> dict[str, object]:
    """Return the claims of a statement. Those of one minute are identical."""
    issued_at = now.replace(second=0, microsecond=0)
    return {
        "iss": issuer,
        "sub": badge_status.page,
        "iat": int(issued_at.timestamp()),
        "exp": int((issued_at + STATEMENT_LIFETIME).timestamp()),
        "integration": badge_status.integration,
        "uuid": badge_status.uuid,
        "partner": badge_status.partner,
        "program": badge_status.program_key,
        "tier": badge_status.tier_key,
        "listing_status": badge_status.listing_status,
        "now": f"{badge_status.page}badge.json",
    }


def sign_claims(claims: Mapping[str, object], key: Ed25519PrivateKey) -> dict[str, str]:
    """Return the signed statement in flattened JSON serialization."""
    header = encode_canonical_json({"alg": "EdDSA", "kid": build_jwk(key.public_key())["kid"], "typ": STATEMENT_TYPE})
    protected = encode_base64url(header)
    payload = encode_base64url(encode_canonical_json(claims))
    signature = encode_base64url(key.sign(f"{protected}.{payload}".encode()))
    return {"payload": payload, "protected": protected, "signature": signature}


def serialize_compact(statement: Mapping[str, str]) -> str:
    """Return the statement in compact serialization: protected.payload.signature."""
    return f"{statement['protected']}.{statement['payload']}.{statement['signature']}"


def verify_statement(
    text: str, keys: Mapping[str, Ed25519PublicKey], issuer: str | None, now: datetime
) -> VerificationResult:
    """Verify a statement in either serialization.

    Args:
        text: The statement.
        keys: The public keys by ID.
        issuer: The required issuer, or None to accept any issuer.
        now: The time of the verification.
    """
    try:
        protected, payload, signature = _split_statement(text)
        header = _decode_object(protected)
        claims = _decode_object(payload)
        signature_bytes = decode_base64url(signature)
    except (ValueError, RecursionError):
        return VerificationResult(StatementVerdict.UNREADABLE)
    # The header must not choose the algorithm, for example “none” (RFC 8725, section 3.1).
    if header.get("alg") != "EdDSA" or header.get("typ") != STATEMENT_TYPE:
        return VerificationResult(StatementVerdict.UNREADABLE)
    key_id = str(header.get("kid", ""))
    # Before the key: a statement of another portal isn't forged, but none of our keys can verify it.
    if issuer is not None and claims.get("iss") != issuer:
        return VerificationResult(StatementVerdict.FOREIGN, claims)
    if key_id not in keys:
        return VerificationResult(StatementVerdict.FORGED, claims)
    try:
        keys[key_id].verify(signature_bytes, f"{protected}.{payload}".encode())
    except InvalidSignature:
        return VerificationResult(StatementVerdict.ALTERED, claims)
    return VerificationResult(_check_validity_period(claims, now), claims)


def _check_validity_period(claims: Mapping[str, object], now: datetime) -> StatementVerdict:
    issued_at = claims.get("iat")
    expires_at = claims.get("exp")
    if not (_is_timestamp(issued_at) and _is_timestamp(expires_at)):
        return StatementVerdict.UNREADABLE
    if now.timestamp() >= expires_at:
        return StatementVerdict.EXPIRED
    is_early = issued_at > (now + MAX_CLOCK_SKEW).timestamp()
    return StatementVerdict.EARLY if is_early else StatementVerdict.GENUINE


def _is_timestamp(value: object) -> TypeGuard[int]:
    # `datetime` ends in the year 9999. In Python, booleans are integers.
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**11


def _split_statement(text: str) -> tuple[str, str, str]:
    """Return protected header, payload, and signature, or raise ValueError."""
    text = text.strip()
    if len(text) > MAX_STATEMENT_CHARACTERS:
        raise ValueError("too long")
    if not text.startswith("{"):
        protected, payload, signature = text.split(".")
        return protected, payload, signature
    statement_data = json.loads(text)
    parts = [statement_data.get(name) for name in ("protected", "payload", "signature")]
    if not all(isinstance(part_text, str) for part_text in parts):
        raise ValueError("a part is missing")
    return parts[0], parts[1], parts[2]


def _decode_object(part: str) -> dict[str, object]:
    data = json.loads(decode_base64url(part))
    if not isinstance(data, dict):
        raise ValueError("not an object")
    return data
