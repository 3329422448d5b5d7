"""Forms about reviewers: profiles, absences, conflicts of interest, and new assignments."""

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from integrations.programs.registry import PROGRAMS
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.services.rebalancing import RULES, SCOPES
from portal.accounts.models import User
from portal.core.form_fields import SingleLineField


class AbsenceForm(forms.ModelForm):
    """Days on which a reviewer is out of office."""

    class Meta:
        model = ReviewerProfile
        fields: tuple[str, ...] = ("away_from", "away_until")
        labels = {"away_from": gettext_lazy("Away from"), "away_until": gettext_lazy("Away until")}
        help_texts = {"away_until": gettext_lazy("Last day of the absence. Leave blank if it isn't known.")}
        widgets = {
            name: forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d") for name in ("away_from", "away_until")
        }

    def clean(self) -> dict[str, object]:
        data = super().clean() or {}
        away_from = data.get("away_from")
        away_until = data.get("away_until")
        if away_until and not away_from and "away_from" not in self.errors:
            self.add_error("away_from", _("Enter the first day of the absence."))
        if away_from and away_until and away_until < away_from:
            self.add_error("away_until", _("Enter a date on or after the first day of the absence."))
        return data


class ReviewerProfileForm(AbsenceForm):
    """Programs, limit, and absence of a reviewer."""

    programs = forms.MultipleChoiceField(
        label=gettext_lazy("Programs you review"),
        help_text=gettext_lazy("To be suggested for all programs, select none."),
        choices=[(key, p.name) for key, p in PROGRAMS.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    max_open_reviews = forms.IntegerField(label=gettext_lazy("Maximum open reviews"), min_value=1, max_value=50)

    class Meta(AbsenceForm.Meta):
        fields = ("programs", "away_from", "away_until", "max_open_reviews")


class ConflictForm(forms.Form):
    """Reviewer, reason, and whether the conflict is recorded or removed, which the button sends."""

    action = forms.ChoiceField(choices=[("record", "record"), ("remove", "remove")], widget=forms.HiddenInput)
    reviewer = forms.ModelChoiceField(
        label=gettext_lazy("Reviewer"),
        queryset=User.objects.order_by("name", "pk"),
        empty_label=gettext_lazy("Select a reviewer"),
    )
    reason = SingleLineField(label=gettext_lazy("Reason"), max_length=300)


class RebalancingForm(forms.Form):
    """Rule and scope of a plan."""

    scope = forms.ChoiceField(label=gettext_lazy("Integrations"), choices=list(SCOPES.items()))
    rule = forms.ChoiceField(label=gettext_lazy("Rule"), choices=list(RULES.items()))
