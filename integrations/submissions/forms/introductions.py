"""What may people type when they ask another company for an introduction, and is it fit?"""

from django import forms
from django.utils.translation import gettext_lazy

from portal.core.form_fields import MAX_LENGTH_MESSAGE
from portal.core.text_fields import MultiLineField


class IntroductionRequestForm(forms.Form):
    """What one tells the other side when asking for an introduction."""

    message = MultiLineField(
        label=gettext_lazy("What they read before they decide"),
        help_text=gettext_lazy("They see only this until they agree: leave names out if you want to stay unknown."),
        max_length=1000,
        rows=3,
        required=False,
        error_messages={"max_length": MAX_LENGTH_MESSAGE},
    )
