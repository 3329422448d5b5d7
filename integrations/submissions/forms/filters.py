"""Filter form of the integration list."""

from functools import cache
from typing import Unpack

from django import forms
from django.utils.translation import gettext, gettext_lazy

from integrations.programs.registry import PROGRAMS
from integrations.submissions.models.choices import STATE_LABELS
from integrations.submissions.workflow.states import ListingStatus, ResponsibleParty, Stage
from portal.core.django_arguments import FormArguments
from portal.core.text_fields import SingleLineField

SORT_ORDERS = {
    "newest": (gettext_lazy("Newest first"), ("-created_at", "-pk")),
    "name": (gettext_lazy("Name"), ("name_key", "pk")),
    "company": (gettext_lazy("Partner"), ("partner__name", "name_key", "pk")),
    "due": (gettext_lazy("Due date"), ("action_due_at", "pk")),
    "since": (gettext_lazy("Longest waiting"), ("responsible_since", "pk")),
}
LISTING_STATUS_LABELS = {
    "": gettext_lazy("Any"),
    ListingStatus.UNLISTED: gettext_lazy("Unlisted"),
    ListingStatus.LISTED: gettext_lazy("Listed"),
    ListingStatus.ON_NOTICE: gettext_lazy("On notice"),
    ListingStatus.SUSPENDED: gettext_lazy("Suspended"),
    ListingStatus.DELISTED: gettext_lazy("Delisted"),
}
RESPONSIBLE_PARTY_LABELS = {
    "": gettext_lazy("Anyone"),
    ResponsibleParty.PARTNER: gettext_lazy("The partner"),
    ResponsibleParty.PROGRAM: gettext_lazy("The program"),
    ResponsibleParty.MACHINE: gettext_lazy("The portal"),
    ResponsibleParty.THIRD_PARTY: gettext_lazy("Others"),
}


class IntegrationFilterForm(forms.Form):
    """Filters and order in the URL of the list. An invalid filter shows an error; the others still apply."""

    q = SingleLineField(
        label=gettext_lazy("Name or repository"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    program = forms.ChoiceField(label=gettext_lazy("Program"), required=False)
    stage = forms.ChoiceField(label=gettext_lazy("Stage"), required=False)
    category = forms.ChoiceField(label=gettext_lazy("Category"), required=False)
    holder = forms.ChoiceField(label=gettext_lazy("Responsible party"), required=False)
    listing_status = forms.ChoiceField(label=gettext_lazy("Listing status"), required=False)
    sort = forms.ChoiceField(label=gettext_lazy("Sort by"), required=False)

    def __init__(self, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        program = str(self.data.get("program", ""))
        options: dict[str, list[object]] = {
            "program": [("", gettext("All")), *((key, p.name) for key, p in PROGRAMS.items())],
            "stage": [("", gettext("All")), *((str(s), gettext(STATE_LABELS[str(s)])) for s in Stage)],
            "category": [("", gettext("All")), *list_category_choices(program if program in PROGRAMS else "")],
            "holder": [(str(key), label) for key, label in RESPONSIBLE_PARTY_LABELS.items()],
            "listing_status": [(str(key), label) for key, label in LISTING_STATUS_LABELS.items()],
            "sort": [(key, label) for key, (label, _) in SORT_ORDERS.items()],
        }
        for name, choices in options.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]
            self.fields[name].error_messages["invalid_choice"] = gettext(
                "Unknown filter value. The list shows all results."
            )


@cache
def list_category_choices(program: str = "") -> list[object]:
    """Return all categories as choices: of one program, or grouped by program."""
    if program:
        return list({c.key: c.name for e in PROGRAMS[program].editions for c in e.categories}.items())
    return [(PROGRAMS[key].name, list_category_choices(key)) for key in PROGRAMS]
