"""Queries of stage durations."""

from datetime import timedelta

from django.db.models import Count, DurationField, ExpressionWrapper, F, Sum
from django.db.models.functions import Greatest

from portal.analytics.filters import AnalyticsFilters
from portal.analytics.metrics import STAGES, ResponsiblePartyTime, StageStay
from portal.analytics.models import StageDuration
from portal.core.figures import read_figures


def list_stays(filters: AnalyticsFilters) -> list[StageStay]:
    """Return the stays that ended within the period, grouped by length. Large results are cached for ten minutes."""
    durations = StageDuration.objects.filter(
        ends_stay=True, ended_at__gte=filters.since, ended_at__lte=filters.now, **filters.build_program_lookup()
    )
    rows = durations.order_by().values_list("program_key", "stage", "business_day_tenths").annotate(n=Count("pk"))
    return read_figures(
        f"stays {filters.program} {filters.period}",
        lambda: [
            StageStay(program, stage, (business_day_tenths or 0) / 10, n)
            for program, stage, business_day_tenths, n in rows
        ],
        lambda stays: sum(stay.count for stay in stays),
    )


def list_responsible_party_times(filters: AnalyticsFilters) -> list[ResponsiblePartyTime]:
    """Return the time of ended periods by program, stage, and responsible party, limited to the filtered period.

    A large result is cached for ten minutes.
    """
    durations = StageDuration.objects.filter(
        ended_at__gte=filters.since, ended_at__lte=filters.now, stage__in=STAGES, **filters.build_program_lookup()
    )
    # A period that began before the filtered one counts only from there.
    length = ExpressionWrapper(F("ended_at") - Greatest("started_at", filters.since), output_field=DurationField())
    groups = durations.order_by().values_list("program_key", "stage", "responsible_party")
    rows = read_figures(
        f"responsible parties {filters.program} {filters.period}",
        lambda: list(groups.annotate(time=Sum(length), n=Count("pk"))),
        lambda rows: sum(count for *_, count in rows),
    )
    return [
        ResponsiblePartyTime(program, stage, party, time or timedelta()) for program, stage, party, time, _n in rows
    ]


def list_rounds(filters: AnalyticsFilters) -> list[tuple[int, int]]:
    """Return pairs (round, number of reviews that ended in it) within the period.

    Large results are cached for ten minutes.
    """
    durations = StageDuration.objects.filter(
        ends_stay=True,
        stage="review",
        ended_at__gte=filters.since,
        ended_at__lte=filters.now,
        **filters.build_program_lookup(),
    )
    return read_figures(
        f"rounds {filters.program} {filters.period}",
        lambda: list(durations.order_by().values_list("round").annotate(n=Count("pk"))),
        lambda rounds: sum(count for _round, count in rounds),
    )
