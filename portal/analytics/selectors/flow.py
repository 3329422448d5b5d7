"""Queries for throughput and the funnel."""

from collections import defaultdict
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Count, F, Q
from django.db.models.functions import TruncMonth, TruncWeek
from django.utils.translation import gettext_noop

from integrations.programs.registry import get_edition
from integrations.submissions.models import Integration
from portal.analytics.filters import AnalyticsFilters
from portal.analytics.funnel import IntegrationGroup
from portal.audit.models import AuditEvent
from portal.core.figures import read_figures
from portal.core.value_types import JsonObject

COLUMN_COUNT = 12
# Counted moves by event type. An undone decision still counts on its day.
MOVE_BY_EVENT_TYPE = {
    "review.requested": gettext_noop("Submitted"),
    "integration.listed": gettext_noop("Listed"),
    "compliance.delisted": gettext_noop("Delisted"),
    "integration.archived": "Delisted",
}
MOVE_NAMES = ("Submitted", "Listed", "Delisted")


def list_span_starts(filters: AnalyticsFilters, zone: ZoneInfo, columns: int = COLUMN_COUNT) -> list[date]:
    """Return the first days of the last weeks, or of the last months for a year, including the current one."""
    today = filters.now.astimezone(zone).date()
    if filters.period != "365":
        monday = today - timedelta(days=today.weekday())
        return [monday - timedelta(weeks=n) for n in reversed(range(columns))]
    months = today.year * 12 + today.month - 1
    return [date((months - n) // 12, (months - n) % 12 + 1, 1) for n in reversed(range(columns))]


def count_moves(filters: AnalyticsFilters, days: list[date], zone: ZoneInfo) -> dict[str, list[int]]:
    """Return the counts of each move in each span. Large results are cached for ten minutes."""
    return read_figures(
        f"moves {filters.program} {filters.period} {days[0]} {len(days)}",
        lambda: _count_moves(filters, days, zone),
        lambda counts: sum(map(sum, counts.values())),
    )


def _count_moves(filters: AnalyticsFilters, days: list[date], zone: ZoneInfo) -> dict[str, list[int]]:
    start = datetime.combine(days[0], datetime.min.time(), zone)
    span_start = (TruncMonth if filters.period == "365" else TruncWeek)("at", tzinfo=zone)
    events = AuditEvent.objects.filter(
        event_type__in=MOVE_BY_EVENT_TYPE,
        at__gte=start,
        at__lte=filters.now,
        **filters.build_program_lookup("integration__program_key"),
    )
    rows = events.order_by().annotate(span=span_start).values_list("event_type", "span").annotate(n=Count("pk"))
    counts_by_move: dict[str, dict[date, int]] = {name: defaultdict(int) for name in MOVE_NAMES}
    for event_type, span, n in rows:
        # In UTC, a week of a zone to the east begins on a Sunday.
        counts_by_move[MOVE_BY_EVENT_TYPE[event_type]][span.astimezone(zone).date()] += n
    return {name: [counts[day] for day in days] for name, counts in counts_by_move.items()}


def count_groups(filters: AnalyticsFilters) -> list[IntegrationGroup]:
    """Return the integrations created in the period, grouped by progress. Large results are cached for ten minutes."""
    started_integrations = Integration.objects.filter(
        created_at__gte=filters.since, created_at__lte=filters.now, **filters.build_program_lookup()
    )
    columns = ("stage", "stage_before_end", "program_key", "edition_date", "step")
    grouped_rows = started_integrations.order_by().values(
        *columns, has_review_request=Q(review_round__gt=0), was_listed=Q(released_at__isnull=False)
    )
    return read_figures(
        f"groups {filters.program} {filters.period}",
        lambda: [_build_group(row) for row in grouped_rows.annotate(n=Count("pk"), program=F("program_key"))],
        lambda groups: sum(group.count for group in groups),
    )


def _build_group(row: JsonObject) -> IntegrationGroup:
    step = get_edition(row["program_key"], row["edition_date"]).get_step(row["step"]).name
    flags = {name: bool(row[name]) for name in ("has_review_request", "was_listed")}
    return IntegrationGroup(row["stage"], row["n"], row["stage_before_end"], step=step, program=row["program"], **flags)
