"""How is a message sent? Signed after Standard Webhooks, posted through the guard; what came back as plain data.

Nothing here touches the database: it runs in threads beside each other.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic

from standardwebhooks import Webhook

from portal.core.crypto import Secret
from portal.webhooks.models import Endpoint
from verification.sources.errors import Refused, Unreadable
from verification.sources.http.client import Outbound
from verification.sources.http.posting import Posted, post

SECONDS = 10.0  # for one request, from the first question to the last byte
BUDGET = 10.0  # seconds after which no further message of a round is begun
KEPT_BODY, KEPT_HEADERS, KEPT_VALUE = 2048, 20, 200
HIDDEN = frozenset({"set-cookie", "authorization", "proxy-authenticate", "www-authenticate"})
GONE, LONGEST_WAIT = 410, 86_400
SLACK_GONE = ("no_service", "channel_is_archived", "invalid_token", "team_disabled")


@dataclass(frozen=True, slots=True)
class Letter:
    """A message, ready to go."""

    pk: int
    message_id: str
    body: str


@dataclass(frozen=True, slots=True)
class Round:
    """What is sent to one endpoint now, one after the other. `secrets`: the newest first."""

    endpoint: int
    claim: str
    form: str
    address: Secret
    secrets: tuple[Secret, ...]
    letters: tuple[Letter, ...]
    began: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """One attempt. `wait`: the seconds that the receiver asked for; `gone`: it asks for nothing more, ever."""

    pk: int
    at: datetime
    seconds: float
    status: int | None
    said: str
    sent: dict[str, str]
    headers: dict[str, str]
    body: str
    wait: int = 0
    gone: bool = False

    @property
    def is_delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def post_all(work: Round, outbound: Outbound, tick: Callable[[], float] = monotonic) -> list[Outcome]:
    """Send the letters of a round until one fails or the budget is used up: what is left stays due."""
    begin, outcomes = tick(), list[Outcome]()
    for letter in work.letters:
        gone_by = tick() - begin
        if outcomes and gone_by > BUDGET:
            break
        outcomes.append(send(work, letter, outbound, work.began + timedelta(seconds=gone_by)))
        if not outcomes[-1].is_delivered:
            break
    return outcomes


def send(work: Round, letter: Letter, outbound: Outbound, at: datetime) -> Outcome:
    """One attempt at one letter, whatever comes of it."""
    headers = headers_of(work, letter, at)
    begin = monotonic()
    try:
        answer = post(
            outbound, work.address.value, letter.body.encode(), headers, seconds=SECONDS, most=KEPT_BODY
        )  # fmt: skip
    except Unreadable as failure:
        what = "Not sent: " if isinstance(failure, Refused) else ""
        return Outcome(letter.pk, at, monotonic() - begin, None, f"{what}{failure}"[:300], headers, {}, "")
    return heard(work.form, letter, at, answer, headers)


def headers_of(work: Round, letter: Letter, at: datetime) -> dict[str, str]:
    """The headers of an attempt. While two secrets hold, both sign: the receiver takes whichever it knows."""
    headers = {"Content-Type": "application/json"}
    if work.form == Endpoint.Form.WEBHOOK:
        signed = [Webhook(secret.value).sign(letter.message_id, at, letter.body) for secret in work.secrets]
        headers |= {
            "webhook-id": letter.message_id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": " ".join(signed),
        }
    return headers


def heard(form: str, letter: Letter, at: datetime, answer: Posted, sent: dict[str, str]) -> Outcome:
    """What an answer means, cut to what is kept of it."""
    body = answer.body[:KEPT_BODY].decode("utf-8", "replace").replace("\x00", "\ufffd")
    headers = {
        name[:80]: "(not kept)" if name in HIDDEN else value[:KEPT_VALUE].replace("\x00", "\ufffd")
        for name, value in list(answer.headers.items())[:KEPT_HEADERS]
    }
    gone = answer.status == GONE
    if form == Endpoint.Form.SLACK and answer.status >= 400:
        gone = gone or body.strip() in SLACK_GONE
    said = sentence(answer.status)
    wait = wait_of(answer) if not 200 <= answer.status < 300 else 0
    return Outcome(letter.pk, at, answer.seconds, answer.status, said, sent, headers, body, wait, gone)


def sentence(status: int) -> str:
    """What a status means for a message."""
    if 200 <= status < 300:
        return f"Delivered: answered {status}."
    if 300 <= status < 400:
        return f"Answered {status}: redirects are not followed. Enter the address that it leads to."
    if status == GONE:
        return "Answered 410: the receiver wants nothing more."
    return f"Answered {status}."


def wait_of(answer: Posted) -> int:
    """The seconds that a busy receiver asks for, a day at most."""
    asked = answer.headers.get("retry-after", "")
    return min(int(asked), LONGEST_WAIT) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 0


def pretty(body: str) -> str:
    """A body, indented for readers; as it is where it is no JSON."""
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except ValueError:
        return body
