"""Form for attestations."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy


class AttestationForm(forms.Form):
    """Confirmation of a statement."""

    confirmed = forms.BooleanField(error_messages={"required": gettext_lazy("Select the checkbox to confirm.")})

    def __init__(self, statement: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["confirmed"].label = statement
