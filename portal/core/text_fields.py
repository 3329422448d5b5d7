"""Form fields for plain text of one line or several lines.

HTML counts as text and is displayed as entered. The fields refuse invisible characters that could mislead readers or
break an email header. They remove harmless invisible characters that word processors insert.
"""

import re
import unicodedata
from typing import Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from portal.core.django_arguments import TextFieldArguments

INVISIBLE_LEFTOVERS = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\u00ad"))
BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
LINE_BREAKS = frozenset("\u2028\u2029\u0085\u000b\u000c")
MARKUP_PATTERN = re.compile(r"<[/!?a-z]|&#?\w+;", re.IGNORECASE)


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


def explain_text_refusal(text: str) -> str:
    """Return why a one-line text is refused (invisible characters or markup), or an empty string."""
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for char in text):
        return _("The text contains an invisible character. Type the text instead of pasting it.")
    if MARKUP_PATTERN.search(text):
        return _("Enter plain text without HTML.")
    return ""


def clean_search_query(text: str) -> str:
    """Return a search query as one short line without invisible characters."""
    query = " ".join(text.replace("\x00", "")[:200].split())
    try:
        reject_invisible_characters(query)
    except ValidationError:
        return "".join(char for char in query if char.isprintable())
    return query
