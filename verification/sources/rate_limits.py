"""What may we still ask of GitHub? One row a credential, obeyed by every process.

GitHub's own words decide: what remains, until when, how long to wait. Beside them stands a budget of our own: what
nobody waits for gets half of an hour's requests, so that the rest is there for people. A credential that GitHub
refuses is dead from then on; the listeners are told once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.utils import timezone

from verification.sources.errors import Unavailable
from verification.sources.models import Allowance

HOUR = timedelta(hours=1)
RESERVE = 0.5  # of an hour's requests, for what somebody waits for
FIRST_WAIT = timedelta(seconds=60)
MOST_STRIKES = 6
LONGEST_WAIT = timedelta(days=1)
MOST = 1_000_000  # requests an hour: more is no figure
LIMIT_WORDS = ("rate limit", "abuse detection")

Died = Callable[[Allowance], None]
LISTENERS: list[Died] = []


def listen(listener: Died) -> None:
    """Be told once of each credential that must not be used again, in the transaction that marks it."""
    if listener not in LISTENERS:
        LISTENERS.append(listener)


@dataclass(frozen=True)
class Budget:
    """The gate before each request with one credential. `limit`: GitHub's requests an hour, until it says itself.

    `background`: nobody waits for the answer.
    """

    name: str
    limit: int
    background: bool = False
    clock: Callable[[], datetime] = field(default=timezone.now)

    def before(self) -> None:
        """Count one request. Raises Unavailable, with the moment from which it makes sense to ask."""
        now = self.clock()
        with transaction.atomic():
            row = self._row(now)
            if now >= row.hour_from + HOUR:
                row.hour_from, row.spent = now, 0
            until = closed_until(row, self.background, now)
            if row.dead_at is None and until is None:
                row.spent += 1
                row.save()
                return
        if row.dead_at is not None:
            raise Unavailable("GitHub no longer accepts the portal's credential; our staff know.")
        raise Unavailable(_limit_sentence(), until)

    def after(self, status: int, headers: Mapping[str, str], message: str = "") -> None:
        """Take in what GitHub said with its answer. Raises Unavailable where it was a limit or a dead credential."""
        now = self.clock()
        with transaction.atomic():
            row = self._row(now)
            _take_in(row, headers, now)
            limited = is_limit(status, headers, message)
            if status == 304:
                row.spent = max(row.spent - 1, 0)  # costs nothing
            if limited:
                _block(row, headers, now)
            elif status < 400:
                row.strikes = 0
            if status == 401 and self.name != "anonymous":
                _bury(row, "GitHub answered 401: it does not accept the credential.", now)
            row.save()
        if status == 401:
            raise Unavailable("GitHub does not accept the portal's token; our staff know.")
        if limited:
            raise Unavailable(_limit_sentence(), row.blocked_until)

    def is_dead(self) -> bool:
        return Allowance.objects.filter(name=self.name).exclude(dead_at=None).exists()

    def _row(self, now: datetime) -> Allowance:
        Allowance.objects.get_or_create(name=self.name, defaults={"limit": self.limit, "hour_from": now})
        return Allowance.objects.select_for_update().get(name=self.name)


def closed_until(row: Allowance, background: bool, now: datetime) -> datetime | None:
    """Until when nothing may be asked; None where it may."""
    waits = []
    if row.blocked_until and row.blocked_until > now:
        waits.append(row.blocked_until)
    if row.remaining == 0 and row.reset_at and row.reset_at > now:
        waits.append(row.reset_at)
    if row.spent >= int(row.limit * (1 - RESERVE if background else 1)):
        waits.append(row.hour_from + HOUR)
    return max(waits, default=None)


def is_limit(status: int, headers: Mapping[str, str], message: str = "") -> bool:
    """Whether GitHub refuses because of a limit. A 403 without its marks is a plain refusal."""
    marked = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    said = any(words in message.lower() for words in LIMIT_WORDS)
    return status == 429 or (status == 403 and (marked or said))


def _take_in(row: Allowance, headers: Mapping[str, str], now: datetime) -> None:
    """GitHub's figures. Of two answers of one hour the smaller remainder is the later one."""
    limit, remaining = _number(headers, "x-ratelimit-limit"), _number(headers, "x-ratelimit-remaining")
    reset = _number(headers, "x-ratelimit-reset")
    if limit is None or remaining is None or reset is None:
        return
    reset_at = min(_moment(reset), now + LONGEST_WAIT)
    same_hour = row.reset_at == reset_at and row.remaining is not None
    row.limit = min(limit, MOST)
    row.remaining = min(remaining, row.remaining or 0) if same_hour else min(remaining, MOST)
    row.reset_at = reset_at


def _block(row: Allowance, headers: Mapping[str, str], now: datetime) -> None:
    """How long to keep quiet: as GitHub says; else a minute, twice as long each time, and at last for good."""
    wait, reset = _number(headers, "retry-after"), _number(headers, "x-ratelimit-reset")
    if wait is not None:
        row.blocked_until = now + min(max(timedelta(seconds=wait), timedelta(seconds=1)), LONGEST_WAIT)
    elif headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        row.blocked_until = min(max(_moment(reset), now + timedelta(seconds=1)), now + LONGEST_WAIT)
        return
    else:
        row.blocked_until = now + FIRST_WAIT * 2**row.strikes
    row.strikes += 1
    if row.strikes >= MOST_STRIKES:
        _bury(row, f"GitHub has asked us {MOST_STRIKES} times in a row to slow down.", now)


def _bury(row: Allowance, why: str, now: datetime) -> None:
    if row.dead_at is None:
        row.dead_at, row.dead_why = now, why
        for listener in LISTENERS:
            listener(row)


def _number(headers: Mapping[str, str], name: str) -> int | None:
    text = headers.get(name, "")
    return int(float(text)) if text.replace(".", "", 1).isdigit() and len(text) < 13 else None


def _moment(seconds: int) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.max.replace(tzinfo=UTC)


def _limit_sentence() -> str:
    return "GitHub's limit for our requests is used up."
