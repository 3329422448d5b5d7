"""Form fields that several kinds of test runs share."""

from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from integrations.submissions.forms.credentials import WriteOnlyTextarea
from portal.core.form_fields import SingleLineField, Validator
from verification.terraform.versions import parse_version


def build_validator(parse: Callable[[str], object]) -> Validator:
    """Return a validator of text that a function must be able to parse without a ValueError."""

    def validate(text: str) -> None:
        try:
            parse(text)
        except ValueError as error:
            raise ValidationError(str(error)) from error

    return validate


class VersionField(SingleLineField):
    """Version of a release, without the prefix of its tag."""

    def __init__(self, *, help_text: StrOrPromise) -> None:
        super().__init__(
            label=_("Version"), max_length=100, help_text=help_text, validators=[build_validator(parse_version)]
        )

    def to_python(self, value: object) -> str:
        # Tags begin with “v”, so many people enter it, and versions in the registry don't have it.
        return super().to_python(value).removeprefix("v")


def build_write_only_area(rows: int = 1) -> WriteOnlyTextarea:
    """Return the input for credentials that are never displayed again."""
    return WriteOnlyTextarea(attrs={"rows": rows, "autocomplete": "off", "spellcheck": "false"})
