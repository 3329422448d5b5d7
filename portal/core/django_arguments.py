"""Types of the keyword arguments that our forms, form fields, and models pass on to Django."""

from collections.abc import Iterable, Mapping
from typing import TypedDict

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.db import models
from django.utils.datastructures import MultiValueDict
from django_stubs_ext import StrOrPromise

from portal.core.value_types import NamedValues


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


class SaveArguments(TypedDict, total=False):
    """Keyword arguments of Model.save()."""

    force_insert: bool | tuple[models.base.ModelBase, ...]
    force_update: bool
    using: str | None
    update_fields: Iterable[str] | None
