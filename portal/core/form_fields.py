"""Which kinds of field do several forms ask with, beside plain text? An address, a day, a number."""

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.core.text_fields import refuse_unseen

FIRST_YEAR, LAST_YEAR = 2000, 2100
NEEDED = gettext_lazy("Answer this question.")
CHOOSE = gettext_lazy("Choose one of the answers that are shown.")
TOO_LONG = gettext_lazy("At most %(limit_value)d characters; these are %(show_value)d.")
LONGEST_KEPT = 20_000


class Address(forms.URLField):
    """A full http or https address without a user name or password in it."""

    def __init__(self, **kwargs: Any) -> None:
        wrong = _("Write a full address, such as https://docs.example.com/page.")
        super().__init__(assume_scheme="https", error_messages={"required": NEEDED, "invalid": wrong}, **kwargs)

    def to_python(self, value: Any) -> str:
        refuse_unseen(str(value or ""))
        return str(super().to_python(value))

    def validate(self, value: str) -> None:
        super().validate(value)
        if not value:
            return
        if not value.startswith(("https://", "http://")):
            raise ValidationError(_("The address must begin with https:// or http://."))
        if "@" in value.split("/")[2]:
            raise ValidationError(_("Leave user name and password out of the address."))


class Day(forms.DateField):
    """A day within a century."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        errors: dict[str, Any] = {"required": NEEDED, "invalid": _("Write the day as in 2026-04-14.")}
        super().__init__(widget=widget, error_messages=errors, **kwargs)

    def validate(self, value: date | None) -> None:
        super().validate(value)
        if value is not None and not FIRST_YEAR <= value.year <= LAST_YEAR:
            raise ValidationError(_("Look at the year: it is far from now."))


class Number(forms.DecimalField):
    """A number, kept as a whole one where it is."""

    def clean(self, value: Any) -> int | float | None:
        found = super().clean(value)
        return None if found is None else int(found) if found == int(found) else float(found)


def bounded(text: str) -> str:
    """A draft keeps what is too long, but not without end; what no database takes is left out."""
    return text.replace("\r\n", "\n")[:LONGEST_KEPT].replace("\x00", "").encode("utf-8", "ignore").decode()
