"""Form fields, and the types of the keyword arguments that forms and fields pass on to Django.

HTML in texts counts as text and is displayed as entered. The fields refuse invisible characters that could mislead
readers or break an email header. They remove harmless invisible characters that word processors insert.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TypedDict, Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import models
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _, gettext_lazy
from django_stubs_ext import StrOrPromise

from portal.core.value_types import NamedValues

INVISIBLE_LEFTOVERS = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\u00ad"))
# These make text appear in a different order than it is stored in (CVE-2021-42574, “Trojan Source”).
BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Python and email programs treat these as line ends, too.
LINE_BREAKS = frozenset("\u2028\u2029\u0085\u000b\u000c")
MARKUP_PATTERN = re.compile(r"<[/!?a-z]|&#?\w+;", re.IGNORECASE)
USER_PATTERN = re.compile(r"https?://[^/?#]*@")  # user name of a URL
FIRST_YEAR = 2000
LAST_YEAR = 2100
REQUIRED_MESSAGE = gettext_lazy("Enter an answer.")
CHOICE_MESSAGE = gettext_lazy("Select an option.")
ALL_LABEL = gettext_lazy("All")
MAX_LENGTH_MESSAGE = gettext_lazy("Enter %(limit_value)d characters or fewer. You entered %(show_value)d.")
MAX_DRAFT_CHARACTERS = 20_000
MAX_CODE_CHARACTERS = 100_000
Validator = Callable[[str], None]


class BoundFormArguments(TypedDict, total=False):
    """Keyword arguments that bind a form to a request."""

    data: Mapping[str, object] | None
    files: MultiValueDict[str, UploadedFile] | None
    auto_id: bool | str


class FormArguments(BoundFormArguments, total=False):
    """Keyword arguments of a form."""

    initial: NamedValues | None
    prefix: str | None
    use_required_attribute: bool | None


class ModelFormArguments(FormArguments, total=False):
    """Keyword arguments of a form that edits a row."""

    instance: models.Model | None


class FieldArguments(TypedDict, total=False):
    """Keyword arguments of a form field."""

    required: bool
    label: StrOrPromise | None
    initial: object
    help_text: StrOrPromise
    disabled: bool


class TextFieldArguments(FieldArguments, total=False):
    """Keyword arguments of a text field."""

    max_length: int | None
    min_length: int | None
    widget: forms.Widget | type[forms.Widget] | None
    error_messages: Mapping[str, StrOrPromise] | None


def clean_text(text: str) -> str:
    """Return the text with \n as line end, spaces for tabs, and without leftovers of word processors."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ").translate(INVISIBLE_LEFTOVERS)


def reject_invisible_characters(text: str) -> None:
    """Refuse text with invisible characters other than line ends.

    Raises:
        ValidationError: The message names the position of the first one.
    """
    for position, char in enumerate(text, 1):
        if (
            char in BIDI_CONTROLS
            or char in LINE_BREAKS
            # Lone surrogates can't be encoded, and PostgreSQL refuses NUL.
            or (unicodedata.category(char) in ("Cc", "Cs") and char != "\n")
        ):
            raise ValidationError(
                _("Character %(position)s is invisible (U+%(char)s). Delete it, or type the text again.")
                % {"position": position, "char": f"{ord(char):04X}"}
            )


class SingleLineField(forms.CharField):
    """Plain text on one line."""

    def to_python(self, value: object) -> str:
        text = clean_text(super().to_python(value) or "").strip()
        if "\n" in text:
            raise ValidationError(_("Enter the text on one line."))
        reject_invisible_characters(text)
        return text


class MultiLineField(forms.CharField):
    """Plain text on several lines, optionally limited to `max_lines`."""

    widget = forms.Textarea

    def __init__(self, *, max_lines: int | None = None, rows: int = 5, **kwargs: Unpack[TextFieldArguments]) -> None:
        self.max_lines = max_lines
        kwargs.setdefault("widget", forms.Textarea(attrs={"rows": max_lines or rows}))
        super().__init__(**kwargs)

    def to_python(self, value: object) -> str:
        lines = clean_text(super().to_python(value) or "").split("\n")
        text = "\n".join(line.rstrip() for line in lines).strip()
        reject_invisible_characters(text)
        return text

    def validate(self, value: str) -> None:
        super().validate(value)
        count = value.count("\n") + 1 if value else 0
        if self.max_lines is not None and count > self.max_lines:
            raise ValidationError(
                _("Enter %(max_lines)s lines or fewer. You entered %(count)s.")
                % {"max_lines": self.max_lines, "count": count}
            )


