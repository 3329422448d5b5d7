"""Form fields for dates, numbers, and URLs."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from portal.core.django_arguments import FieldArguments
from portal.core.text_fields import reject_invisible_characters
from portal.core.value_types import NamedValues

FIRST_YEAR, LAST_YEAR = 2000, 2100
REQUIRED_MESSAGE = gettext_lazy("Enter an answer.")
CHOICE_MESSAGE = gettext_lazy("Select an option.")
MAX_LENGTH_MESSAGE = gettext_lazy("Enter %(limit_value)d characters or fewer. You entered %(show_value)d.")
MAX_DRAFT_CHARACTERS = 20_000


class UtcDateTimeField(forms.DateTimeField):
    """Timestamp converted to UTC, because PostgreSQL rejects offsets of 16 hours or more, which Python accepts."""

    def to_python(self, value: str | datetime | date | None) -> datetime | None:
        moment: datetime | None = super().to_python(value)
        try:
            return moment and moment.astimezone(UTC)
        except OverflowError as error:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from error


class WebAddressField(forms.URLField):
    """Absolute http or https URL without a user name or password."""

    def __init__(self, *, max_length: int | None = None, **kwargs: Unpack[FieldArguments]) -> None:
        invalid_message = _("Enter a complete URL, such as https://docs.example.com/page.")
        messages: dict[str, StrOrPromise] = {"required": REQUIRED_MESSAGE, "invalid": invalid_message}
        super().__init__(assume_scheme="https", error_messages=messages, max_length=max_length, **kwargs)

    def to_python(self, value: object) -> str:
        reject_invisible_characters(str(value or ""))
        return str(super().to_python(value))

    def validate(self, value: str) -> None:
        super().validate(value)
        if not value:
            return
        if not value.startswith(("https://", "http://")):
            raise ValidationError(_("The URL must start with https:// or http://."))
        if "@" in value.split("/")[2]:
            raise ValidationError(_("Remove the user name and password from the URL."))


class DayField(forms.DateField):
    """Date between FIRST_YEAR and LAST_YEAR."""

    def __init__(self, **kwargs: Unpack[FieldArguments]) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        errors: NamedValues = {"required": REQUIRED_MESSAGE, "invalid": _("Enter a date as YYYY-MM-DD.")}
        super().__init__(widget=widget, error_messages=errors, **kwargs)

    def validate(self, value: date | None) -> None:
        super().validate(value)
        if value is not None and not FIRST_YEAR <= value.year <= LAST_YEAR:
            raise ValidationError(_("Check the year."))


class NumberField(forms.DecimalField):
    """Number, returned as an integer if it is whole."""

    def clean(self, value: object) -> int | float | None:
        number = super().clean(value)
        return None if number is None else int(number) if number == int(number) else float(number)


class FilterField(forms.ChoiceField):
    """Choice in the URL of a list. An unknown value shows an error and filters nothing."""

    default_error_messages = {"invalid_choice": gettext_lazy("Unknown filter value. The list shows all results.")}

    def __init__(self, *, label: StrOrPromise, choices: Iterable[tuple[str, object]] = ()) -> None:
        super().__init__(label=label, choices=choices, required=False)


def truncate_draft_text(text: str) -> str:
    """Return the text of a draft field, shortened to a generous limit and without characters that databases reject."""
    return text.replace("\r\n", "\n")[:MAX_DRAFT_CHARACTERS].replace("\x00", "").encode("utf-8", "ignore").decode()
