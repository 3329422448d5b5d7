"""Queries of stage durations."""

from datetime import timedelta

from django.db.models import Count, DurationField, ExpressionWrapper, F, Sum
from django.db.models.functions import Greatest

from portal.analytics.filters import AnalyticsFilters
from portal.analytics.metrics import STAGES, HolderTime, StageStay
from portal.analytics.models import StageDuration


def list_stays(filters: AnalyticsFilters) -> list[StageStay]:
    """Return the stays that ended within the period, grouped by length."""
    durations = StageDuration.objects.filter(
        leaves=True, until__gte=filters.since, until__lte=filters.now, **filters.of()
    )
    rows = durations.order_by().values_list("program_key", "stage", "tenths").annotate(n=Count("pk"))
    return [StageStay(program, stage, (tenths or 0) / 10, n) for program, stage, tenths, n in rows]


def list_holder_times(filters: AnalyticsFilters) -> list[HolderTime]:
    """Return the time of ended periods by program, stage, and responsible party, limited to the filtered period."""
    durations = StageDuration.objects.filter(
        until__gte=filters.since, until__lte=filters.now, stage__in=STAGES, **filters.of()
    )
    length = ExpressionWrapper(F("until") - Greatest("since", filters.since), output_field=DurationField())
    groups = durations.order_by().values("program_key", "stage", "holder").annotate(time=Sum(length))
    return [HolderTime(g["program_key"], g["stage"], g["holder"], g["time"] or timedelta()) for g in groups]


def list_rounds(filters: AnalyticsFilters) -> list[tuple[int, int]]:
    """Return pairs (round, number of reviews that ended in it) within the period."""
    durations = StageDuration.objects.filter(
        leaves=True, stage="review", until__gte=filters.since, until__lte=filters.now, **filters.of()
    )
    return list(durations.order_by().values_list("round").annotate(n=Count("pk")))
