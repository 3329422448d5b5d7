"""When is a report made, and who gets it? Rows that are due, found by the sweep; a week that was missed is caught up.

A snapshot is made once a scope and week, a copy once a snapshot and reader, in the transaction of its mail.
"""

from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from portal import mail
from portal.reports import build, unsubscribe
from portal.reports.models import ReportCopy, ReportWish, Snapshot
from portal.reports.scopes import PROGRAMS_SCOPE, Reported, partner_key, readers_of, reported
from portal.reports.shown import shown
from portal.reports.weeks import Week, last_complete, parse
from verification.models import Watch

MORNING = time(8)
CATCH_UP = 4  # weeks


def zone() -> ZoneInfo:
    """The program's zone, in which its weeks begin."""
    return ZoneInfo(settings.REPORT_ZONE)


def send_due(now: datetime | None = None) -> int:
    """Make what is due and serve its readers. Returns how many copies were made."""
    now = now or timezone.now()
    return sum(_serve(found, week, now) for week in due_weeks(now) for found in due_scopes(week))


def due_weeks(now: datetime) -> list[Week]:
    """The last complete week, and before it those that were missed, oldest first.

    Missed: nobody was served, though somebody was served before. A portal that has never reported begins with the
    last week.
    """
    last = last_complete(now, zone())
    served = ReportCopy.objects.order_by("-snapshot__week").values_list("snapshot__week", flat=True).first()
    if served is None:
        return [last]
    weeks, week = [last], last
    while len(weeks) < CATCH_UP and week.before > parse(served):
        week = week.before
        weeks.append(week)
    return weeks[::-1]


def due_scopes(week: Week) -> list[Reported]:
    """The programs' report, and one for each partner whose repositories were watched in the week."""
    start, end = week.span(zone())
    watched = Watch.objects.filter(began_at__lt=end).exclude(ended_at__lt=start)
    partners = watched.order_by("integration__partner_id").values_list("integration__partner_id", flat=True).distinct()
    keys = [PROGRAMS_SCOPE, *(partner_key(pk) for pk in partners)]
    wished = ReportWish.objects.filter(scope__startswith="program:").exclude(frequency=ReportWish.Frequency.NEVER)
    keys += list(wished.order_by("scope").values_list("scope", flat=True).distinct())
    return [found for key in keys if (found := reported(key))]


def snapshot_of(found: Reported, week: Week, now: datetime) -> Snapshot:
    """The frozen figures: made now where they are not there yet."""
    made = Snapshot.objects.filter(scope=found.key, week=str(week)).first()
    if made is not None:
        return made
    figures = build.build(found, week, zone(), now)
    made, _ = Snapshot.objects.get_or_create(
        scope=found.key, week=str(week), defaults={"figures": figures, "made_at": now}
    )
    return made


def _serve(found: Reported, week: Week, now: datetime) -> int:
    waiting = [reader for reader in readers_of(found) if morning(reader, week) <= now]
    if not waiting:
        return 0
    snapshot = snapshot_of(found, week, now)
    served = set(snapshot.copies.values_list("reader", flat=True))
    wishes = {w.user_id: w.frequency for w in ReportWish.objects.filter(scope=found.key)}
    return sum(
        serve(snapshot, reader, wishes.get(reader.pk, default_of(found.key)), now)
        for reader in waiting
        if reader.email not in served
    )


def default_of(scope: str) -> str:
    """What a reader gets who has said nothing: the report of one program only where they asked for it."""
    return ReportWish.Frequency.NEVER if scope.startswith("program:") else ReportWish.Frequency.WEEKLY


def morning(reader: Any, week: Week) -> datetime:
    """Monday morning after the week, where the reader is; never before the week has ended."""
    return max(datetime.combine(week.after.monday, MORNING, ZoneInfo(reader.zone)), week.span(zone())[1])


def is_wanted(snapshot: Snapshot, frequency: str) -> bool:
    """Whether a reader of that frequency wants this week."""
    totals = snapshot.figures["totals"]
    trouble = any(totals[name] for name in ("broken", "at_risk", "overdue", "blind"))
    return frequency == ReportWish.Frequency.WEEKLY or (frequency == ReportWish.Frequency.TROUBLE and trouble)


@transaction.atomic
def serve(snapshot: Snapshot, reader: Any, frequency: str, now: datetime) -> int:
    """One reader's copy, once. Returns 1 where a mail was queued."""
    wanted = is_wanted(snapshot, frequency)
    _, is_new = ReportCopy.objects.get_or_create(
        snapshot=snapshot, reader=reader.email, defaults={"made_at": now, "sent": wanted}
    )
    if not (is_new and wanted):
        return 0
    stop = unsubscribe.address(reader, snapshot.scope)
    context = {
        "report": shown(snapshot.figures),
        "page": settings.SITE_URL + reverse("report", args=[snapshot.scope, snapshot.week]),
        "unsubscribe": stop,
    }
    key = f"report:{snapshot.scope}:{snapshot.week}:{reader.email}"
    return int(mail.queue("report", key, reader, context, unsubscribe=stop, now=now) is not None)
