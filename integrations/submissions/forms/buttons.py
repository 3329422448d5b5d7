"""Forms that several kinds of requirements share: buttons and file uploads."""

from collections.abc import Sequence
from typing import Unpack

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.core.django_arguments import FormArguments
from portal.core.uploads import UploadField, describe_accepted_files, get_oversized_fields


class ItemButtonForm(forms.Form):
    """Button for one of several items; `uuid` identifies the item."""

    uuid = forms.UUIDField(
        widget=forms.HiddenInput,
        error_messages={
            "required": gettext_lazy("Select an item."),
            "invalid": gettext_lazy("Select an item."),
        },
    )


def build_replaces_field(replaceable: Sequence[tuple[str, str]]) -> forms.ChoiceField:
    """Return a field to choose which of the existing items, given as (uuid, name) pairs, the submission replaces."""
    return forms.ChoiceField(
        label=_("Replaces"),
        choices=[("", _("Nothing (add a new one)")), *replaceable],
        required=False,
        widget=forms.Select if replaceable else forms.HiddenInput,
        error_messages={"invalid_choice": _("This item was replaced or removed. Reload the page.")},
    )


class FileForm(forms.Form):
    """Form with a file field that reports files rejected for their size."""

    def __init__(
        self,
        *,
        request: HttpRequest,
        accept: tuple[str, ...],
        is_required: bool = True,
        **kwargs: Unpack[FormArguments],
    ) -> None:
        super().__init__(**kwargs)
        field = UploadField(
            accept=accept, label=_("File"), required=is_required, help_text=describe_accepted_files(accept)
        )
        field.was_oversized = "file" in get_oversized_fields(request)
        self.fields["file"] = field
