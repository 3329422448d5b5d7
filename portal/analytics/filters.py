"""Filters of analytics pages: program and period."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django import forms
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext as _, gettext_lazy, gettext_noop

from integrations.programs.registry import PROGRAMS
from integrations.submissions.access import require_program_staff

FILTER_NAMES = ("program", "period")
PERIODS = {"30": gettext_lazy("last 30 days"), "90": gettext_lazy("last 90 days"), "365": gettext_lazy("last 365 days")}
DEFAULT_PERIOD = "90"
PAGE_TITLES = {
    "overview": gettext_noop("Stage durations"),
    "flow": gettext_noop("Throughput and funnel"),
    "workload": gettext_noop("Reviewers and checks"),
    "forecast": gettext_noop("Wait time forecast"),
}
PAGES_WITHOUT_PERIOD = {"workload", "forecast"}


class AnalyticsFilterForm(forms.Form):
    """Form with the program and the period."""

    program = forms.ChoiceField(
        label=gettext_lazy("Program"),
        required=False,
        choices=[("", gettext_lazy("All")), *((key, p.name) for key, p in PROGRAMS.items())],
    )
    period = forms.ChoiceField(
        label=gettext_lazy("Period"), required=False, choices=[(key, capfirst(label)) for key, label in PERIODS.items()]
    )

    def __init__(self, data: Mapping[str, str], *, has_period: bool = True) -> None:
        super().__init__(data)
        if not has_period:
            del self.fields["period"]
        for field in self.fields.values():
            field.error_messages["invalid_choice"] = _("Unknown filter value. The page shows the default.")


@dataclass(frozen=True, slots=True)
class AnalyticsFilters:
    """Validated filters. An empty `program` means all. `since` is the start of the period."""

    program: str
    period: str
    since: datetime
    now: datetime
    form: AnalyticsFilterForm

    @property
    def period_label(self) -> str:
        return str(PERIODS[self.period])

    @property
    def is_filtered(self) -> bool:
        return bool(self.program) or self.period != DEFAULT_PERIOD

    def build_program_lookup(self, column: str = "program_key") -> dict[str, str]:
        """Return the program filter as a condition on a column."""
        return {column: self.program} if self.program else {}


def parse_analytics_filters(request: HttpRequest, now: datetime, *, has_period: bool = True) -> AnalyticsFilters:
    """Parse the query string of program staff; others get Http404. Pages about the current state have no period."""
    require_program_staff(request)
    return build_analytics_filters(request.GET, now, has_period=has_period)


def build_analytics_filters(query: Mapping[str, str], now: datetime, *, has_period: bool = True) -> AnalyticsFilters:
    """Return the filters of a query string, without its invalid values."""
    parameters = {name: query.get(name, "")[:60] for name in FILTER_NAMES}
    form = AnalyticsFilterForm({**parameters, "period": parameters["period"] or DEFAULT_PERIOD}, has_period=has_period)
    form.is_valid()
    period_key = str(form.cleaned_data.get("period") or DEFAULT_PERIOD)
    program = str(form.cleaned_data.get("program", ""))
    form.data = {"program": program, "period": period_key}  # show the values in use instead of invalid ones
    return AnalyticsFilters(program, period_key, now - timedelta(days=int(period_key)), now, form)
