"""Which characters may a person type? Form fields for plain text: one line, or several.

HTML is text like any other and shown as it was typed. What cannot be seen and could mislead or break a mail's
header is refused with a sentence; what word processors leave behind unseen is taken out.
"""

import re
import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

INVISIBLE_LEFTOVERS = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\u00ad"))
BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
LINE_BREAKS = frozenset("\u2028\u2029\u0085\u000b\u000c")
MARKUP_PATTERN = re.compile(r"<[/!?a-z]|&#?\w+;", re.IGNORECASE)


def clean_text(text: str) -> str:
    """Line ends made equal, tabs made spaces, unseen leftovers taken out."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ").translate(INVISIBLE_LEFTOVERS)


def reject_invisible_characters(text: str) -> None:
    """Raises ValidationError at the first control character; a line end is none."""
    for position, char in enumerate(text, 1):
        if (
            char in BIDI_CONTROLS
            or char in LINE_BREAKS
            or (unicodedata.category(char) in ("Cc", "Cs") and char != "\n")
        ):
            raise ValidationError(
                _("Character %(place)s cannot be seen (U+%(char)s). Delete it, or type the text again.")
                % {"place": position, "char": f"{ord(char):04X}"}
            )


class SingleLineField(forms.CharField):
    """One line of plain text."""

    def to_python(self, value: Any) -> str:
        text = clean_text(super().to_python(value) or "").strip()
        if "\n" in text:
            raise ValidationError(_("Write this on one line."))
        reject_invisible_characters(text)
        return text


class MultiLineField(forms.CharField):
    """Several lines of plain text, at most `max_lines` where that is given."""

    widget = forms.Textarea

    def __init__(self, *, max_lines: int | None = None, rows: int = 5, **kwargs: Any) -> None:
        self.max_lines = max_lines
        kwargs.setdefault("widget", forms.Textarea(attrs={"rows": max_lines or rows}))
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> str:
        lines = clean_text(super().to_python(value) or "").split("\n")
        text = "\n".join(line.rstrip() for line in lines).strip()
        reject_invisible_characters(text)
        return text

    def validate(self, value: str) -> None:
        super().validate(value)
        count = value.count("\n") + 1 if value else 0
        if self.max_lines is not None and count > self.max_lines:
            raise ValidationError(
                _("At most %(max_lines)s lines: these are %(count)s.") % {"max_lines": self.max_lines, "count": count}
            )


def explain_text_refusal(text: str) -> str:
    """Why a one-line text cannot be taken, or blank: what cannot be seen, and markup."""
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for char in text):
        return _("This holds a character that cannot be seen. Type it again rather than pasting it.")
    if MARKUP_PATTERN.search(text):
        return _("Write plain text, without HTML.")
    return ""


def clean_search_query(text: str) -> str:
    """Words from the address of a search: one line, not too long, without what cannot be seen."""
    query = " ".join(text.replace("\x00", "")[:200].split())
    try:
        reject_invisible_characters(query)
    except ValidationError:
        return "".join(char for char in query if char.isprintable())
    return query
