"""Filter form of the review queue."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Unpack

from django import forms
from django.utils.translation import get_language, gettext_lazy

from integrations.reviews.selectors.queue import TAB_LABELS
from integrations.reviews.selectors.queue_items import SORT_ORDERS
from integrations.reviews.selectors.queue_kinds import KINDS
from integrations.submissions.forms.filters import ANY_PARTY, PARTY_LABELS, PROGRAM_CHOICES, offer_categories
from integrations.submissions.models.choices import build_choices
from integrations.submissions.workflow.states import OPEN_STAGES, ResponsibleParty
from portal.core.form_fields import FilterField, FormArguments

AGE_LABELS = {
    "1": gettext_lazy("1 day"),
    "3": gettext_lazy("3 days"),
    "7": gettext_lazy("1 week"),
    "14": gettext_lazy("2 weeks"),
}
FILTER_FIELDS = ("program", "stage", "category", "age", "responsible_party")


class QueueFilterForm(forms.Form):
    """Filters in the URL of the review queue."""

    program = FilterField(label=gettext_lazy("Program"), choices=PROGRAM_CHOICES)
    stage = FilterField(label=gettext_lazy("Stage"), choices=build_choices(OPEN_STAGES))
    category = FilterField(label=gettext_lazy("Category"))
    age = FilterField(
        label=gettext_lazy("Minimum waiting time"), choices=AGE_LABELS.items(), empty_label=gettext_lazy("Any time")
    )
    responsible_party = FilterField(
        label=gettext_lazy("Responsible party"),
        choices=[
            *((str(party), label) for party, label in PARTY_LABELS.items() if party != ResponsibleParty.PROGRAM),
            ("any", ANY_PARTY),
        ],
        empty_label=PARTY_LABELS[ResponsibleParty.PROGRAM],
    )

    def __init__(self, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        offer_categories(self)


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


def parse_position(parameters: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the kind, the tab, and the order of the URL, with defaults for unknown values."""
    kind, tab, sort = (parameters.get(name, "") for name in ("kind", "tab", "sort"))
    return (
        kind if kind in KINDS else "",
        tab if tab in TAB_LABELS else "all",
        sort if sort in SORT_ORDERS else "",
    )
