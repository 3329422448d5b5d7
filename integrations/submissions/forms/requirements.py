"""How does a requirement's list of questions become a form, and its answers JSON?"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.programs.schema import Field, Requirement
from portal.core.form_fields import CHOOSE, NEEDED, Address, Day, Number, bounded
from portal.core.text_fields import Line, Lines

SHOWN_TO_ALL = gettext_lazy("Everyone reads it on the listing.")
SHORT = 200  # a line longer than this is nobody's line


def _text(field: Field, common: dict[str, Any]) -> forms.Field:
    return Line(max_length=min(field.max_length, SHORT), **common)


def _lines(field: Field, common: dict[str, Any]) -> forms.Field:
    return Lines(max_length=field.max_length, max_lines=field.max_lines, **common)


def _url(_field: Field, common: dict[str, Any]) -> forms.Field:
    return Address(max_length=500, **_bare(common))


def _email(_field: Field, common: dict[str, Any]) -> forms.Field:
    wrong: dict[str, Any] = {"required": NEEDED, "invalid": _("Write a mail address, such as name@example.com.")}
    return forms.EmailField(max_length=254, error_messages=wrong, **_bare(common))


def _choice(field: Field, common: dict[str, Any]) -> forms.Field:
    errors: dict[str, Any] = {"required": CHOOSE, "invalid_choice": CHOOSE}
    return forms.ChoiceField(choices=field.options, widget=forms.RadioSelect, error_messages=errors, **_bare(common))


def _choices(field: Field, common: dict[str, Any]) -> forms.Field:
    errors: dict[str, Any] = {"required": _("Choose at least one."), "invalid_choice": CHOOSE, "invalid_list": CHOOSE}
    widget = forms.CheckboxSelectMultiple
    return forms.MultipleChoiceField(choices=field.options, widget=widget, error_messages=errors, **_bare(common))


def _number(_field: Field, common: dict[str, Any]) -> forms.Field:
    errors: dict[str, Any] = {"required": NEEDED, "invalid": _("Write a number.")}
    return Number(max_digits=15, decimal_places=4, error_messages=errors, **_bare(common))


def _date(_field: Field, common: dict[str, Any]) -> forms.Field:
    return Day(**_bare(common))


def _yes(_field: Field, common: dict[str, Any]) -> forms.Field:
    return forms.BooleanField(error_messages={"required": _("Tick this to confirm it.")}, **_bare(common))


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
        "help_text": f"{question.help} {SHOWN_TO_ALL}".strip() if question.public else question.help,
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
    return {key: _kept(value) for key, value in found.items()}


def _kept(value: Any) -> Any:
    return [bounded(str(each)) for each in value[:50]] if isinstance(value, list) else bounded(str(value))


def shown(requirement: Requirement, data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Answers, or a draft, as (question, text) pairs in the order of the questions."""
    return [(question.label, _said(question, data.get(question.key))) for question in requirement.fields]


def _said(question: Field, value: Any) -> str:
    if question.type == "yes":
        return "yes" if value else ""
    labels = dict(question.options)
    values = value if isinstance(value, list) else [value]
    return ", ".join(labels.get(str(each), str(each)) for each in values if each not in (None, ""))
