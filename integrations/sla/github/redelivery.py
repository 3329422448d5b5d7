"""What could GitHub not deliver? It does not try again by itself: where our token may, we have it do so."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from integrations.sla.models import Delivery, Watch
from verification.sources.errors import Denied, NotFound
from verification.sources.github import issues
from verification.sources.github.api import Api

KEPT_FOR = timedelta(days=3)  # by GitHub
EVERY, AFTER_A_GAP, WHERE_REFUSED = timedelta(hours=24), timedelta(minutes=15), timedelta(days=7)
AT_ONCE = 10
MOST_TRIES = 4  # GitHub's own and ours: what fails again and again must not keep the others waiting
PAUSE = 1.0  # seconds between two requests that change something, as GitHub asks for


def tend(api: Api, watch: Watch, now: datetime, wait: Callable[[float], None] = time.sleep) -> int:
    """Ask for what did not arrive: daily, soon after a list told what no webhook had, and as long as any are left.

    Returns how many were asked for. `wait` lets so many seconds pass.
    """
    if watch.hook_id is None or now < _next(watch, now):
        return 0
    told: dict[str, Any] = {}
    cursors = watch.cursors | {"redelivered_at": now.isoformat(), "redelivery": "asked"}
    done = 0
    try:
        wanted = _wanted(api, watch, watch.hook_id, now)
        done = _ask(api, watch, watch.hook_id, wanted[:AT_ONCE], wait)
        if len(wanted) > done:
            cursors["redelivery"], told["poll_at"] = "left", min(now + AFTER_A_GAP, watch.poll_at or now)
    except (Denied, NotFound, KeyError, TypeError, ValueError):  # the token may not: the lists have to do
        cursors["redelivery"] = "refused"
    Watch.objects.filter(pk=watch.pk).update(cursors=cursors, **told)
    return done


def _wanted(api: Api, watch: Watch, hook: int, now: datetime) -> list[int]:
    """The numbers of what GitHub still keeps and we do not have: what was tried least first, then the oldest."""
    failed = issues.failed_deliveries(api, watch.repository, hook, now - KEPT_FOR)
    names = {str(row["guid"]) for row, _ in failed}
    have = set(Delivery.objects.filter(watch=watch, delivery_id__in=names).values_list("delivery_id", flat=True))
    missing = [(row, tries) for row, tries in failed if row["guid"] not in have and tries < MOST_TRIES]
    return [int(row["id"]) for row, _ in sorted(missing, key=lambda each: each[1])]


def _ask(api: Api, watch: Watch, hook: int, numbers: list[int], wait: Callable[[float], None]) -> int:
    for place, number in enumerate(numbers):
        if place:
            wait(PAUSE)
        issues.redeliver(api, watch.repository, hook, number)
    return len(numbers)


def _next(watch: Watch, now: datetime) -> datetime:
    last = watch.cursors.get("redelivered_at")
    if last is None:
        return now
    if watch.cursors.get("redelivery") == "refused":
        return datetime.fromisoformat(last) + WHERE_REFUSED
    missed = watch.cursors.get("missed_at")
    gap = watch.cursors.get("redelivery") == "left" or (missed is not None and missed > last)
    return datetime.fromisoformat(last) + (AFTER_A_GAP if gap else EVERY)
