"""Field for secrets, which never appear in a page again."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


class WriteOnlyTextarea(forms.Textarea):
    """Text area that never renders its value."""

    # An invalid form shows its input again, except for this field.
    def format_value(self, value: object) -> str:
        return ""


class SecretTextField(forms.CharField):
    """Multi-line text, unchanged except for normalized line endings and blank lines around it."""

    widget = WriteOnlyTextarea(attrs={"rows": 5, "autocomplete": "off", "spellcheck": "false"})

    def to_python(self, value: object) -> str:
        text = (super().to_python(value) or "").replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        if "\x00" in text:
            raise ValidationError(_("The text contains an invisible character. Paste it again as plain text."))
        return text if text.strip() else ""
