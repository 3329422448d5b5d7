"""What does a reviewer take on, when are they away, and is that fit?"""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.programs.registry import PROGRAMS
from integrations.reviews.models import ReviewerProfile


class ReviewerProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """What a reviewer takes on, and when they are away."""

    programs = forms.MultipleChoiceField(
        label=gettext_lazy("Programs you review"),
        help_text=gettext_lazy("None ticked: you are suggested for every program."),
        choices=[(key, p.name) for key, p in PROGRAMS.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    max_open_reviews = forms.IntegerField(label=gettext_lazy("Most reviews at once"), min_value=1, max_value=50)

    class Meta:
        model = ReviewerProfile
        fields = ("programs", "away_from", "away_until", "max_open_reviews")
        labels = {"away_from": gettext_lazy("Away from"), "away_until": gettext_lazy("Away until")}
        help_texts = {"away_until": gettext_lazy("The last day away. Blank: until further notice.")}
        widgets = {
            name: forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d") for name in ("away_from", "away_until")
        }

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        away_from, away_until = data.get("away_from"), data.get("away_until")
        if away_until and not away_from and "away_from" not in self.errors:
            self.add_error("away_from", _("Say from which day you are away."))
        if away_from and away_until and away_until < away_from:
            self.add_error("away_until", _("This day is before the first day away."))
        return data
