"""Confirmation of an action that ends or deletes something, by its typed name."""

from typing import Unpack
from unicodedata import normalize

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from portal.core.form_fields import FormArguments


class NameConfirmationField(forms.CharField):
    """Field that accepts only the name, regardless of repeated spaces and of how accents are encoded."""

    def __init__(self, name: str) -> None:
        super().__init__(
            label=_("Enter “%(name)s” to confirm") % {"name": name},
            error_messages={"required": _("Enter the name “%(name)s” to confirm.") % {"name": name}},
            widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        )
        self.name = name

    def validate(self, value: str) -> None:
        super().validate(value)
        # A pasted name can have accents as characters of their own, which no keyboard enters.
        if normalize("NFC", value).split() != normalize("NFC", self.name).split():
            raise ValidationError(self.error_messages["required"], code="required")


class NameConfirmationForm(forms.Form):
    """Form with only the name."""

    def __init__(self, name: str, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.fields["confirm_name"] = NameConfirmationField(name)
