"""Incomplete data of past weeks, which only the stored reports contain."""

from collections.abc import Iterable

from portal.core.periods import Period
from portal.reports.models import ReportSnapshot


def count_incomplete_clocks(report: str, weeks: Iterable[Period]) -> dict[Period, int]:
    """Return the number of clocks with incomplete data by week, for weeks with a report."""
    weeks_by_name = {str(week): week for week in weeks}
    snapshots = (
        ReportSnapshot.objects.filter(scope=report, period__in=weeks_by_name)
        if report
        else ReportSnapshot.objects.none()
    )
    return {
        weeks_by_name[week]: int(number)
        for week, number in snapshots.values_list("period", "figures__totals__data_incomplete")
    }
