"""Form for introduction requests."""

from django import forms
from django.utils.translation import gettext_lazy

from portal.core.form_fields import MAX_LENGTH_MESSAGE, MultiLineField


class IntroductionRequestForm(forms.Form):
    """Message to the other partner."""

    message = MultiLineField(
        label=gettext_lazy("Message to the other partner"),
        help_text=gettext_lazy("They see only this message until they agree. To stay anonymous, don't mention names."),
        max_length=1000,
        rows=3,
        required=False,
        error_messages={"max_length": MAX_LENGTH_MESSAGE},
    )
