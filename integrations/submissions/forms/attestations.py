"""How does somebody confirm that a statement is true?"""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy


class AttestationForm(forms.Form):
    """Say in so many words that a statement is true."""

    confirmed = forms.BooleanField(error_messages={"required": gettext_lazy("Tick this to confirm it.")})

    def __init__(self, statement: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["confirmed"].label = statement
