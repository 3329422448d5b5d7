"""Forms of the actions on a requirement: their fields, whether the user can perform them, and what they do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext as _, gettext_lazy
from django_stubs_ext import StrOrPromise

from integrations.submissions.views.requirements.page import RequirementPage
from portal.core.form_fields import FormArguments, MultiLineField
from portal.core.uploads import UploadField, describe_accepted_files, get_oversized_fields
from portal.core.value_types import TemplateContext


class ActionForm(forms.Form):
    """Form of an action, which can consist of its button alone."""

    def __init__(self, page: RequirementPage, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.page = page

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        """Return whether the user can perform the action now."""
        return page.can_answer

    def perform(self) -> str | HttpResponse:
        """Perform the action with the valid input. Return a success message or a response. Raises ActionRefused."""
        raise NotImplementedError


class ItemActionForm(ActionForm):
    """Button for one of several items; `uuid` identifies the item."""

    uuid = forms.UUIDField(
        widget=forms.HiddenInput,
        error_messages=dict.fromkeys(("required", "invalid"), gettext_lazy("Select an item.")),
    )


class FileActionForm(ActionForm):
    """Form with a file field that reports files rejected for their size."""

    def __init__(self, page: RequirementPage, accept: tuple[str, ...], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(page, **kwargs)
        field = UploadField(accept=accept, label=_("File"), help_text=describe_accepted_files(accept))
        field.was_oversized = "file" in get_oversized_fields(page.request)
        self.fields["file"] = field


def build_replaces_field(replaceable: Sequence[tuple[str, str]]) -> forms.ChoiceField:
    """Return a field to choose which of the existing items, given as (uuid, name) pairs, the submission replaces."""
    return forms.ChoiceField(
        label=_("Replaces"),
        choices=[("", _("Nothing (add a new one)")), *replaceable],
        required=False,
        widget=forms.Select if replaceable else forms.HiddenInput,
        error_messages={"invalid_choice": _("This item was replaced or removed. Reload the page.")},
    )


def build_reason_field(help_text: StrOrPromise, *, missing: StrOrPromise, max_length: int = 500) -> MultiLineField:
    """Return a field for the reason of an action. `missing`: the error if there is none."""
    return MultiLineField(
        label=gettext_lazy("Reason"),
        help_text=help_text,
        max_length=max_length,
        rows=3,
        error_messages={"required": missing},
    )


@dataclass(frozen=True, slots=True)
class RequirementKindPage:
    """Actions by name, and the context that one kind of requirement adds to the page."""

    actions: Mapping[str, type[ActionForm]]
    context: Callable[[RequirementPage], TemplateContext] = lambda page: {}
