"""Filter form of the integration list."""

from functools import cache
from typing import Unpack

from django import forms
from django.db.models import F
from django.utils.translation import gettext_lazy

from integrations.programs.registry import PROGRAMS
from integrations.submissions.workflow.states import STAGE_LABELS, ListingStatus, ResponsibleParty
from portal.core.form_fields import FilterField, FormArguments, SingleLineField

SORT_ORDERS = {
    "newest": (gettext_lazy("Newest first"), ("-created_at", "-pk")),
    "name": (gettext_lazy("Name"), ("name_key", "pk")),
    "partner": (gettext_lazy("Partner"), ("partner__name", "name_key", "pk")),
    "due": (gettext_lazy("Due date"), (F("action_due_at").asc(nulls_last=True), "pk")),
    "since": (gettext_lazy("Longest waiting"), (F("responsible_since").asc(nulls_last=True), "pk")),
}
ANY_PARTY = gettext_lazy("Anyone")
PROGRAM_CHOICES = [(key, program.name) for key, program in PROGRAMS.items()]


class IntegrationFilterForm(forms.Form):
    """Filters and order in the URL of the list. An invalid filter shows an error; the others still apply."""

    q = SingleLineField(
        label=gettext_lazy("Name or repository"), required=False, max_length=100, widget=forms.SearchInput
    )
    program = FilterField(label=gettext_lazy("Program"), choices=PROGRAM_CHOICES)
    stage = FilterField(label=gettext_lazy("Stage"), choices=STAGE_LABELS.items())
    category = FilterField(label=gettext_lazy("Category"))
    responsible_party = FilterField(
        label=gettext_lazy("Responsible party"), choices=ResponsibleParty.choices, empty_label=ANY_PARTY
    )
    listing_status = FilterField(
        label=gettext_lazy("Listing status"), choices=ListingStatus.choices, empty_label=gettext_lazy("Any")
    )
    sort = FilterField(
        label=gettext_lazy("Sort by"),
        choices=[(key, label) for key, (label, _order) in SORT_ORDERS.items()],
        empty_label=None,
    )

    def __init__(self, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        offer_categories(self)


def offer_categories(form: forms.Form) -> None:
    """Offer the categories of the program that the form's data names, or those of all programs."""
    program = str(form.data.get("program", ""))
    choices = list_category_choices(program if program in PROGRAMS else "")
    form.fields["category"].set_choices(choices)  # type: ignore[attr-defined]


@cache
def list_category_choices(program: str = "") -> list[tuple[str, object]]:
    """Return all categories as choices: of one program, or grouped by program."""
    if program:
        return list({c.key: c.name for e in PROGRAMS[program].editions for c in e.categories}.items())
    return [(PROGRAMS[key].name, list_category_choices(key)) for key in PROGRAMS]
