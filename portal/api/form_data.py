"""Validation of API input with the forms of the pages."""

from collections.abc import Mapping
from datetime import date
from typing import TypeVar

from django.core.exceptions import ValidationError
from django.forms import BaseForm, ChoiceField, ModelChoiceField
from django.http import QueryDict

from portal.api.choices import list_choice_values
from portal.api.problems import ApiError
from portal.api.validation_messages import build_choice_message
from portal.core.value_types import NamedValues

FormT = TypeVar("FormT", bound=BaseForm)
MAX_CHOICES = 100  # in a message


def validate_form(form: FormT, api_names: Mapping[str, str] | None = None) -> FormT:
    """Return the valid form. Raises ApiError with a message per field. `api_names` maps form fields to API fields."""
    if form.is_valid():
        return form
    # An error of the whole form belongs to no field.
    name_by_field = {"__all__": "", **(api_names or {})}
    fields = [
        (name_by_field.get(name, name), message)
        for name, errors in form.errors.as_data().items()
        for error in errors
        for message in _list_messages(form, name, error)
    ]
    raise ApiError("validation-error", fields[0][1], fields=fields)


def _list_messages(form: BaseForm, name: str, error: ValidationError) -> list[str]:
    """Return the messages of an error. Those of the pages don't name the choices, which people see in the form."""
    field = form.fields.get(name)
    # The choices of a model are rows, which other operations list.
    if error.code == "invalid_choice" and isinstance(field, ChoiceField) and not isinstance(field, ModelChoiceField):
        values = list_choice_values(field)
        if len(values) <= MAX_CHOICES:
            return [build_choice_message(values)]
    return [str(message) for message in error.messages]


def clean(form: BaseForm) -> NamedValues:
    """Return the cleaned values of a form. Raises ApiError with a message per field."""
    return validate_form(form).cleaned_data


def get_initial_values(form: BaseForm) -> NamedValues:
    """Return the current values of a form's fields."""
    return {name: field.initial for name, field in form.fields.items()}


def build_form_data(**fields: object) -> QueryDict:
    """Build form data from API fields. None means not sent, True means a checked box."""
    form_data = QueryDict(mutable=True)
    for name, value in fields.items():
        # Browsers send nothing for an unselected checkbox.
        if value is None or value is False:
            continue
        form_data.setlist(
            name, [_format_form_value(item) for item in (value if isinstance(value, list | tuple) else [value])]
        )
    return form_data


def _format_form_value(value: object) -> str:
    if value is True:
        return "on"
    return value.isoformat() if isinstance(value, date) else str(value)
