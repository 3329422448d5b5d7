"""When is a report made, and who gets it? Rows that are due, found by the sweep; a week that was missed is caught up.

The figures of a scope and week are frozen once, an hour after the week has ended. In the same transaction each reader
gets a copy and its mail, which waits for the reader's Monday morning: what is frozen is served, whatever dies then.
"""

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from integrations.partners import permissions
from integrations.partners.models import Role
from integrations.sla.models import Watch
from portal.core.iso_weeks import Week, last_complete, parse, zone
from portal.notifications import email as mail
from portal.reports import metrics, unsubscribe
from portal.reports.models import ReportCopy, ReportWish, Snapshot
from portal.reports.presenters import shown
from portal.reports.scopes import PROGRAMS_SCOPE, Reported, partner_key, readers_of, reported

MORNING = time(8)
SETTLED = timedelta(hours=1)  # after a week's end: by then every repository has been read once more
CATCH_UP = 4  # weeks


def send_due(now: datetime | None = None) -> int:
    """Freeze what is due and serve its readers. Returns how many mails were queued."""
    now = now or timezone.now()
    return sum(_serve(found, week, now) for week in due_weeks(now) for found in due_scopes(week))


def due_weeks(now: datetime) -> list[Week]:
    """The last complete week, and before it those that were missed, oldest first, four in all.

    The last one that was reported is among them, as far as it was served: a scope that was left out is served now.
    A portal that has never reported begins with the last week.
    """
    last = last_complete(now - SETTLED, zone())
    reported_to = Snapshot.objects.exclude(week__gt=str(last)).order_by("-week").values_list("week", flat=True).first()
    weeks = [last]
    while reported_to and len(weeks) < CATCH_UP and weeks[-1] > parse(reported_to):
        weeks.append(weeks[-1].before)
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


def snapshot_of(found: Reported, week: Week, now: datetime) -> tuple[Snapshot, bool]:
    """The frozen figures, and whether they were frozen just now."""
    made = Snapshot.objects.filter(scope=found.key, week=str(week)).first()
    if made is not None:
        return made, False
    figures = metrics.build(found, week, zone(), now)
    return Snapshot.objects.get_or_create(
        scope=found.key, week=str(week), defaults={"figures": figures, "made_at": now}
    )


@transaction.atomic
def _serve(found: Reported, week: Week, now: datetime) -> int:
    """Freeze a scope's week and serve all of its readers, once. Returns how many mails were queued."""
    snapshot, is_new = snapshot_of(found, week, now)
    if not is_new:
        return 0
    wishes = {wish.user_id: wish.frequency for wish in ReportWish.objects.filter(scope=found.key)}
    readers = readers_of(found)
    return sum(serve(snapshot, reader, wishes.get(reader.pk, default_of(found, reader)), now) for reader in readers)


def default_of(found: Reported, reader: Any) -> str:
    """What a reader gets who has said nothing: those who only look on, and the report of one program, where asked."""
    if found.partner is not None and permissions.role_of(found.partner, reader) not in (Role.OWNER, Role.EDITOR):
        return ReportWish.Frequency.NEVER
    return ReportWish.Frequency.NEVER if found.key.startswith("program:") else ReportWish.Frequency.WEEKLY


def morning(reader: Any, week: Week) -> datetime:
    """Monday morning after the week, where the reader is; never before the week has ended and settled."""
    return max(datetime.combine(week.after.monday, MORNING, ZoneInfo(reader.zone)), week.span(zone())[1] + SETTLED)


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
    key = f"{unsubscribe.key_of(snapshot.scope)}{snapshot.week}:{reader.pk}"
    held = morning(reader, parse(snapshot.week))
    made = mail.queue("report", key, reader, context, hold_until=held, unsubscribe=stop, now=now)
    return int(made is not None)
