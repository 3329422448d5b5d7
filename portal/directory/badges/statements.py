"""What is a statement, and is this one genuine? Pure: keys and moments come in, nothing is fetched.

A statement is a JSON Web Signature (RFC 7515) with EdDSA (RFC 8037) over compact JSON with sorted keys, whose claims
are those of a JSON Web Token (iss, sub, iat, exp) and of the badge. docs/badge.md tells it octet by octet.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from portal.directory.badges.signing_keys import b64, jwk, unb64
from portal.directory.badges.status import Truth

TYPE = "badge-statement+jwt"  # so that no other token of the portal passes for a statement
LIFE = timedelta(hours=2)  # whoever needs a later one fetches it: that costs nothing
STEP = timedelta(minutes=1)  # statements of one minute are the same octets
SKEW = timedelta(minutes=5)  # between two clocks
MOST = 8_000  # characters
CLAIMS = ("integration", "partner", "program", "tier", "standing")


class Verdict(StrEnum):
    """What a statement turns out to be."""

    GENUINE = "genuine"
    EXPIRED = "expired"
    EARLY = "early"
    ALTERED = "altered"
    FORGED = "forged"
    FOREIGN = "foreign"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Verified:
    """A verdict. `claims` are filled where the statement could be read: believe them only if it is genuine."""

    verdict: Verdict
    claims: dict[str, Any] = field(default_factory=dict)
    key: str = ""

    @property
    def signed(self) -> bool:
        """Whether one of the keys signed exactly this, whenever that was."""
        return self.verdict in (Verdict.GENUINE, Verdict.EXPIRED, Verdict.EARLY)

    def moment(self, name: str) -> datetime | None:
        """iat or exp as a moment; None where the statement has none."""
        value = self.claims.get(name)
        return datetime.fromtimestamp(float(value), UTC) if _is_moment(value) else None  # type: ignore[arg-type]


def canonical(value: Mapping[str, Any]) -> bytes:
    """The octets of a JSON object: UTF-8, keys sorted, no space, nothing escaped that need not be."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def claims_of(truth: Truth, issuer: str, now: datetime) -> dict[str, Any]:
    """What a statement says, issued at the full minute before `now`."""
    begun = now.replace(second=0, microsecond=0)
    return {
        "iss": issuer,
        "sub": truth.page,
        "iat": int(begun.timestamp()),
        "exp": int((begun + LIFE).timestamp()),
        "integration": truth.integration,
        "integration_id": truth.uuid,
        "partner": truth.partner,
        "program": truth.program_key,
        "tier": truth.tier_key,
        "standing": truth.standing,
        "now": f"{truth.page}badge.json",
    }


def sign(claims: Mapping[str, Any], key: Ed25519PrivateKey) -> dict[str, str]:
    """The statement as flattened JSON: payload, protected, signature."""
    head = canonical({"alg": "EdDSA", "kid": jwk(key.public_key())["kid"], "typ": TYPE})
    protected, payload = b64(head), b64(canonical(claims))
    signature = b64(key.sign(f"{protected}.{payload}".encode()))
    return {"payload": payload, "protected": protected, "signature": signature}


def compact(statement: Mapping[str, str]) -> str:
    """The statement as one word: protected.payload.signature."""
    return f"{statement['protected']}.{statement['payload']}.{statement['signature']}"


def verify(text: str, keys: Mapping[str, Ed25519PublicKey], issuer: str | None, now: datetime) -> Verified:
    """What a statement in either form is. `issuer`: the portal that must have issued it; None: whoever has the keys."""
    try:
        protected, payload, signature = _parts(text)
        head, claims = _object(protected), _object(payload)
        octets = unb64(signature)
    except (ValueError, RecursionError):
        return Verified(Verdict.UNREADABLE)
    if head.get("alg") != "EdDSA" or head.get("typ") != TYPE:
        return Verified(Verdict.UNREADABLE)
    kid = str(head.get("kid", ""))
    if issuer is not None and claims.get("iss") != issuer:
        return Verified(Verdict.FOREIGN, claims, kid)
    if kid not in keys:
        return Verified(Verdict.FORGED, claims, kid)
    try:
        keys[kid].verify(octets, f"{protected}.{payload}".encode())
    except InvalidSignature:
        return Verified(Verdict.ALTERED, claims, kid)
    return Verified(_in_time(claims, now), claims, kid)


def _in_time(claims: Mapping[str, Any], now: datetime) -> Verdict:
    issued, expires = claims.get("iat"), claims.get("exp")
    if not (_is_moment(issued) and _is_moment(expires)):
        return Verdict.UNREADABLE
    if now.timestamp() >= float(expires):  # type: ignore[arg-type]
        return Verdict.EXPIRED
    early = float(issued) > (now + SKEW).timestamp()  # type: ignore[arg-type]
    return Verdict.EARLY if early else Verdict.GENUINE


def _is_moment(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**11


def _parts(text: str) -> tuple[str, str, str]:
    """protected, payload and signature of either form. Raises ValueError."""
    text = text.strip()
    if len(text) > MOST:
        raise ValueError("too long")
    if not text.startswith("{"):
        protected, payload, signature = text.split(".")
        return protected, payload, signature
    told = json.loads(text)
    found = [told.get(name) for name in ("protected", "payload", "signature")]
    if not all(isinstance(each, str) for each in found):
        raise ValueError("a part is missing")
    return found[0], found[1], found[2]


def _object(part: str) -> dict[str, Any]:
    told = json.loads(unb64(part))
    if not isinstance(told, dict):
        raise ValueError("no object")
    return told
