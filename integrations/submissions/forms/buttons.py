"""What do the forms of several requirements share? A bare button, a button beside one of several, a file."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.core.uploads import UploadField, describe_accepted_files, get_oversized_fields


class ButtonForm(forms.Form):
    """A button that asks nothing."""


class ItemButtonForm(forms.Form):
    """A button beside one of several things; `uuid` names which."""

    uuid = forms.UUIDField(
        widget=forms.HiddenInput,
        error_messages={
            "required": gettext_lazy("Choose one of them."),
            "invalid": gettext_lazy("Choose one of them."),
        },
    )


class ReplacementForm(forms.Form):
    """Forms that may put something new in the place of something that is there: (uuid, name) pairs."""

    def __init__(self, *args: Any, replaceable: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["replaces"] = forms.ChoiceField(
            label=_("In the place of"),
            choices=[("", _("Nothing: it comes in addition")), *replaceable],
            required=False,
            widget=forms.Select if replaceable else forms.HiddenInput,
            error_messages={"invalid_choice": _("That one was replaced or removed meanwhile.")},
        )


class FileForm(forms.Form):
    """Forms with a file: one that was too large never arrived, and the form says so."""

    def __init__(
        self, *args: Any, request: Any, accept: tuple[str, ...], is_required: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        field = UploadField(
            accept=accept, label=_("File"), required=is_required, help_text=describe_accepted_files(accept)
        )
        field.was_oversized = "file" in get_oversized_fields(request)
        self.fields["file"] = field
