"""Forms generated from the questions of a requirement, and their answers as JSON."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Unpack

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.programs.requirements import Question, Requirement
from portal.core.django_arguments import FormArguments
from portal.core.form_fields import (
    CHOICE_MESSAGE,
    REQUIRED_MESSAGE,
    DayField,
    NumberField,
    WebAddressField,
    truncate_draft_text,
)
from portal.core.text_fields import MultiLineField, SingleLineField
from portal.core.value_types import NamedValues

PUBLIC_HELP_TEXT = gettext_lazy("The public listing shows this answer.")
MAX_TEXT_LENGTH = 200  # limit for single-line answers


def _build_text_field(field: Question, options: NamedValues) -> forms.Field:
    return SingleLineField(max_length=min(field.max_length, MAX_TEXT_LENGTH), **options)


def _build_lines_field(field: Question, options: NamedValues) -> forms.Field:
    return MultiLineField(max_length=field.max_length, max_lines=field.max_lines, **options)


def _build_url_field(_field: Question, options: Mapping[str, object]) -> forms.Field:
    return WebAddressField(max_length=500, **_omit_error_messages(options))


def _build_email_field(_field: Question, options: NamedValues) -> forms.Field:
    errors: NamedValues = {
        "required": REQUIRED_MESSAGE,
        "invalid": _("Enter a valid email address, such as name@example.com."),
    }
    return forms.EmailField(max_length=254, error_messages=errors, **_omit_error_messages(options))


def _build_choice_field(field: Question, options: NamedValues) -> forms.Field:
    errors: NamedValues = {"required": CHOICE_MESSAGE, "invalid_choice": CHOICE_MESSAGE}
    return forms.ChoiceField(
        choices=field.options, widget=forms.RadioSelect, error_messages=errors, **_omit_error_messages(options)
    )


def _build_multiple_choice_field(field: Question, options: NamedValues) -> forms.Field:
    errors: NamedValues = {
        "required": _("Select at least one option."),
        "invalid_choice": CHOICE_MESSAGE,
        "invalid_list": CHOICE_MESSAGE,
    }
    widget = forms.CheckboxSelectMultiple
    return forms.MultipleChoiceField(
        choices=field.options, widget=widget, error_messages=errors, **_omit_error_messages(options)
    )


def _build_number_field(_field: Question, options: NamedValues) -> forms.Field:
    errors: NamedValues = {"required": REQUIRED_MESSAGE, "invalid": _("Enter a number.")}
    return NumberField(max_digits=15, decimal_places=4, error_messages=errors, **_omit_error_messages(options))


def _build_date_field(_field: Question, options: Mapping[str, object]) -> forms.Field:
    return DayField(**_omit_error_messages(options))


def _build_confirmation_field(_field: Question, options: NamedValues) -> forms.Field:
    return forms.BooleanField(
        error_messages={"required": _("Select the checkbox to confirm.")}, **_omit_error_messages(options)
    )


def _omit_error_messages(options: Mapping[str, object]) -> NamedValues:
    return {key: value for key, value in options.items() if key != "error_messages"}


FIELD_BUILDERS: dict[str, Callable[[Question, dict[str, object]], forms.Field]] = {
    "text": _build_text_field,
    "lines": _build_lines_field,
    "url": _build_url_field,
    "email": _build_email_field,
    "choice": _build_choice_field,
    "choices": _build_multiple_choice_field,
    "number": _build_number_field,
    "date": _build_date_field,
    "yes": _build_confirmation_field,
}


def build_field(question: Question) -> forms.Field:
    """Return the form field of a question."""
    options = {
        "label": question.label,
        "help_text": f"{question.help} {PUBLIC_HELP_TEXT}".strip() if question.listing_label else question.help,
        "required": question.required,
        "error_messages": {"required": REQUIRED_MESSAGE},
    }
    return FIELD_BUILDERS[question.type](question, options)


class RequirementForm(forms.Form):
    """Questions of a requirement, each field named by its key."""

    def __init__(self, requirement: Requirement, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.fields |= {question.key: build_field(question) for question in requirement.fields}

    def get_answers(self) -> dict[str, object]:
        """Return the answers as JSON without empty ones. Call on a valid form."""
        answers = {key: value for key, value in self.cleaned_data.items() if value not in (None, "", [])}
        return {key: value.isoformat() if isinstance(value, date) else value for key, value in answers.items()}


def collect_draft_data(requirement: Requirement, post: QueryDict) -> dict[str, object]:
    """Return the unvalidated field values for a draft. Other keys are ignored."""
    data: dict[str, object] = {}
    for question in requirement.fields:
        if question.key in post:
            data[question.key] = post.getlist(question.key) if question.type == "choices" else post[question.key]
    return {key: _truncate_value(value) for key, value in data.items()}


def _truncate_value(value: object) -> object:
    return (
        [truncate_draft_text(str(item)) for item in value[:50]]
        if isinstance(value, list)
        else truncate_draft_text(str(value))
    )


def list_answers(requirement: Requirement, data: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return answers or draft values as (question, text) pairs in the order of the questions."""
    return [(question.label, _format_answer(question, data.get(question.key))) for question in requirement.fields]


def _format_answer(question: Question, value: object) -> str:
    if question.type == "yes":
        return _("Yes") if value else ""
    labels = dict(question.options)
    values = value if isinstance(value, list) else [value]
    return ", ".join(labels.get(str(item), str(item)) for item in values if item not in (None, ""))
