"""May this webhook come in? Checked on its raw bytes, inserted and answered; what it says is read later.

One statement a delivery. What is not signed with the watch's secret leaves nothing but a counter.
"""

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection
from django.db.models import F

from integrations.sla.models import Delivery, Watch
from integrations.sla.services import monitoring

MOST_BYTES = 25 * 1024 * 1024
KNOWN_FOR = 5.0  # seconds that a process remembers a watch, and a watch that is not there
MOST_KNOWN = 20_000
BODY_KEPT = timedelta(days=7)  # long enough to see why a delivery was read as it was
PER_SECOND, BURST = 100.0, 1_000.0  # deliveries of one watch that one process takes
COUNT_EVERY = timedelta(seconds=1)
Result = TypeVar("Result")
TABLE = Delivery._meta.db_table
INSERT = (
    f"INSERT INTO {TABLE} (watch_id, delivery_id, event, digest, body, received_at, attempts, outcome)"  # noqa: S608
    " VALUES (%s, %s, %s, %s, %s, %s, 0, '') ON CONFLICT (watch_id, delivery_id) DO NOTHING"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP status and a sentence for whoever reads the hook's log at GitHub; seconds to wait, where that helps."""

    status: int
    sentence: str
    retry_after: int = 0


@dataclass(slots=True)
class Known:
    """A watch as a process remembers it: its secrets, its repository, and how much it may still send."""

    pk: int
    keys: monitoring.Keys
    repository_id: int | None
    repository: str
    has_hook: bool
    until: float
    allowance: float = BURST
    filled: float = 0.0
    refused: int = 0
    counted_at: datetime | None = None


_KNOWN: dict[UUID, Known | None] = {}
_ABSENT_UNTIL: dict[UUID, float] = {}


def refuse_early(length: str, content_type: str, encoding: str) -> Answer | None:
    """What can be refused without its payload: 413 above 25 MiB, 415 for anything but plain JSON."""
    if not (length.isascii() and length.isdigit()):
        return Answer(411, "Say how long the payload is.")
    if len(length) > 15 or int(length) > MOST_BYTES:
        return Answer(413, "A payload has at most 25 MiB.")
    kind, _, parameters = content_type.partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    if kind.strip().lower() != "application/json" or charset not in ("", "utf-8", "utf8") or encoding:
        return Answer(415, "Choose the content type application/json for this hook.")
    return None


def is_watched(uuid: UUID) -> bool:
    """Return whether deliveries are taken at this address. Database errors are the caller's."""
    return _try_twice(lambda: _watch(uuid) is not None)


def receive(uuid: UUID, headers: Mapping[str, Any], body: bytes, now: datetime) -> Answer:
    """Take in one delivery. `headers` as in WSGI (HTTP_X_GITHUB_DELIVERY …). Database errors are the caller's."""
    return _try_twice(lambda: _receive(uuid, headers, body, now))


def _try_twice(ask: Callable[[], Result]) -> Result:
    """Use the connection without asking whether it still stands, and once more on a new one where it does not."""
    connection.health_check_done = True  # type: ignore[attr-defined]
    try:
        return ask()
    except (OperationalError, InterfaceError):
        if connection.in_atomic_block:
            raise
        connection.close()
        return ask()


def _receive(uuid: UUID, headers: Mapping[str, Any], body: bytes, now: datetime) -> Answer:
    watch = _watch(uuid)
    if watch is None:
        return Answer(404, "There is no such hook.")
    if not is_signed(body, headers.get("HTTP_X_HUB_SIGNATURE_256", ""), watch.keys.valid(now)):
        _count_refused(watch, now)
        return Answer(401, "The signature does not fit the hook's secret.")
    name, event = headers.get("HTTP_X_GITHUB_DELIVERY", ""), headers.get("HTTP_X_GITHUB_EVENT", "")
    if not (0 < len(name) <= 80 and 0 < len(event) <= 60 and f"{name}{event}".isprintable()):
        return Answer(400, "The headers X-GitHub-Delivery and X-GitHub-Event are missing.")
    if not _has_room(watch):
        return Answer(429, "Too many deliveries at once. What we miss we read from the API.", 1)
    if refusal := _why_not(watch, body):
        return refusal
    _insert(watch.pk, name, event, body, now)
    _learn_the_hook(watch, str(headers.get("HTTP_X_GITHUB_HOOK_ID", "")))
    return Answer(202, "Taken.")


def is_signed(body: bytes, signature: str, keys: tuple[bytes, ...]) -> bool:
    """Return whether one of the keys signed the raw body with HMAC-SHA256. No other signature counts."""
    given = signature.encode("utf-8", "replace")
    expected = (b"sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest().encode() for key in keys)
    return any([hmac.compare_digest(one, given) for one in expected])


def forget(uuid: UUID) -> None:
    """The watch was changed: this process looks at it anew with the next delivery."""
    _KNOWN.pop(uuid, None)
    _ABSENT_UNTIL.pop(uuid, None)


def forget_bodies(now: datetime, limit: int = 5000) -> int:
    """Empty the bodies of what was read and came long ago; digest and outcome stay. Returns how many."""
    old = Delivery.objects.filter(read_at__isnull=False, forgotten_at=None, received_at__lt=now - BODY_KEPT)
    pks = list(old.order_by("received_at").values_list("pk", flat=True)[:limit])
    return Delivery.objects.filter(pk__in=pks).update(body=b"", forgotten_at=now)


def _watch(uuid: UUID) -> Known | None:
    """The watch that takes deliveries at this address, looked up at most every few seconds."""
    moment, known = time.monotonic(), _KNOWN.get(uuid)
    if known is not None and known.until > moment:
        return known
    if _ABSENT_UNTIL.get(uuid, 0.0) > moment:
        return None
    row = Watch.objects.filter(uuid=uuid, ended_at=None).exclude(secret=None).first()
    if row is None:
        _make_room(_ABSENT_UNTIL)
        _ABSENT_UNTIL[uuid] = moment + KNOWN_FOR
        _KNOWN.pop(uuid, None)
        return None
    fresh = Known(
        row.pk, monitoring.keys(row), row.repository_id, row.repository.casefold(), row.hook_id is not None,
        moment + KNOWN_FOR, filled=moment,
    )  # fmt: skip
    if known is not None:
        fresh.allowance, fresh.filled = known.allowance, known.filled
        fresh.refused, fresh.counted_at = known.refused, known.counted_at
    _make_room(_KNOWN)
    _KNOWN[uuid] = fresh
    return fresh


def _make_room(known: dict[UUID, Any]) -> None:
    if len(known) >= MOST_KNOWN:
        known.clear()


def _has_room(watch: Known) -> bool:
    moment = time.monotonic()
    watch.allowance = min(BURST, watch.allowance + (moment - watch.filled) * PER_SECOND)
    watch.filled = moment
    if watch.allowance < 1:
        return False
    watch.allowance -= 1
    return True


def _learn_the_hook(watch: Known, number: str) -> None:
    """Under its hook's number GitHub keeps what it could not deliver. A ping is signed and has the last word: the
    header, which is not, counts only as long as none came.
    """
    if watch.has_hook or not (number.isascii() and number.isdigit() and 0 < int(number[:20]) < 2**63):
        return
    Watch.objects.filter(pk=watch.pk, hook_id=None).update(hook_id=int(number))
    watch.has_hook = True


def _count_refused(watch: Known, now: datetime) -> None:
    """Forgeries are counted, and written down at most once a second, so that a flood of them costs no writes."""
    watch.refused += 1
    if watch.counted_at is not None and now - watch.counted_at < COUNT_EVERY:
        return
    Watch.objects.filter(pk=watch.pk).update(refused=F("refused") + watch.refused, refused_at=now)
    watch.refused, watch.counted_at = 0, now


def _why_not(watch: Known, body: bytes) -> Answer | None:
    """Why a signed payload is not taken: it is no JSON object, or it tells of another repository."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return Answer(400, "The payload is not JSON.")
    if not isinstance(payload, dict):
        return Answer(400, "The payload is not a JSON object.")
    repository = payload.get("repository")
    if repository is None:  # a ping of an organisation's hook
        return None
    if not isinstance(repository, dict) or not is_own(watch.repository_id, watch.repository, repository):
        return Answer(403, "This hook is for another repository.")
    return None


def is_own(number: int | None, name: str, repository: Mapping[str, Any]) -> bool:
    """Return whether a payload is about the watched repository: by its number, or by its name where that is unknown."""
    if number is not None:
        return repository.get("id") == number
    return str(repository.get("full_name", "")).casefold() == name.casefold()


def _insert(watch: int, name: str, event: str, body: bytes, now: datetime) -> None:
    at = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        kept = connection.Database.Binary(body)  # type: ignore[attr-defined]
        cursor.execute(INSERT, [watch, name, event, hashlib.sha256(body).hexdigest(), kept, at])
