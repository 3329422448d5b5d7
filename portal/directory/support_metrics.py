"""Support metrics of many listings at once.

Share and sample size equal those of `integrations.sla.metrics` for one integration. A test compares them.
"""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, QuerySet

from integrations.sla.engine.types import ClockStatus
from integrations.sla.metrics import Totals
from integrations.sla.models import SlaBreach, SlaClock
from integrations.sla.services.issue_repository import is_measurable
from integrations.sla.services.monitoring import filter_measurable
from integrations.submissions.models import Integration
from integrations.submissions.selectors.answers import get_issue_trackers

PERIOD_DAYS = 90
MIN_SAMPLE_SIZE = 5  # SLA targets below which a percentage is not meaningful


MetricColumns = dict[str, float | str | None]


def get_support_metrics(integrations: Collection[int], now: datetime) -> dict[int, MetricColumns]:
    """Return the columns of the support record by integration ID, with six queries."""
    period_start = now - timedelta(days=PERIOD_DAYS)
    period_filter = {"stopped_at__gte": period_start, "stopped_at__lt": now, "integration__in": integrations}
    met_counts = _count_by_integration(
        SlaClock.objects.filter(is_committed=True, state=ClockStatus.MET, **period_filter)
    )
    due_filter = {"due_at__gte": period_start, "due_at__lt": now, "integration__in": integrations}
    breach_counts = _count_by_integration(SlaBreach.objects.filter(retracted_at=None, **due_filter))
    incomplete_counts = _count_by_integration(
        SlaClock.objects.filter(is_committed=True, state=ClockStatus.DATA_INCOMPLETE, **due_filter)
    )
    hours: dict[tuple[int, str], list[float]] = defaultdict(list)
    # Clocks without a target are included, so that programs without targets have median times, too.
    stopped_clocks = SlaClock.objects.filter(**period_filter)
    for pk, target_type, seconds in stopped_clocks.values_list("integration_id", "target_type", "counted_seconds"):
        hours[pk, target_type].append(round(seconds / 3600, 2))
    measurable = Integration.objects.filter(pk__in=integrations, monitored_repository__in=filter_measurable(now))
    measured = list(measurable.only("program_key", "edition_date", "repository"))
    trackers = get_issue_trackers([row.pk for row in measured])  # no query if nothing is measured, as in a preview
    targets = {
        row.pk: row.edition.sla.summary for row in measured if is_measurable(trackers.get(row.pk, ""), row.repository)
    }
    return {
        pk: _build_share(met_counts.get(pk, 0), breach_counts.get(pk, 0))
        | {
            "data_incomplete": incomplete_counts.get(pk, 0),
            "median_hours": _calculate_median(hours[pk, "respond"]),
            "response_count": len(hours[pk, "respond"]),
            "median_resolution_hours": _calculate_median(hours[pk, "resolve"]),
            "resolution_count": len(hours[pk, "resolve"]),
            "measured_target": targets.get(pk, ""),
        }
        for pk in integrations
    }


def _count_by_integration(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.order_by().values_list("integration_id").annotate(n=Count("pk")))


def _build_share(met_count: int, breach_count: int) -> MetricColumns:
    """Return the columns of the share. `rank` is the share in tenths of a percent, or -1 for a small sample."""
    totals = Totals(met_count, breach_count)
    share = totals.share
    count = totals.settled_count
    rank = round(share * 10) if share is not None and count >= MIN_SAMPLE_SIZE else -1
    return {"on_time_share": share, "settled_count": count, "rank": rank}


def _calculate_median(hours: list[float]) -> float | None:
    return round(median(hours), 1) if hours else None
