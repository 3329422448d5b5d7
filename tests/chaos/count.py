"""Counts records in the database and the accepted emails after a chaos run."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Count
from django.utils import timezone

from integrations.partners.models import Membership
from integrations.sla.models import Alert, SlaBreach, SlaClock
from portal.jobs.models import Job, PeriodicRun
from portal.notifications.models import EmailMessage
from tests.chaos.sink import Sink
from tests.chaos.world import names_due

if TYPE_CHECKING:
    from tests.chaos.run import Plan, Toll

OPEN = ("held", "queued")
BETWEEN_NAMES = re.compile(r":?\s+")  # plain text writes a link as its label, a colon, and the URL


def is_waiting(naive: bool) -> bool:
    """Whether something is still to be done. The usual pattern keeps no row that could say so: it gets ten seconds."""
    now = timezone.now()
    if SlaClock.objects.filter(next_at__lte=now).exists():
        return True
    if naive:
        newest = SlaBreach.objects.order_by("-found_at").values_list("found_at", flat=True).first()
        return newest is not None and (now - newest).total_seconds() < 20
    return Alert.objects.filter(told_at=None).exists() or EmailMessage.objects.filter(state__in=OPEN).exists()


def hurry() -> None:
    """Let the time pass for which mails that were refused wait: what is put off is neither told nor lost."""
    now = timezone.now()
    Job.objects.filter(state=Job.State.PENDING, run_after__gt=now).update(run_after=now)


def end_leases() -> None:
    """Let the time pass for which a mail or a job is held by a process that was killed."""
    Job.objects.filter(state=Job.State.RUNNING).update(lease_expires_at=timezone.now())
    PeriodicRun.objects.update(lease_expires_at=None)


def toll(plan: "Plan", sink: Sink, end: datetime, program: str) -> "Toll":
    """Compare what was due with what is recorded and what was read, and when."""
    from tests.chaos.run import Toll

    due = names_due(end)
    due_at = dict(SlaClock.objects.filter(pk__in=due).values_list("pk", "due_at"))
    breaches = set(SlaBreach.objects.values_list("clock_id", flat=True))
    read_readings = collect_readings(sink, plan.naive, program)
    readings_by_clock = {clock: [read.get(name) for read in read_readings(clock)] for clock, name in due.items()}
    lost_clocks = {clock for clock in due if clock not in breaches or None in readings_by_clock[clock]}
    delays = sorted((b.found_at - b.due_at).total_seconds() for b in SlaBreach.objects.only("found_at", "due_at"))
    waits = sorted(
        max(map(float, readings_by_clock[clock])) - due_at[clock].timestamp()
        for clock in due
        if clock not in lost_clocks
    )
    double = SlaBreach.objects.values("clock").annotate(n=Count("pk")).filter(n__gt=1).count()
    return Toll(
        breaches=len(due),
        lost=len(lost_clocks),
        false=len(breaches - set(due)),
        double=double,
        mails=len(sink.copies),
        copies=sum(sink.copies.values()),
        cuts=sink.cuts,
        refusals=sink.refusals,
        kills=plan.kills,
        flushes=plan.flushes,
        restarts=plan.restarts,
        slowest=max(delays, default=0),
        p99=_p99(delays),
        told_slowest=max(waits, default=0),
        told_p99=_p99(waits),
        is_calm=plan.is_calm,
    )


def _p99(sorted_seconds: list[float]) -> float:
    return sorted_seconds[int(len(sorted_seconds) * 0.99)] if sorted_seconds else 0


def collect_readings(sink: Sink, naive: bool, program: str) -> Callable[[int], list[dict[str, float]]]:
    """For a clock: the names that each of its readers has read, with the moment of the first time."""
    read: dict[str, dict[str, float]] = {}
    for to, mails in sink.texts.items():
        names = read.setdefault(to, {})
        for at, text in mails:
            for word in BETWEEN_NAMES.split(text):
                names.setdefault(word, at)
    if naive:
        return lambda clock: [read.get(program, {}), read.get("owner@chaos.example", {})]
    owner = {m.partner_id: m.user.email for m in Membership.objects.select_related("user")}
    company = dict(SlaClock.objects.values_list("pk", "integration__partner_id"))
    return lambda clock: [read.get(program, {}), read.get(owner[company[clock]], {})]
