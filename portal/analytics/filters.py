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

NAMES = ("program", "period")
PERIODS = {
    "30": gettext_lazy("the last 30 days"),
    "90": gettext_lazy("the last 90 days"),
    "365": gettext_lazy("the last 365 days"),
}
LATELY = {"30": gettext_lazy("Last 30 days"), "90": gettext_lazy("Last 90 days"), "365": gettext_lazy("Last 365 days")}
USUAL = "90"


class OfficeFilter(forms.Form):
    """The two fields above every figure."""

    program = forms.ChoiceField(
        label=gettext_lazy("Program"),
        required=False,
        choices=[("", gettext_lazy("All")), *((key, p.name) for key, p in PROGRAMS.items())],
    )
    period = forms.ChoiceField(
        label=gettext_lazy("Period"), required=False, choices=[(key, LATELY[key]) for key, word in PERIODS.items()]
    )

    def __init__(self, data: Mapping[str, str], *, period: bool = True) -> None:
        super().__init__(data)
        if not period:
            del self.fields["period"]
        for field in self.fields.values():
            field.error_messages["invalid_choice"] = _("There is no such choice: the usual is shown.")  # type: ignore[index]


@dataclass(frozen=True, slots=True)
class Choice:
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
        return bool(self.program) or self.period != USUAL

    def of(self, column: str = "program_key") -> dict[str, str]:
        """The program as a condition on rows that know it in a column."""
        return {column: self.program} if self.program else {}


def for_program(request: HttpRequest) -> None:
    """Raises Http404 for everybody but the people of the program."""
    if not permissions.works_for_program(request.user):
        raise Http404(_("There is nothing here for you."))


def chosen(request: HttpRequest, now: datetime, *, period: bool = True) -> Choice:
    """Read the address; without `period`, of a page that tells of now. Raises Http404 for everybody but the people of
    the program."""
    for_program(request)
    asked = {name: request.GET.get(name, "")[:60] for name in NAMES}
    form = OfficeFilter({**asked, "period": asked["period"] or USUAL}, period=period)
    form.is_valid()
    wanted, program = str(form.cleaned_data.get("period") or USUAL), str(form.cleaned_data.get("program", ""))
    form.data = {"program": program, "period": wanted}  # the fields say what is shown, not what there is not
    return Choice(program, wanted, now - timedelta(days=int(wanted)), now, form.render())
