"""What was blind in past weeks? As the weekly reports froze it: nothing that is stored today could tell it."""

from collections.abc import Iterable

from portal.core.iso_weeks import IsoWeek
from portal.reports.models import ReportSnapshot


def count_incomplete_clocks(report: str, weeks: Iterable[IsoWeek]) -> dict[IsoWeek, int]:
    """How many clocks were blind when the report of each week was made; a week without a report is left out."""
    weeks_by_name = {str(week): week for week in weeks}
    snapshots = (
        ReportSnapshot.objects.filter(scope=report, week__in=weeks_by_name) if report else ReportSnapshot.objects.none()
    )
    return {
        weeks_by_name[week]: int(number)
        for week, number in snapshots.values_list("week", "figures__totals__data_incomplete")
    }
