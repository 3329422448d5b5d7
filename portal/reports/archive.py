"""Search in the archive of reports."""

from datetime import date

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from portal.core.json_texts import JSONTexts
from portal.core.periods import PeriodKind, get_period
from portal.core.value_types import NamedValues
from portal.reports.models import ReportSnapshot
from portal.reports.summaries import CONCERNS

KINDS = {
    PeriodKind.WEEK: gettext_lazy("Weekly"),
    PeriodKind.MONTH: gettext_lazy("Monthly"),
    PeriodKind.QUARTER: gettext_lazy("Quarterly"),
}
VERDICTS = {
    "overdue": gettext_lazy("With overdue issues"),
    "data_incomplete": gettext_lazy("With incomplete data"),
    "breached": gettext_lazy("With breaches"),
    "fine": gettext_lazy("Without problems"),
}


def search_reports(reports: QuerySet[ReportSnapshot], filters: NamedValues) -> QuerySet[ReportSnapshot]:
    """Return the reports that match all filters: scope, kind, a covered day, verdict, and a text in the figures."""
    if scope := filters.get("scope"):
        reports = reports.filter(scope=scope)
    if kind := filters.get("kind"):
        reports = reports.filter(kind=kind)
    day: date | None = filters.get("day")
    if day:
        # A day belongs to one period of each kind.
        reports = reports.filter(period__in=[str(get_period(each, day)) for each in PeriodKind])
    if text := filters.get("q"):
        reports = reports.alias(texts=JSONTexts("figures")).filter(texts__icontains=text)
    verdict = filters.get("verdict")
    if verdict == "fine":
        return reports.filter(**{f"figures__totals__{concern.key}": 0 for concern in CONCERNS})
    return reports.filter(**{f"figures__totals__{verdict}__gt": 0}) if verdict else reports
