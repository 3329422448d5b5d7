"""What was blind in past weeks? As the weekly reports froze it: nothing that is stored today could tell it."""

from collections.abc import Iterable

from portal.core.iso_weeks import Week
from portal.reports.models import Snapshot


def blind(report: str, weeks: Iterable[Week]) -> dict[Week, int]:
    """How many clocks were blind when the report of each week was made; a week without a report is left out."""
    by_name = {str(week): week for week in weeks}
    kept = Snapshot.objects.filter(scope=report, week__in=by_name) if report else Snapshot.objects.none()
    return {by_name[week]: int(number) for week, number in kept.values_list("week", "figures__totals__blind")}
