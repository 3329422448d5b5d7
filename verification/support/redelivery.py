"""What could GitHub not deliver? It does not try again by itself: where our token may, we have it do so."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from verification.base import Denied, NotFound
from verification.models import Delivery, Watch
from verification.sources import github_issues
from verification.sources.github_api import Api
from verification.support.telling import moment

KEPT_FOR = timedelta(days=3)  # by GitHub
EVERY, AFTER_A_GAP, WHERE_REFUSED = timedelta(hours=24), timedelta(minutes=15), timedelta(days=7)
AT_ONCE = 10
PAUSE = 1.0  # seconds between two requests that change something, as GitHub asks for


def tend(api: Api, watch: Watch, now: datetime, wait: Callable[[float], None] = time.sleep) -> int:
    """Ask for what did not arrive: daily, and soon after a list told what no webhook had. Returns how many.

    `wait` lets so many seconds pass.
    """
    if watch.hook_id is None or now < _next(watch, now):
        return 0
    cursors = watch.cursors | {"redelivered_at": now.isoformat(), "redelivery": "asked"}
    done = 0
    try:
        done = _ask(api, watch, watch.hook_id, now, wait)
    except (Denied, NotFound, KeyError, TypeError, ValueError):  # the token may not: the lists have to do
        cursors["redelivery"] = "refused"
    Watch.objects.filter(pk=watch.pk).update(cursors=cursors)
    return done


def _ask(api: Api, watch: Watch, hook: int, now: datetime, wait: Callable[[float], None]) -> int:
    failed = github_issues.failed_deliveries(api, watch.repository, hook)
    young = [row for row in failed if moment(row["delivered_at"]) > now - KEPT_FOR]
    names = [str(row["guid"]) for row in young]
    have = set(Delivery.objects.filter(watch=watch, delivery_id__in=names).values_list("delivery_id", flat=True))
    wanted = [row for row in young if row["guid"] not in have][:AT_ONCE]
    for number, row in enumerate(wanted):
        if number:
            wait(PAUSE)
        github_issues.redeliver(api, watch.repository, hook, int(row["id"]))
    return len(wanted)


def _next(watch: Watch, now: datetime) -> datetime:
    last = watch.cursors.get("redelivered_at")
    if last is None:
        return now
    if watch.cursors.get("redelivery") == "refused":
        return datetime.fromisoformat(last) + WHERE_REFUSED
    missed = watch.cursors.get("missed_at")
    gap = missed is not None and missed > last
    return datetime.fromisoformat(last) + (AFTER_A_GAP if gap else EVERY)
