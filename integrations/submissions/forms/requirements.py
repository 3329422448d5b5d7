"""Forms generated from the questions of a requirement, and their answers as JSON."""

from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import Unpack

from django import forms
from django.core.validators import RegexValidator
from django.http import QueryDict
from django.utils.translation import gettext as _, gettext_lazy

from integrations.programs.requirements import Question, Requirement
from portal.core.form_fields import (
    CHOICE_MESSAGE,
    REQUIRED_MESSAGE,
    DayField,
    FormArguments,
    MultiLineField,
    NumberField,
    SingleLineField,
    WebAddressField,
    truncate_draft_text,
)
from portal.core.value_types import NamedValues

PUBLIC_HELP_TEXT = gettext_lazy("The public listing shows this answer.")
MAX_TEXT_LENGTH = 200  # limit for single-line answers
MAX_DRAFT_CHOICES = 50


FIELD_FACTORIES: dict[str, Callable[..., forms.Field]] = {
    "text": partial(SingleLineField, error_messages={"required": REQUIRED_MESSAGE}),
    "lines": partial(MultiLineField, error_messages={"required": REQUIRED_MESSAGE}),
    "url": partial(WebAddressField, max_length=500),
    "email": partial(
        forms.EmailField,
        max_length=254,
        error_messages={
            "required": REQUIRED_MESSAGE,
            "invalid": gettext_lazy("Enter a valid email address, such as name@example.com."),
        },
    ),
    "choice": partial(
        forms.ChoiceField,
        widget=forms.RadioSelect,
        error_messages={"invalid_choice": CHOICE_MESSAGE},
    ),
    "choices": partial(
        forms.MultipleChoiceField,
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Select at least one option."),
            "invalid_choice": CHOICE_MESSAGE,
            "invalid_list": CHOICE_MESSAGE,
        },
    ),
    "number": partial(
        NumberField,
        max_digits=15,
        decimal_places=4,
        error_messages={"required": REQUIRED_MESSAGE, "invalid": gettext_lazy("Enter a number.")},
    ),
    "date": DayField,
    "yes": forms.BooleanField,
}


def build_field(question: Question) -> forms.Field:
    """Return the form field of a question."""
    return FIELD_FACTORIES[question.type](
        label=question.label,
        help_text=f"{question.help} {PUBLIC_HELP_TEXT}".strip() if question.listing_label else question.help,
        required=question.required,
        validators=[build_pattern_validator(question)] if question.pattern else [],
        **get_limits(question),
    )


def build_pattern_validator(question: Question) -> RegexValidator:
    message = _("The answer doesn't have the required format. %(help)s") % {"help": question.help}
    # The validator formats its message, too.
    message = message.replace("%", "%%")
    # An edition states a pattern for the whole answer, and RegexValidator searches in it.
    return RegexValidator(f"^(?:{question.pattern})$", message, code="pattern")


def get_limits(question: Question) -> NamedValues:
    """Return the arguments of a form field that limit the answer."""
    match question.type:
        case "text":
            return {"max_length": min(question.max_length, MAX_TEXT_LENGTH)}
        case "lines":
            return {"max_length": question.max_length, "max_lines": question.max_lines}
        case "choice" | "choices":
            return {"choices": question.options}
        case _:
            return {}


class RequirementForm(forms.Form):
    """Questions of a requirement."""

    def __init__(self, requirement: Requirement, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.fields |= {question.key: build_field(question) for question in requirement.fields}

    def clean(self) -> dict[str, object]:
        """Return the answers as JSON without empty ones."""
        answers = {key: value for key, value in self.cleaned_data.items() if value not in (None, "", [])}
        return {key: value.isoformat() if isinstance(value, date) else value for key, value in answers.items()}


def collect_draft_data(requirement: Requirement, post: QueryDict) -> dict[str, object]:
    """Return the unvalidated field values for a draft. Other keys are ignored."""
    return {
        # A draft isn't validated, so its size is limited here.
        question.key: [truncate_draft_text(text) for text in post.getlist(question.key)[:MAX_DRAFT_CHOICES]]
        if question.type == "choices"
        else truncate_draft_text(str(post[question.key] or ""))
        for question in requirement.fields
        if question.key in post
    }


def list_answers(requirement: Requirement, data: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return answers or draft values as (question, text) pairs in the order of the questions."""
    values = [(question, data.get(question.key)) for question in requirement.fields]
    return [(question.label, "" if value is False else format_answer(question, value)) for question, value in values]


def format_answer(question: Question | None, value: object) -> str:
    """Return an answer as text: options by label, lists joined, confirmations as yes or no."""
    is_draft_confirmation = bool(value) and question is not None and question.type == "yes"
    if isinstance(value, bool) or is_draft_confirmation:
        return _("Yes") if value else _("No")
    if isinstance(value, list | tuple):
        return ", ".join(format_answer(question, item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {format_answer(None, item)}" for key, item in value.items())
    labels = dict(question.options) if question else {}
    return labels.get(str(value), "" if value is None else str(value))
