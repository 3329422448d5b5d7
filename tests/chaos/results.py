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
from tests.chaos.report import ChaosReport
from tests.chaos.sink import Sink
from tests.chaos.world import read_due_issue_names

if TYPE_CHECKING:
    from tests.chaos.run import Plan

UNSENT_STATES = ("held", "queued")
BETWEEN_NAMES = re.compile(r":?\s+")  # plain text writes a link as its label, a colon, and the URL


def is_waiting(naive: bool) -> bool:
    """Return whether work is pending. The usual pattern stores no pending work, so it gets 20 seconds."""
    now = timezone.now()
    if SlaClock.objects.filter(next_at__lte=now).exists():
        return True
    if naive:
        newest = SlaBreach.objects.order_by("-found_at").values_list("found_at", flat=True).first()
        return newest is not None and (now - newest).total_seconds() < 20
    return (
        Alert.objects.filter(notified_at=None).exists() or EmailMessage.objects.filter(state__in=UNSENT_STATES).exists()
    )


def skip_retry_delays() -> None:
    """Make delayed retries due now: an email that waits for its retry is neither sent nor lost."""
    now = timezone.now()
    Job.objects.filter(state=Job.State.PENDING, run_after__gt=now).update(run_after=now)


def end_leases() -> None:
    """Expire the leases of killed processes on emails and jobs."""
    Job.objects.filter(state=Job.State.RUNNING).update(lease_expires_at=timezone.now())
    PeriodicRun.objects.update(lease_expires_at=None)


def build_report(plan: "Plan", sink: Sink, end: datetime, program: str) -> ChaosReport:
    """Compare the due clocks with the recorded breaches and the received emails."""
    due = read_due_issue_names(end)
    due_at = {pk: at.timestamp() for pk, at in SlaClock.objects.filter(pk__in=due).values_list("pk", "due_at") if at}
    breaches = set(SlaBreach.objects.values_list("clock_id", flat=True))
    list_received_names = collect_received_names(sink, plan.naive, program)
    receipts_by_clock = {clock: [read.get(name) for read in list_received_names(clock)] for clock, name in due.items()}
    lost_clocks = {clock for clock in due if clock not in breaches or None in receipts_by_clock[clock]}
    delays = sorted((b.found_at - b.due_at).total_seconds() for b in SlaBreach.objects.only("found_at", "due_at"))
    waits = sorted(
        max(at for at in receipts_by_clock[clock] if at is not None) - due_at[clock]
        for clock in due
        if clock not in lost_clocks
    )
    double = SlaBreach.objects.values("clock").annotate(n=Count("pk")).filter(n__gt=1).count()
    return ChaosReport(
        seed=plan.seed,
        breaches=len(due),
        lost=len(lost_clocks),
        false=len(breaches - set(due)),
        double=double,
        emails=len(sink.copies),
        copies=sum(sink.copies.values()),
        cuts=sink.cuts,
        refusals=sink.refusals,
        kills=plan.kills,
        flushes=plan.flushes,
        restarts=plan.restarts,
        slowest=max(delays, default=0),
        p99=_p99(delays),
        slowest_email=max(waits, default=0),
        p99_email=_p99(waits),
        is_short=plan.is_short,
        is_calm=plan.is_calm,
        is_naive=plan.naive,
    )


def _p99(sorted_seconds: list[float]) -> float:
    return sorted_seconds[int(len(sorted_seconds) * 0.99)] if sorted_seconds else 0


def collect_received_names(sink: Sink, naive: bool, program: str) -> Callable[[int], list[dict[str, float]]]:
    """Return a function from a clock to what each of its recipients received: issue name to time of first receipt."""
    read: dict[str, dict[str, float]] = {}
    for to, emails in sink.texts.items():
        names = read.setdefault(to, {})
        for at, text in emails:
            for word in BETWEEN_NAMES.split(text):
                names.setdefault(word, at)
    if naive:
        return lambda clock: [read.get(program, {}), read.get("owner@chaos.example", {})]
    owner = {m.partner_id: m.user.email for m in Membership.objects.select_related("user")}
    company = dict(SlaClock.objects.values_list("pk", "integration__partner_id"))
    return lambda clock: [read.get(program, {}), read.get(owner[company[clock]], {})]
