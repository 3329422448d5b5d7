"""Form for conflicts of interest."""

from django import forms
from django.contrib.auth import get_user_model
from django.utils.translation import gettext_lazy

from portal.core.form_fields import SingleLineField


class ConflictForm(forms.Form):
    """Reviewer, reason, and whether the conflict is recorded or removed, which the button sends."""

    action = forms.ChoiceField(choices=[("record", "record"), ("remove", "remove")], widget=forms.HiddenInput)
    reviewer = forms.ModelChoiceField(
        label=gettext_lazy("Reviewer"),
        queryset=get_user_model().objects.order_by("name", "pk"),
        empty_label=gettext_lazy("Select a reviewer"),
    )
    reason = SingleLineField(label=gettext_lazy("Reason"), max_length=300)
