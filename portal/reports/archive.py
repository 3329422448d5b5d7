"""Search in the archive of reports."""

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext_lazy

from portal.core.value_types import NamedValues
from portal.reports.models import ReportSnapshot
from portal.reports.summaries import CONCERNS

VERDICTS = {
    "overdue": gettext_lazy("With overdue issues"),
    "data_incomplete": gettext_lazy("With incomplete data"),
    "breached": gettext_lazy("With breaches"),
    "fine": gettext_lazy("Without problems"),
}


def search_reports(reports: QuerySet[ReportSnapshot], filters: NamedValues) -> QuerySet[ReportSnapshot]:
    """Return the reports that match all filters: scope, week, verdict, and a text in the figures."""
    if scope := filters.get("scope"):
        reports = reports.filter(scope=scope)
    if week := filters.get("week"):
        reports = reports.filter(week=week)
    if text := filters.get("q"):
        reports = reports.annotate(content=Cast("figures", TextField())).filter(
            Q(content__icontains=text) | Q(figures__name__icontains=text)
        )
    verdict = filters.get("verdict")
    if verdict == "fine":
        return reports.filter(**{f"figures__totals__{concern.key}": 0 for concern in CONCERNS})
    return reports.filter(**{f"figures__totals__{verdict}__gt": 0}) if verdict else reports
