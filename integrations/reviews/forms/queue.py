"""Filter form of the review queue."""

from functools import lru_cache
from typing import Unpack

from django import forms
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from integrations.programs.registry import PROGRAMS
from integrations.submissions.forms.filters import list_category_choices
from integrations.submissions.workflow.states import OPEN_STAGES, ResponsibleParty
from portal.core.django_arguments import FormArguments

AGE_LABELS = {
    "1": gettext_lazy("1 day"),
    "3": gettext_lazy("3 days"),
    "7": gettext_lazy("1 week"),
    "14": gettext_lazy("2 weeks"),
}
RESPONSIBLE_PARTY_LABELS = {
    "": gettext_lazy("The program"),
    ResponsibleParty.PARTNER: gettext_lazy("The partner"),
    ResponsibleParty.MACHINE: gettext_lazy("The portal"),
    ResponsibleParty.THIRD_PARTY: gettext_lazy("Others"),
    "any": gettext_lazy("Anyone"),
}

FILTER_FIELDS = ("program", "stage", "category", "age", "holder")


class QueueFilterForm(forms.Form):
    """Filters in the URL of the review queue."""

    program = forms.ChoiceField(label=gettext_lazy("Program"), required=False)
    stage = forms.ChoiceField(label=gettext_lazy("Stage"), required=False)
    category = forms.ChoiceField(label=gettext_lazy("Category"), required=False)
    age = forms.ChoiceField(label=gettext_lazy("Minimum waiting time"), required=False)
    holder = forms.ChoiceField(label=gettext_lazy("Responsible party"), required=False)

    def __init__(self, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        program_key = str(self.data.get("program", ""))
        choices = {
            "program": [("", _("All")), *((key, p.name) for key, p in PROGRAMS.items())],
            "stage": [("", _("All")), *((str(s), _(str(s).capitalize())) for s in OPEN_STAGES)],
            "category": [("", _("All")), *list_category_choices(program_key if program_key in PROGRAMS else "")],
            "age": [("", _("Any time")), *AGE_LABELS.items()],
            "holder": [(str(key), label) for key, label in RESPONSIBLE_PARTY_LABELS.items()],
        }
        for name, options in choices.items():
            field = self.fields[name]
            field.choices = options  # type: ignore[attr-defined]
            field.error_messages["invalid_choice"] = _("Unknown filter value. The list shows all results.")


def parse_filters(values: tuple[str, ...]) -> tuple[dict[str, str], str]:
    """Return the selected filters and the rendered fields for the URL values in the order of FILTER_FIELDS.

    The result is cached: validating and rendering five choice fields takes longer than the rest of the page.
    """
    return _parse_filters(get_language(), values)


@lru_cache(maxsize=500)
def _parse_filters(_language: str | None, values: tuple[str, ...]) -> tuple[dict[str, str], str]:
    form = QueueFilterForm(data=dict(zip(FILTER_FIELDS, values, strict=True)))
    form.is_valid()
    return form.cleaned_data, form.render()
