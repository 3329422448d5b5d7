"""Which kinds of field do several forms ask with, beside plain text? An address, a day, a number."""

from datetime import UTC, date, datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.core.text_fields import reject_invisible_characters

FIRST_YEAR, LAST_YEAR = 2000, 2100
REQUIRED_MESSAGE = gettext_lazy("Answer this question.")
CHOICE_MESSAGE = gettext_lazy("Choose one of the answers that are shown.")
MAX_LENGTH_MESSAGE = gettext_lazy("At most %(limit_value)d characters; these are %(show_value)d.")
MAX_DRAFT_CHARACTERS = 20_000


class UtcDateTimeField(forms.DateTimeField):
    """A moment, cleaned to UTC: PostgreSQL refuses offsets of sixteen hours and more, which Python reads."""

    def to_python(self, value: Any) -> datetime | None:
        moment: datetime | None = super().to_python(value)
        try:
            return moment and moment.astimezone(UTC)
        except OverflowError as error:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from error


class WebAddressField(forms.URLField):
    """A full http or https address without a user name or password in it."""

    def __init__(self, **kwargs: Any) -> None:
        invalid_message = _("Write a full address, such as https://docs.example.com/page.")
        super().__init__(
            assume_scheme="https", error_messages={"required": REQUIRED_MESSAGE, "invalid": invalid_message}, **kwargs
        )

    def to_python(self, value: Any) -> str:
        reject_invisible_characters(str(value or ""))
        return str(super().to_python(value))

    def validate(self, value: str) -> None:
        super().validate(value)
        if not value:
            return
        if not value.startswith(("https://", "http://")):
            raise ValidationError(_("The address must begin with https:// or http://."))
        if "@" in value.split("/")[2]:
            raise ValidationError(_("Leave user name and password out of the address."))


class DayField(forms.DateField):
    """A day within a century."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        errors: dict[str, Any] = {"required": REQUIRED_MESSAGE, "invalid": _("Write the day as in 2026-04-14.")}
        super().__init__(widget=widget, error_messages=errors, **kwargs)

    def validate(self, value: date | None) -> None:
        super().validate(value)
        if value is not None and not FIRST_YEAR <= value.year <= LAST_YEAR:
            raise ValidationError(_("Look at the year: it is far from now."))


class NumberField(forms.DecimalField):
    """A number, kept as a whole one where it is."""

    def clean(self, value: Any) -> int | float | None:
        number = super().clean(value)
        return None if number is None else int(number) if number == int(number) else float(number)


def truncate_draft_text(text: str) -> str:
    """A draft keeps what is too long, but not without end; what no database takes is left out."""
    return text.replace("\r\n", "\n")[:MAX_DRAFT_CHARACTERS].replace("\x00", "").encode("utf-8", "ignore").decode()
