"""Figures of the pages about all programs, counted before their cache expires so that no reader waits for them."""

from datetime import datetime

from integrations.partners.permission_conditions import WRITES_FOR_PROGRAMS
from integrations.sla.filters import parse_filters
from portal.accounts.models import User
from portal.analytics import forecast_accuracy
from portal.analytics.filters import build_analytics_filters
from portal.analytics.selectors import flow, stays, workload
from portal.core.figures import refresh_figures
from portal.core.periods import get_program_zone
from portal.reports.overview import build_overview
from portal.reports.trends import build_trends


def refresh_program_figures(now: datetime) -> int:
    """Count the figures of unfiltered pages for program staff. Return the number of pages."""
    # All program staff see the same rows, so their pages share the keys of the cache.
    reader = User.objects.filter(WRITES_FOR_PROGRAMS, is_active=True).first()
    if reader is None:
        return 0
    zone = get_program_zone()
    clock_filters = parse_filters(reader, {})
    filters = build_analytics_filters({}, now)
    pages = (
        lambda: build_trends(clock_filters, now, zone),
        lambda: build_overview(clock_filters, now, zone),
        lambda: (stays.list_stays(filters), stays.list_responsible_party_times(filters), stays.list_rounds(filters)),
        lambda: (
            flow.count_groups(filters),
            flow.count_moves(filters, flow.list_span_starts(filters, zone, 2 * flow.COLUMN_COUNT), zone),
        ),
        lambda: (workload.list_reviewer_loads(filters), workload.list_failing_checks(filters)),
        lambda: forecast_accuracy.evaluate_programs(now, weeks=forecast_accuracy.BACKTEST_WEEKS),
    )
    with refresh_figures():
        for build_page in pages:
            build_page()
    return len(pages)
