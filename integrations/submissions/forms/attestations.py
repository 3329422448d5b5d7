"""Form for attestations."""

from typing import Unpack

from django import forms
from django.utils.translation import gettext_lazy

from portal.core.django_arguments import FormArguments


class AttestationForm(forms.Form):
    """Confirmation of a statement."""

    confirmed = forms.BooleanField(error_messages={"required": gettext_lazy("Select the checkbox to confirm.")})

    def __init__(self, statement: str, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.fields["confirmed"].label = statement
