"""Which histories does the office look at? The program and the period of the address."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django import forms
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.partners import permissions
from integrations.programs.registry import PROGRAMS

FILTER_NAMES = ("program", "period")
PERIODS = {
    "30": gettext_lazy("the last 30 days"),
    "90": gettext_lazy("the last 90 days"),
    "365": gettext_lazy("the last 365 days"),
}
PERIOD_LABELS = {
    "30": gettext_lazy("Last 30 days"),
    "90": gettext_lazy("Last 90 days"),
    "365": gettext_lazy("Last 365 days"),
}
DEFAULT_PERIOD = "90"


class AnalyticsFilterForm(forms.Form):
    """The two fields above every figure."""

    program = forms.ChoiceField(
        label=gettext_lazy("Program"),
        required=False,
        choices=[("", gettext_lazy("All")), *((key, p.name) for key, p in PROGRAMS.items())],
    )
    period = forms.ChoiceField(
        label=gettext_lazy("Period"),
        required=False,
        choices=[(key, PERIOD_LABELS[key]) for key, word in PERIODS.items()],
    )

    def __init__(self, data: Mapping[str, str], *, period: bool = True) -> None:
        super().__init__(data)
        if not period:
            del self.fields["period"]
        for field in self.fields.values():
            field.error_messages["invalid_choice"] = _("There is no such choice: the usual is shown.")  # type: ignore[index]


@dataclass(frozen=True, slots=True)
class AnalyticsFilters:
    """What the address asks for, checked. `program` blank: all; `since`: where the period begins."""

    program: str
    period: str
    since: datetime
    now: datetime
    fields: str

    @property
    def words(self) -> str:
        return str(PERIODS[self.period])

    @property
    def is_filtered(self) -> bool:
        return bool(self.program) or self.period != DEFAULT_PERIOD

    def of(self, column: str = "program_key") -> dict[str, str]:
        """The program as a condition on rows that know it in a column."""
        return {column: self.program} if self.program else {}


def require_program_staff(request: HttpRequest) -> None:
    """Raises Http404 for everybody but the people of the program."""
    if not permissions.is_program_staff(request.user):
        raise Http404(_("There is nothing here for you."))


def parse_analytics_filters(request: HttpRequest, now: datetime, *, period: bool = True) -> AnalyticsFilters:
    """Read the address; without `period`, of a page that tells of now. Raises Http404 for everybody but the people of
    the program."""
    require_program_staff(request)
    parameters = {name: request.GET.get(name, "")[:60] for name in FILTER_NAMES}
    form = AnalyticsFilterForm({**parameters, "period": parameters["period"] or DEFAULT_PERIOD}, period=period)
    form.is_valid()
    period_key, program = (
        str(form.cleaned_data.get("period") or DEFAULT_PERIOD),
        str(form.cleaned_data.get("program", "")),
    )
    form.data = {"program": program, "period": period_key}  # the fields say what is shown, not what there is not
    return AnalyticsFilters(program, period_key, now - timedelta(days=int(period_key)), now, form.render())
