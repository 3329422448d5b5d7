"""What did no webhook tell us? Each watched repository is read when its moment comes, and the gap is closed.

`data_up_to` moves only when everything was read and stored. An outage changes nothing but when we try again.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from integrations.sla.engine.types import Watching
from integrations.sla.github import event_store, issue_sync, redelivery
from integrations.sla.models import Clock, Watch
from integrations.sla.services import monitoring, projection
from verification.sources import factory
from verification.sources.errors import NotFound, Unavailable, Unreadable
from verification.sources.github.api import Api
from verification.sources.github.issues import Seen
from verification.sources.rate_limits import Budget

log = logging.getLogger(__name__)
CLAIM = timedelta(minutes=5)
UNTOLD, HOT, QUIET = timedelta(minutes=5), timedelta(minutes=15), timedelta(minutes=60)
LATELY = timedelta(days=1)
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(minutes=30)
MOST_FAILED = 3  # in one go: then it is GitHub, not a repository
SAID_AFTER = 3  # attempts that failed before people are told
GONE_AFTER = timedelta(hours=24)
LOOK_AGAIN = timedelta(hours=6)
NOT_SHOWN = "GitHub does not show the repository to us just now; we look again before we say more"
GONE = "GitHub has not shown the repository for more than a day: it was deleted, moved or made private"

ApiFor = Callable[[Seen], Api]


@dataclass(frozen=True, slots=True)
class Pass:
    """What one reading of a repository came to."""

    found: issue_sync.Changes
    etags: dict[str, str]


def api_for(seen: Seen) -> Api:
    """GitHub as the background asks it: within the budget, and with the ETags of one watch."""
    name, limit, auth = factory.credential()
    return Api(settings.GITHUB_API_URL, auth, Budget(name, limit, background=True), seen)


def poll_due(now: datetime, limit: int = 200, seconds: float = 20.0, connect: ApiFor = api_for) -> int:
    """Read the repositories whose moment has come, the longest waiting first. Returns how many were read.

    Stops after `seconds`, so that no slow answer keeps the clocks waiting, and where GitHub fails again and again:
    what is left stays due. `connect` makes the client, one for all of them.
    """
    monitoring.begin_missing(now)
    due = Watch.objects.filter(_free(now), poll_at__lte=now, ended_at=None).order_by("poll_at")
    done, failed, until = 0, 0, time.monotonic() + seconds
    pks = list(due.values_list("pk", flat=True)[:limit])
    if not pks:
        return 0
    seen = Seen({}, {})
    api = connect(seen)
    for pk in pks:
        if time.monotonic() > until or failed >= MOST_FAILED:
            break
        try:
            done += poll(pk, now, api, seen)
        except Unavailable:
            failed += 1
        except Exception:  # its claim keeps it away for a while; the others must not wait for it
            log.exception("Watch %s could not be read.", pk)
    api.close()
    return done


def poll(pk: int, now: datetime, api: Api, seen: Seen) -> bool:
    """Read one repository, if it is in nobody's hands. Returns whether it was read. Raises Unavailable at an outage."""
    if not Watch.objects.filter(_free(now), pk=pk, ended_at=None).update(claimed_until=now + CLAIM):
        return False
    watch = Watch.objects.select_related("integration__partner").get(pk=pk)
    seen.before, seen.now = watch.etags, {}
    try:
        found = issue_sync.read(api, watch, now)
        known = _take(watch, Pass(found, seen.now), now)
        if known is not None:
            redelivery.tend(api, known, now)
    except Unavailable as outage:
        _wait(watch, outage, now)
        raise
    except NotFound:
        _missing(watch, now)
    except Unreadable as refusal:
        _troubled(watch, str(refusal), now, LOOK_AGAIN)
    return True


def _free(now: datetime) -> Q:
    return Q(claimed_until=None) | Q(claimed_until__lte=now)


def _take(watch: Watch, passed: Pass, now: datetime) -> Watch | None:
    """Store what was found and say how far we know. None where the watch has ended or moved on meanwhile."""
    found = passed.found
    with transaction.atomic():
        row = event_store.hold(watch.pk, wait=True)
        if row is None or row.ended_at is not None or row.repository_id != watch.repository_id:
            Watch.objects.filter(pk=watch.pk).update(claimed_until=None)
            return None
        touched = event_store.store(row, found.told, "poll", now, found.said)
        missed = bool(touched) and _is_news(touched, now)
        row.cursors = found.cursors | ({"missed_at": now.isoformat()} if missed else {})
        row.data_up_to = max(row.data_up_to, now)
        row.repository, row.repository_id = found.name, found.number
        row.etags = passed.etags or row.etags
        row.attempts, row.trouble, row.trouble_since, row.missing_since = 0, "", None, None
        row.claimed_until, row.poll_at = None, next_poll(row, now)
        row.save()
        projection.refold(touched | _no_longer_blind(row, now), now)
    return row


def _is_news(touched: set[int], now: datetime) -> bool:
    """Whether the list told something that a webhook should have told before."""
    from_lists = event_store.IssueEvent.objects.filter(issue__in=touched, source="poll", seen_at=now)
    return from_lists.filter(at__lt=now - timedelta(minutes=2)).exists()


def _no_longer_blind(watch: Watch, now: datetime) -> set[int]:
    """Issues with a clock whose due moment our knowledge has reached just now."""
    passed = Q(state=Watching.BLIND) | Q(state=Watching.RUNNING, due_at__lte=now)
    return set(Clock.objects.filter(passed, watch=watch).values_list("issue_id", flat=True))


def next_poll(watch: Watch, now: datetime) -> datetime:
    """When to read again: soon where no hook tells us, seldom where one does and nothing happens."""
    if not is_told(watch):
        pause = UNTOLD
    else:
        pause = HOT if watch.issues.filter(updated_at__gte=now - LATELY).exists() else QUIET
    spread = timedelta(seconds=watch.pk * 7919 % int(pause.total_seconds() / 10))
    return now + pause - spread


def is_told(watch: Watch) -> bool:
    """Whether the hook tells what happens: it has delivered, and since then we found nothing that it did not tell."""
    missed = watch.cursors.get("missed_at")
    if watch.last_delivery_at is None:
        return False
    return missed is None or watch.last_delivery_at > datetime.fromisoformat(missed)


def _wait(watch: Watch, outage: Unavailable, now: datetime) -> None:
    """Ours to bear: try again soon, then less often; as GitHub says where it says so."""
    attempts = min(watch.attempts + 1, 100)
    again = now + min(FIRST_WAIT * 2 ** min(attempts - 1, 10), LONGEST_WAIT)
    told = {}
    if attempts >= SAID_AFTER and not watch.trouble:
        told = {"trouble": str(outage)[:300].rstrip("."), "trouble_since": now}
    Watch.objects.filter(pk=watch.pk).update(
        attempts=attempts, poll_at=max(again, outage.until or again), claimed_until=None, **told
    )


def _missing(watch: Watch, now: datetime) -> None:
    """GitHub answers alike for what is gone and for what is hidden from us: once is no proof."""
    since = watch.missing_since or now
    said = GONE if now - since >= GONE_AFTER else NOT_SHOWN
    Watch.objects.filter(pk=watch.pk).update(missing_since=since)
    _troubled(watch, said, now, LOOK_AGAIN)


def _troubled(watch: Watch, said: str, now: datetime, pause: timedelta) -> None:
    since = watch.trouble_since if watch.trouble else now
    Watch.objects.filter(pk=watch.pk).update(
        trouble=said[:300].rstrip("."), trouble_since=since, poll_at=now + pause, claimed_until=None
    )
