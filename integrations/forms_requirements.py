"""How does a requirement's list of questions become a form, and its answers JSON?"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from integrations.plain import Line, Lines, refuse_unseen
from integrations.programs.base import Field, Requirement

FIRST_YEAR, LAST_YEAR = 2000, 2100
NEEDED = "Answer this question."
CHOOSE = "Choose one of the answers that are shown."
SHORT = 200  # a line longer than this is nobody's line


class Address(forms.URLField):
    """A full http or https address without a user name or password in it."""

    def __init__(self, **kwargs: Any) -> None:
        wrong = "Write a full address, such as https://docs.example.com/page."
        super().__init__(assume_scheme="https", error_messages={"required": NEEDED, "invalid": wrong}, **kwargs)

    def to_python(self, value: Any) -> str:
        refuse_unseen(str(value or ""))
        return str(super().to_python(value))

    def validate(self, value: str) -> None:
        super().validate(value)
        if not value:
            return
        if not value.startswith(("https://", "http://")):
            raise ValidationError("The address must begin with https:// or http://.")
        if "@" in value.split("/")[2]:
            raise ValidationError("Leave user name and password out of the address.")


class Day(forms.DateField):
    """A day within a century."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        errors = {"required": NEEDED, "invalid": "Write the day as in 2026-04-14."}
        super().__init__(widget=widget, error_messages=errors, **kwargs)

    def validate(self, value: date | None) -> None:
        super().validate(value)
        if value is not None and not FIRST_YEAR <= value.year <= LAST_YEAR:
            raise ValidationError("Look at the year: it is far from now.")


class Number(forms.DecimalField):
    """A number, kept as a whole one where it is."""

    def clean(self, value: Any) -> int | float | None:
        found = super().clean(value)
        return None if found is None else int(found) if found == int(found) else float(found)


def _text(field: Field, common: dict[str, Any]) -> forms.Field:
    return Line(max_length=min(field.max_length, SHORT), **common)


def _lines(field: Field, common: dict[str, Any]) -> forms.Field:
    return Lines(max_length=field.max_length, max_lines=field.max_lines, **common)


def _url(_field: Field, common: dict[str, Any]) -> forms.Field:
    return Address(max_length=500, **_bare(common))


def _email(_field: Field, common: dict[str, Any]) -> forms.Field:
    wrong = {"required": NEEDED, "invalid": "Write a mail address, such as name@example.com."}
    return forms.EmailField(max_length=254, error_messages=wrong, **_bare(common))


def _choice(field: Field, common: dict[str, Any]) -> forms.Field:
    errors = {"required": CHOOSE, "invalid_choice": CHOOSE}
    return forms.ChoiceField(choices=field.options, widget=forms.RadioSelect, error_messages=errors, **_bare(common))


def _choices(field: Field, common: dict[str, Any]) -> forms.Field:
    errors = {"required": "Choose at least one.", "invalid_choice": CHOOSE, "invalid_list": CHOOSE}
    widget = forms.CheckboxSelectMultiple
    return forms.MultipleChoiceField(choices=field.options, widget=widget, error_messages=errors, **_bare(common))


def _number(_field: Field, common: dict[str, Any]) -> forms.Field:
    errors = {"required": NEEDED, "invalid": "Write a number."}
    return Number(max_digits=15, decimal_places=4, error_messages=errors, **_bare(common))


def _date(_field: Field, common: dict[str, Any]) -> forms.Field:
    return Day(**_bare(common))


def _yes(_field: Field, common: dict[str, Any]) -> forms.Field:
    return forms.BooleanField(error_messages={"required": "Tick this to confirm it."}, **_bare(common))


def _bare(common: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in common.items() if key != "error_messages"}


BUILDERS: dict[str, Callable[[Field, dict[str, Any]], forms.Field]] = {
    "text": _text,
    "lines": _lines,
    "url": _url,
    "email": _email,
    "choice": _choice,
    "choices": _choices,
    "number": _number,
    "date": _date,
    "yes": _yes,
}


def field_of(question: Field) -> forms.Field:
    """The form field of one question."""
    common = {
        "label": question.label,
        "help_text": question.help,
        "required": question.required,
        "error_messages": {"required": NEEDED},
    }
    return BUILDERS[question.type](question, common)


class RequirementForm(forms.Form):
    """The questions of one requirement, each under its key."""

    def __init__(self, requirement: Requirement, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields |= {question.key: field_of(question) for question in requirement.fields}

    def answers(self) -> dict[str, Any]:
        """The answers as JSON, empty ones left out. Call when the form is in order."""
        kept = {key: value for key, value in self.cleaned_data.items() if value not in (None, "", [])}
        return {key: value.isoformat() if isinstance(value, date) else value for key, value in kept.items()}


def typed(requirement: Requirement, post: QueryDict) -> dict[str, Any]:
    """What stands in the fields, as it was typed, for a draft. Nothing but the questions' own keys."""
    found: dict[str, Any] = {}
    for question in requirement.fields:
        if question.key in post:
            found[question.key] = post.getlist(question.key) if question.type == "choices" else post[question.key]
    return {key: _bounded(value) for key, value in found.items()}


def _bounded(value: Any) -> Any:
    """A draft keeps what is too long, but not without end; what no database takes is left out."""
    if isinstance(value, list):
        return [_bounded(each) for each in value[:50]]
    return str(value)[:20_000].replace("\x00", "").encode("utf-8", "ignore").decode()


def shown(requirement: Requirement, data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Answers, or a draft, as (question, text) pairs in the order of the questions."""
    return [(question.label, _said(question, data.get(question.key))) for question in requirement.fields]


def _said(question: Field, value: Any) -> str:
    if question.type == "yes":
        return "yes" if value else ""
    labels = dict(question.options)
    values = value if isinstance(value, list) else [value]
    return ", ".join(labels.get(str(each), str(each)) for each in values if each not in (None, ""))
