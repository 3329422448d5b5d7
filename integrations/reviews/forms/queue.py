"""Forms of the review queue: its filters, and actions on several items."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, Unpack

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext as _, gettext_lazy

from integrations.reviews.selectors.queue import TAB_LABELS
from integrations.reviews.selectors.queue_items import SORT_ORDERS
from integrations.reviews.selectors.queue_kinds import KINDS
from integrations.reviews.services.bulk import ACTIONS, BulkInputs
from integrations.submissions.forms.filters import ANY_PARTY, PROGRAM_CHOICES, offer_categories
from integrations.submissions.workflow.states import OPEN_STAGES, STAGE_LABELS, ResponsibleParty
from portal.accounts.models import User
from portal.core.form_fields import FilterField, FormArguments, SingleLineField
from portal.ui.components.filters import FilterSummary, summarize_filters

AGE_LABELS = {
    "1": gettext_lazy("1 day"),
    "3": gettext_lazy("3 days"),
    "7": gettext_lazy("1 week"),
    "14": gettext_lazy("2 weeks"),
}
PARTY_CHOICES = [
    *((party.value, party.label) for party in ResponsibleParty if party != ResponsibleParty.PROGRAM),
    ("any", ANY_PARTY),
]
NEED_REASON = ("snooze", "decline_tier")
FILTER_FIELDS = ("program", "stage", "category", "age", "responsible_party")


class QueueFilterForm(forms.Form):
    """Filters in the URL of the review queue."""

    program = FilterField(label=gettext_lazy("Program"), choices=PROGRAM_CHOICES)
    stage = FilterField(label=gettext_lazy("Stage"), choices=[(stage, STAGE_LABELS[stage]) for stage in OPEN_STAGES])
    category = FilterField(label=gettext_lazy("Category"))
    age = FilterField(
        label=gettext_lazy("Minimum age"), choices=AGE_LABELS.items(), empty_label=gettext_lazy("Any age")
    )
    responsible_party = FilterField(
        label=gettext_lazy("Responsible party"),
        choices=PARTY_CHOICES,
        empty_label=ResponsibleParty.PROGRAM.label,
    )

    def __init__(self, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        offer_categories(self)


class QueueFilters(NamedTuple):
    """Selected filters, their rendered fields, and their summary."""

    values: dict[str, str]
    fields: str
    summary: FilterSummary


def parse_filters(values: tuple[str, ...]) -> QueueFilters:
    """Return the filters for the URL values in the order of FILTER_FIELDS.

    The result is cached: validating and rendering five choice fields takes longer than the rest of the page.
    """
    return _parse_filters(get_language(), values)


@lru_cache(maxsize=500)
def _parse_filters(_language: str | None, values: tuple[str, ...]) -> QueueFilters:
    form = QueueFilterForm(data=dict(zip(FILTER_FIELDS, values, strict=True)))
    form.is_valid()
    return QueueFilters(form.cleaned_data, form.render(), summarize_filters(form))


def parse_position(parameters: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the kind, the tab, and the order of the URL, with defaults for unknown values."""
    kind, tab, sort = (parameters.get(name, "") for name in ("kind", "tab", "sort"))
    return (kind if kind in KINDS else "", tab if tab in TAB_LABELS else "all", sort if sort in SORT_ORDERS else "")


class BulkActionForm(forms.Form):
    """Action, reviewer, snooze time, and reason. The buttons of the page send the action."""

    action = forms.ChoiceField(
        choices=[(name, name) for name in ACTIONS],
        widget=forms.HiddenInput,
        error_messages={
            "required": gettext_lazy("Select an action."),
            "invalid_choice": gettext_lazy("“%(value)s” isn't an action of the queue."),
        },
    )
    reviewer = forms.ModelChoiceField(
        label=gettext_lazy("Reviewer"),
        queryset=User.objects.active_reviewers().order_by("name", "pk"),
        required=False,
        empty_label=gettext_lazy("Select a reviewer"),
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Snooze for"), choices=list(AGE_LABELS.items()), coerce=int, empty_value="1", required=False
    )
    reason = SingleLineField(label=gettext_lazy("Reason or message"), required=False, max_length=200)

    def clean(self) -> dict[str, object]:
        data = super().clean() or {}
        if data.get("action") == "assign" and not data.get("reviewer") and "reviewer" not in self.errors:
            self.add_error("reviewer", _("Select a reviewer."))
        if data.get("action") in NEED_REASON and not data.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Enter a reason."))
        return data

    def get_inputs(self) -> BulkInputs:
        """Return the cleaned inputs besides the action."""
        data = self.cleaned_data
        return BulkInputs(data["reviewer"], int(data["days"]), data["reason"])


def render_bulk_controls(refused_inputs: Mapping[str, str] | None = None, *, is_snoozed: bool = False) -> SafeString:
    """Return the inputs and buttons of the form, with the refused inputs and their errors.

    `is_snoozed`: whether the items are snoozed, so that people can end it.

    Without refused inputs, they are cached like the filters; the reviewers are read each time.
    """
    if refused_inputs is not None:
        context = {"form": BulkActionForm(data=refused_inputs), "is_snoozed": is_snoozed}
        return render_to_string("reviews/queue_bulk.html", context)
    reviewers = BulkActionForm.base_fields["reviewer"].queryset.only("name", "email")  # type: ignore[attr-defined]
    return _render_controls(get_language(), tuple((reviewer.pk, str(reviewer)) for reviewer in reviewers), is_snoozed)


@lru_cache(maxsize=20)
def _render_controls(_language: str | None, reviewers: tuple[tuple[int, str], ...], is_snoozed: bool) -> SafeString:
    form = BulkActionForm()
    form.fields["reviewer"].choices = [("", _("Select a reviewer")), *reviewers]  # type: ignore[attr-defined]
    return render_to_string("reviews/queue_bulk.html", {"form": form, "is_snoozed": is_snoozed})