class CodeField(forms.CharField):
    """Configuration, plan, or manifest with its indentation, without blank lines and spaces around it.

    Tabs become spaces, which mean the same in HCL and JSON. Text ends with a line end, which the maximum length doesn't
    count. The widget has no maximum length, because browsers cut longer pasted text without a message.
    """

    default_error_messages = {"max_length": MAX_LENGTH_MESSAGE}

    def __init__(
        self, *, rows: int = 4, validators: Sequence[Validator] = (), **kwargs: Unpack[TextFieldArguments]
    ) -> None:
        kwargs["widget"] = forms.Textarea(
            attrs={"rows": rows, "spellcheck": "false", "autocapitalize": "off", "class": "mono"}
        )
        kwargs.setdefault("max_length", MAX_CODE_CHARACTERS)
        super().__init__(validators=validators, strip=False, **kwargs)

    def to_python(self, value: object) -> str:
        text = str(super().to_python(value)).replace("\r\n", "\n").replace("\t", "  ")
        text = text.rstrip().lstrip("\n")
        reject_invisible_characters(text)
        return text

    def clean(self, value: object) -> str:
        text = super().clean(value)
        return f"{text}\n" if text else ""

    def widget_attrs(self, widget: forms.Widget) -> NamedValues:
        return {}


def explain_text_refusal(text: str) -> str:
    """Return why a one-line text is refused (invisible characters or markup), or an empty string."""
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for char in text):
        return _("The text contains an invisible character. Type the text instead of pasting it.")
    if MARKUP_PATTERN.search(text):
        return _("Enter plain text without HTML.")
    return ""


def clean_search_query(text: str) -> str:
    """Return a search query as one short line without invisible characters."""
    # PostgreSQL refuses NUL, and longer queries aren't useful.
    query = " ".join(text.replace("\x00", "")[:200].split())
    try:
        reject_invisible_characters(query)
    except ValidationError:
        return "".join(char for char in query if char.isprintable())
    return query


class UtcDateTimeField(forms.DateTimeField):
    """Timestamp converted to UTC, because PostgreSQL rejects offsets of 16 hours or more, which Python accepts."""

    def to_python(self, value: str | datetime | date | None) -> datetime | None:
        moment: datetime | None = super().to_python(value)
        try:
            return None if moment is None else moment.astimezone(UTC)
        except OverflowError as error:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from error


class WebAddressField(forms.URLField):
    """Absolute http or https URL without a user name or password."""

    def __init__(self, *, max_length: int | None = None, **kwargs: Unpack[FieldArguments]) -> None:
        invalid_message = gettext_lazy("Enter a complete URL, such as https://docs.example.com/page.")
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
        # https://github.com@example.com/ leads to example.com. Invalid URLs get here, too, so it isn't parsed.
        if USER_PATTERN.match(value):
            raise ValidationError(_("Remove the user name and password from the URL."))


class DayField(forms.DateField):
    """Date between FIRST_YEAR and LAST_YEAR."""

    def __init__(self, **kwargs: Unpack[FieldArguments]) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        errors: NamedValues = {"required": REQUIRED_MESSAGE, "invalid": gettext_lazy("Enter a date as YYYY-MM-DD.")}
        super().__init__(widget=widget, error_messages=errors, **kwargs)

    def validate(self, value: date | None) -> None:
        super().validate(value)
        if value is not None and not FIRST_YEAR <= value.year <= LAST_YEAR:
            raise ValidationError(_("Check the year."))


class NumberField(forms.DecimalField):
    """Number, returned as an integer if it is whole."""

    def clean(self, value: object) -> int | float | None:
        number = super().clean(value)
        if number is None:
            return None
        return int(number) if number == int(number) else float(number)


class FilterField(forms.ChoiceField):
    """Choice in the URL of a list. An unknown value shows an error and filters nothing.

    The empty value comes first, with the empty label. An empty label of None omits it, for a choice that always has a
    value.
    """

    default_error_messages = {"invalid_choice": gettext_lazy("Unknown filter value. The list shows all results.")}

    def __init__(
        self,
        *,
        label: StrOrPromise,
        choices: Iterable[tuple[object, object]] = (),
        empty_label: StrOrPromise | None = ALL_LABEL,
    ) -> None:
        super().__init__(label=label, required=False)
        self.empty_label = empty_label
        self.set_choices(choices)

    def set_choices(self, choices: Iterable[tuple[object, object]]) -> None:
        """Replace the choices after the empty value."""
        self.choices = [*([] if self.empty_label is None else [("", self.empty_label)]), *choices]


def send_initial_values(form: forms.BaseForm) -> None:
    """Send the initial values with the form, so that `changed_data` names only the fields that the user edited.

    A form that was opened earlier then overwrites no other change.
    """
    for field in form.fields.values():
        # Django then compares the input with what the page showed, not with the current row.
        field.show_hidden_initial = True


def truncate_draft_text(text: str) -> str:
    """Return the text of a draft field, shortened to a generous limit and without characters that databases reject."""
    return text.replace("\r\n", "\n")[:MAX_DRAFT_CHARACTERS].replace("\x00", "").encode("utf-8", "ignore").decode()
