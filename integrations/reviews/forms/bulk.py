"""Form for actions on several items of the review queue."""

from functools import lru_cache

from django import forms
from django.contrib.auth import get_user_model
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext as _, gettext_lazy

from integrations.reviews.forms.queue import AGE_LABELS
from integrations.reviews.services.bulk import ACTIONS, BulkInputs
from portal.core.form_fields import SingleLineField

NEED_REASON = ("snooze", "decline_tier")


class BulkActionForm(forms.Form):
    """Action, reviewer, snooze time, and reason. The buttons of the page send the action."""

    action = forms.ChoiceField(choices=[(name, name) for name in ACTIONS], widget=forms.HiddenInput)
    reviewer = forms.ModelChoiceField(
        label=gettext_lazy("Reviewer"),
        queryset=get_user_model().objects.filter(is_reviewer=True, is_active=True).order_by("name", "pk"),
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


def render_bulk_controls() -> SafeString:
    """Return the inputs and buttons of the form. They are cached like the filters; the reviewers are read each time."""
    reviewers = BulkActionForm.base_fields["reviewer"].queryset.only("name", "email")  # type: ignore[attr-defined]
    return _render_controls(get_language(), tuple((reviewer.pk, str(reviewer)) for reviewer in reviewers))


@lru_cache(maxsize=20)
def _render_controls(_language: str | None, reviewers: tuple[tuple[int, str], ...]) -> SafeString:
    form = BulkActionForm()
    form.fields["reviewer"].choices = [("", _("Select a reviewer")), *reviewers]  # type: ignore[attr-defined]
    return render_to_string("reviews/queue_bulk.html", {"form": form})
