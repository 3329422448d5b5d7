"""Which due process has come to a moment? The portal notes and asks; it never changes what a listing says.

It holds the period where the partner acted, tells the program once that a period has ended, and suggests that
somebody look where breaches add up. Each may run twice, late, or beside itself.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone

from integrations.sla.engine.types import Watching
from integrations.sla.models import Breach, Clock
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock, perform, refresh
from integrations.submissions.workflow import evidence
from integrations.submissions.workflow.states import Stage, Standing
from portal.audit import services
from portal.core.errors import NotAllowed

log = logging.getLogger(__name__)
RUNNING = (Standing.NOTICE, Standing.SUSPENDED)


def look_due(now: datetime | None = None, limit: int = 500) -> int:
    """Hold, tell and suggest what is due. Returns how many integrations that was."""
    now = now or timezone.now()
    running = Integration.objects.filter(standing__in=RUNNING, standing_hold="", standing_due_at__isnull=False)
    done = sum(_look(row, now) for row in running.select_related("partner").order_by("standing_due_at")[:limit])
    return done + sum(_suggest(pk, why, now) for pk, why in suggestions(now).items())


def _look(row: Integration, now: datetime) -> bool:
    """One of them; what goes wrong with it does not stop the others."""
    try:
        return _hold(row, now) or _tell_end(row.pk, now)
    except NotAllowed:
        return False  # somebody was faster
    except Exception:
        log.exception("The due process of integration %s could not be looked at.", row.pk)
        return False


def _hold(row: Integration, now: datetime) -> bool:
    acts = evidence.known(row, now).acts
    if not acts or row.standing_ask:
        return False
    told = [{"key": act.key, "at": act.at.isoformat(), "said": act.said, "url": act.url} for act in acts]
    perform(row, "hold_process", by=None, now=now, version=row.version, acts=told)
    return True


@transaction.atomic
def _tell_end(pk: int, now: datetime) -> bool:
    """Once a period: its end is told, and the turn goes to the program."""
    row = lock(pk)
    due = row.standing_due_at
    if row.standing not in RUNNING or due is None or due > now or row.standing_told_at is not None:
        return False
    row.standing_told_at = now
    refresh(row, now)
    row.save()
    services.record(row, "period_ended", by=None, now=now, standing_due=due.isoformat())
    return True


def suggestions(now: datetime) -> dict[int, str]:
    """Listed integrations whose breaches crossed a threshold since somebody last looked: id and why."""
    times, days = settings.NOTICE_OVERDUE_TIMES, settings.NOTICE_WITHIN_DAYS
    many = {pk: f"{count} breaches that stand within {days} days" for pk, count in _many(now).items()}
    return {pk: f"an issue is past {times} times its target" for pk in _far(now)} | many


LISTED = Q(
    integration__standing=Standing.VERIFIED, integration__stage=Stage.SUPPORT, integration__standing_ask=""
)  # fmt: skip


def _many(now: datetime) -> dict[int, int]:
    since = now - timedelta(days=settings.NOTICE_WITHIN_DAYS)
    looked = F("integration__standing_looked_at")
    new = Q(integration__standing_looked_at=None) | Q(found_at__gt=looked)
    fresh = Breach.objects.filter(LISTED & new, retracted_at=None, due_at__gte=since)
    counted = fresh.order_by().values_list("integration").annotate(count=Count("pk"))
    return {pk: count for pk, count in counted if count >= settings.NOTICE_BREACHES}


def _far(now: datetime) -> set[int]:
    """With an issue that has taken so many times its target, as far as what we know reaches."""
    over = Clock.objects.filter(LISTED, state=Watching.OVERDUE, promised=True, watch__ended_at=None, due_at__lt=now)
    found = set()
    columns = ("integration_id", "started_at", "due_at", "watch__data_up_to", "integration__standing_looked_at")
    for pk, started, due, known, looked in over.values_list(*columns).iterator():
        crossed = due + (settings.NOTICE_OVERDUE_TIMES - 1) * (due - started)
        if crossed <= min(now, known) and (looked is None or looked < crossed):
            found.add(pk)
    return found


def _suggest(pk: int, why: str, now: datetime) -> bool:
    row = Integration.objects.select_related("partner").get(pk=pk)
    try:
        perform(row, "suggest_notice", by=None, now=now, version=row.version, why=why)
    except NotAllowed:
        return False  # somebody was faster
    return True
