"""What came in and went out, and how far did each get? One query each, over events and integrations."""

from collections import defaultdict
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, F, Q
from django.db.models.functions import TruncMonth, TruncWeek
from django.utils.translation import gettext_noop

from integrations.programs.registry import edition_of
from integrations.submissions.models import Integration
from portal.analytics.filters import Choice
from portal.analytics.funnel import Group
from portal.audit.models import Event

COLUMNS = 12
# what is counted, by verb; where a decision was undone, it counts with the day on which it was taken
MOVES = {
    "request_review": gettext_noop("Submitted"),
    "release": gettext_noop("Listed"),
    "remove": gettext_noop("Removed"),
    "archive": "Removed",
}
NAMES = ("Submitted", "Listed", "Removed")


def spans(choice: Choice, zone: ZoneInfo, columns: int = COLUMNS) -> list[date]:
    """The first days of the last weeks, or of the last months where a year is shown; this one last."""
    today = choice.now.astimezone(zone).date()
    if choice.period != "365":
        monday = today - timedelta(days=today.weekday())
        return [monday - timedelta(weeks=n) for n in reversed(range(columns))]
    months = today.year * 12 + today.month - 1
    return [date((months - n) // 12, (months - n) % 12 + 1, 1) for n in reversed(range(columns))]


def throughput(choice: Choice, days: list[date], zone: ZoneInfo) -> dict[str, list[int]]:
    """How many of each of NAMES in each span."""
    start = datetime.combine(days[0], datetime.min.time(), zone)
    truncated = (TruncMonth if choice.period == "365" else TruncWeek)("at", tzinfo=zone)
    events = Event.objects.filter(
        verb__in=MOVES, at__gte=start, at__lte=choice.now, **choice.of("integration__program_key")
    )
    rows = events.order_by().annotate(span=truncated).values_list("verb", "span").annotate(n=Count("pk"))
    found: dict[str, dict[date, int]] = {name: defaultdict(int) for name in NAMES}
    for verb, span, n in rows:
        found[MOVES[verb]][span.astimezone(zone).date()] += n
    return {name: [counts[day] for day in days] for name, counts in found.items()}


def groups(choice: Choice) -> list[Group]:
    """The integrations that began within the period, counted by how far they got."""
    began = Integration.objects.filter(created_at__gte=choice.since, created_at__lte=choice.now, **choice.of())
    columns = ("stage", "before_end", "program_key", "edition_date", "step")
    flagged = began.order_by().values(*columns, asked=Q(review_round__gt=0), listed=Q(released_at__isnull=False))
    return [_group(row) for row in flagged.annotate(n=Count("pk"), program=F("program_key"))]


def _group(row: dict[str, Any]) -> Group:
    step = edition_of(row["program_key"], row["edition_date"]).step(row["step"]).name
    return Group(
        row["stage"], row["n"], row["before_end"], bool(row["asked"]), bool(row["listed"]), step, row["program"]
    )
