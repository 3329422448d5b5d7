"""Messages of required fields, which say what to enter."""

from django import forms
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from portal.core.form_fields import CHOICE_MESSAGE

MESSAGES: dict[type[forms.Field], StrOrPromise] = {
    forms.Field: gettext_lazy("Enter a value."),
    forms.BooleanField: gettext_lazy("Select the checkbox to confirm."),
    forms.ChoiceField: CHOICE_MESSAGE,
    forms.EmailField: gettext_lazy("Enter an email address."),
    forms.FileField: gettext_lazy("Select a file."),
    forms.IntegerField: gettext_lazy("Enter a number."),
    forms.URLField: gettext_lazy("Enter a URL."),
}


def set_required_messages() -> None:
    """Replace “This field is required.” in all forms. Django has no setting for the default messages of fields."""
    for field, message in MESSAGES.items():
        field.default_error_messages = {**field.default_error_messages, "required": message}
