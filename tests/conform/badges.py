"""Signed badge statements compared with PyJWT: genuine, expired, early, altered and forged ones."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import jwt

from portal.directory.badges import signing_keys
from portal.directory.badges.signing_keys import decode_base64url, encode_base64url
from portal.directory.badges.statements import (
    StatementVerdict,
    build_claims,
    encode_canonical_json,
    serialize_compact,
    sign_claims,
    verify_statement,
)
from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.portal.directory.badges.sample_status import build_status

REFERENCE = "PyJWT, with the published key set"
SHORT_CASES = 200
LONG_CASES = 5000
# from the specification; the reference uses only the published keys of the portal
TYPE = "badge-statement+jwt"
CLOCK_TOLERANCE_SECONDS = 300
PORTAL = "https://portal.example"
OTHER_ISSUER_URL = "https://elsewhere.example"
KEY_SET = signing_keys.build_key_set(["new", "old"])
NEW, OLD, FOREIGN = (signing_keys.derive_signing_key(secret) for secret in ("new", "old", "foreign"))


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    token: str


def run(options: RunOptions) -> SuiteReport:
    count = LONG_CASES if options.full else SHORT_CASES
    draw = random.Random(options.seed)
    now = datetime.now(UTC)  # PyJWT uses the current time; every case is minutes away from a limit
    public = signing_keys.parse_public_keys(KEY_SET)
    disagreements = []
    accepted_count = 0
    for case in draw_cases(count, draw, now):
        portal = verify_statement(case.token, public, PORTAL, now).verdict
        reference_verdict = evaluate(case.token)
        accepted_count += reference_verdict == "accepts"
        if (portal == StatementVerdict.GENUINE) != (reference_verdict == "accepts"):
            disagreements.append(Disagreement(case.name, str(portal), reference_verdict))
    figures = (("Statements that PyJWT accepts", f"{accepted_count:,}"),)
    return SuiteReport(REFERENCE, count, tuple(disagreements), figures=figures)


def evaluate(token: str) -> str:
    """Return what PyJWT says with the public keys, the issuer, the algorithm, and the type as documented."""
    try:
        head = jwt.get_unverified_header(token)
        key = jwt.PyJWKSet.from_dict(KEY_SET)[head.get("kid", "")]
        jwt.decode(
            token,
            key,
            algorithms=["EdDSA"],
            issuer=PORTAL,
            leeway=0 if is_late(token) else CLOCK_TOLERANCE_SECONDS,
            options={"require": ["exp", "iat", "iss"], "verify_sub": False},
        )
    except (jwt.PyJWTError, KeyError) as refusal:
        return f"refuses: {refusal}"
    return "accepts" if head.get("typ") == TYPE else "refuses: another type"


def is_late(token: str) -> bool:
    """Return whether the statement has expired: the clock tolerance applies only to its start."""
    claims = jwt.decode(token, options={"verify_signature": False})
    return datetime.now(UTC).timestamp() >= claims["exp"]


def draw_cases(count: int, draw: random.Random, now: datetime) -> Iterator[Case]:
    for _ in range(count):
        age = timedelta(minutes=draw.choice((-60, -20, -3, 3, 30, 90, 110, 130, 1000)))
        issuer = draw.choice((PORTAL, PORTAL, PORTAL, OTHER_ISSUER_URL))
        key = draw.choice((NEW, NEW, OLD, FOREIGN))
        words = draw.choice(("Rocket", "Rakete für Łódź", "火箭"))
        statement = sign_claims(build_claims(build_status(integration=words), issuer, now - age), key)
        damage = draw.choice(("none", "none", "payload", "signature", "algorithm", "type", "cut", "swap"))
        name = f"issued {age} ago by {issuer}, {words}, damage: {damage}"
        yield Case(name, serialize_compact(apply_damage(statement, damage, draw)))


def apply_damage(statement: dict[str, str], damage: str, draw: random.Random) -> dict[str, str]:
    """Return the statement with one part changed after it was signed."""
    if damage == "payload":
        claims = json.loads(decode_base64url(statement["payload"])) | {"tier": "premier"}
        return statement | {"payload": encode_base64url(encode_canonical_json(claims))}
    if damage == "signature":
        octets = bytearray(decode_base64url(statement["signature"]))
        octets[draw.randrange(len(octets))] ^= 1 << draw.randrange(8)
        return statement | {"signature": encode_base64url(bytes(octets))}
    if damage in ("algorithm", "type"):
        head = json.loads(decode_base64url(statement["protected"]))
        head |= {"alg": draw.choice(("none", "HS256", "ES256"))} if damage == "algorithm" else {"typ": "JWT"}
        return statement | {"protected": encode_base64url(encode_canonical_json(head))}
    if damage == "cut":
        return statement | {"signature": statement["signature"][: draw.randrange(80)]}
    if damage == "swap":
        return statement | {"signature": encode_base64url(FOREIGN.sign(b"another text"))}
    return statement


SUITE = Suite("badges", "Badge statements", run)
