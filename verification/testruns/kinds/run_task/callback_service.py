"""What does our callback address answer, and to whom? One token a run, kept as its hash, dead once it is used or old.

A pure decision, taken alike by the portal's own address and by the listener of the command line.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from portal.core.json_text import clean
from verification.testruns.kinds.run_task.callback_parsing import FINAL, MOST_READ, Said, read
from verification.testruns.kinds.run_task.protocol import CALLBACK_TYPE
from verification.testruns.kinds.run_task.records import Knock, fit_to_keep, struck

BEARER = "bearer "
SENTENCES = {
    "missing": "There is no bearer token.",
    "unknown": "The bearer token is not that of this run.",
    "another": "The bearer token is that of another run.",
    "used": "The result was final; its token is used up.",
    "dead": "The token is too old.",
}


@dataclass(frozen=True, slots=True)
class Place:
    """What is kept of a run at the desk. `age`: seconds since it was sent; `others`: hashes of the other runs."""

    act: str
    token_hash: str
    age: float
    is_final: bool
    others: Mapping[str, str]
    end: float


@dataclass(frozen=True, slots=True)
class Call:
    """A request that came to the callback address. `size`: of the whole body, also where it was not read."""

    method: str
    authorization: str
    content_type: str
    body: bytes
    size: int


def new_token() -> str:
    """A token for one run."""
    return secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """What is kept of a token. It is random and long, so a plain hash tells nothing of it."""
    return hashlib.sha256(token.encode()).hexdigest()


def token_state(place: Place, authorization: str) -> str:
    """right, missing, unknown, another, used or dead."""
    given = authorization[len(BEARER) :].strip() if authorization.lower().startswith(BEARER) else ""
    if not given:
        return "missing"
    hashed = hash_of(given)
    if not hmac.compare_digest(hashed, place.token_hash):
        return "another" if hashed in place.others else "unknown"
    if place.age > place.end:
        return "dead"
    return "used" if place.is_final else "right"


def take(place: Place, call: Call) -> tuple[Knock, str]:
    """What is noted of a call, with the status that it gets, and one sentence for whoever called."""
    token = token_state(place, call.authorization)
    said = _read(call)
    status, sentence = _answer(call, token, said)
    knock = Knock(
        act=place.act,
        after=round(place.age, 3),
        method=call.method[:20],
        answered=status,
        token=token,
        status=said.status,
        message=said.message,
        url=said.url,
        content_type=call.content_type[:100],
        size=call.size,
        body=struck(call.body[:20_000].decode("utf-8", "replace"), [call.authorization[len(BEARER) :].strip()]),
        outcomes=tuple(said.outcomes),
        form=tuple(said.form),
        limits=tuple(said.limits),
        shape=tuple(said.shape),
        notes=tuple(said.notes),
    )
    return fit_to_keep(knock), clean(sentence)


def _read(call: Call) -> Said:
    if call.size > MOST_READ:
        return Said(limits=[f"The callback has more than {MOST_READ} bytes; no more are read."])
    return read(call.body)


def _answer(call: Call, token: str, said: Said) -> tuple[int, str]:
    if call.method != "PATCH":
        return 405, "A result is sent with PATCH."
    if token != "right":  # noqa: S105
        return 401, SENTENCES[token]
    if call.size > MOST_READ:
        return 413, said.limits[0]
    if not said.is_taken:
        return 422, " ".join([*said.form, *said.limits, *said.shape][:3])
    return 200, "Noted as final." if said.status in FINAL else "Noted."


def is_expected(content_type: str) -> bool:
    """Whether it is the media type that the platform names."""
    return content_type.partition(";")[0].strip().lower() == CALLBACK_TYPE
