"""Form for a new integration, and the data of its draft."""

import re
from collections.abc import Mapping
from typing import Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _, gettext_lazy

from integrations.programs.schema import Edition, Program
from integrations.submissions.models.integration import DESCRIPTION_FIELDS
from portal.core.badge_impersonation import BADGE_REFUSAL, is_badge_imitation
from portal.core.form_fields import (
    CHOICE_MESSAGE,
    MAX_LENGTH_MESSAGE,
    REQUIRED_MESSAGE,
    FormArguments,
    MultiLineField,
    SingleLineField,
    WebAddressField,
    truncate_draft_text,
)
from portal.core.repository_urls import MAX_URL_LENGTH, InvalidRepositoryUrlError, get_allowed_host, parse_repository
from portal.core.value_types import JsonObject, NamedValues
from portal.ui.components.inline import option

TEXT_FIELDS = ("repository_address", "name", "description", "category", "homepage")
FORM_FIELDS = (*TEXT_FIELDS, "offerings")
GITHUB_FIELDS = ("name", "description", "homepage")  # fields that GitHub can fill
READ_ONLY_FIELDS = ("license", "latest_release")  # shown, not editable
REPOSITORY_ID_FIELDS = ("repository_id", "repository_owner_id")
# cleared when the repository changes
REPOSITORY_FIELDS = (*REPOSITORY_ID_FIELDS, *READ_ONLY_FIELDS, "repository", "prefill_note")


class RepositoryUrlField(SingleLineField):
    """URL of a repository on the allowed host; its clean value is "owner/name"."""

    def __init__(self) -> None:
        messages = {"required": gettext_lazy("Enter the repository URL.")}
        super().__init__(error_messages=messages, max_length=MAX_URL_LENGTH, label=gettext_lazy("Repository URL"))

    def clean(self, value: object) -> str:
        address = super().clean(value)
        if not address:
            return ""
        try:
            return parse_repository(address)
        except InvalidRepositoryUrlError as error:
            raise ValidationError(str(error)) from error


def merge_form_data(post: QueryDict, previous: JsonObject) -> dict[str, object]:
    """Return the draft data with the submitted fields.

    Edited values are no longer marked as filled from GitHub. A new repository URL clears all repository data.
    """
    data = dict(previous)
    data |= {key: truncate_draft_text(post.get(key, "")) for key in TEXT_FIELDS if key in post}
    if "offerings" in post or "repository_address" in post:  # browsers omit unselected checkboxes
        data["offerings"] = [truncate_draft_text(offering)[:80] for offering in post.getlist("offerings")[:20]]
    # What GitHub said about the previous repository would be submitted with the new one.
    if data.get("repository_address", "") != previous.get("repository_address", ""):
        data = {key: value for key, value in data.items() if key not in REPOSITORY_FIELDS}
    prefilled_keys = [k for k in previous.get("prefilled", []) if k in data and data[k] == previous.get(k)]
    return data | {"prefilled": prefilled_keys} if "prefilled" in previous else data


def merge_repository_data(data: JsonObject, repository_data: Mapping[str, object]) -> dict[str, object]:
    """Return the data with blank and previously filled fields set from GitHub; edited fields don't change.

    Without an answer from GitHub, only the note changes.
    """
    if note := repository_data["note"]:
        return {**data, "prefill_note": note}
    fillable = [key for key in GITHUB_FIELDS if not data.get(key) or key in data.get("prefilled", [])]
    keys = ("repository", *REPOSITORY_ID_FIELDS, *READ_ONLY_FIELDS, *fillable)
    prefilled_keys = [key for key in (*fillable, *READ_ONLY_FIELDS) if repository_data[key]]
    new_values = {key: repository_data[key] for key in keys}
    return {**data, **new_values, "prefilled": prefilled_keys, "prefill_note": ""}


class IntegrationForm(forms.Form):
    """Description of an integration, bound to a draft's data or to submitted data."""

    repository_address = RepositoryUrlField()
    name = SingleLineField(
        max_length=80,
        label=gettext_lazy("Name"),
        error_messages={"required": gettext_lazy("Enter a name."), "max_length": MAX_LENGTH_MESSAGE},
    )
    description = MultiLineField(
        max_length=2000,
        label=gettext_lazy("Description"),
        help_text=gettext_lazy("Describe the purpose and the users in two or three sentences."),
        error_messages={"required": gettext_lazy("Enter a description."), "max_length": MAX_LENGTH_MESSAGE},
    )
    category = forms.ChoiceField(
        label=gettext_lazy("Category"),
        widget=forms.RadioSelect,
        error_messages={
            "required": CHOICE_MESSAGE,
            "invalid_choice": gettext_lazy("Unknown category. Select another one."),
        },
    )
    offerings = forms.MultipleChoiceField(
        label=gettext_lazy("Compatible products"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Select at least one option."),
            "invalid_choice": gettext_lazy("Unknown product. Select from the list."),
            "invalid_list": REQUIRED_MESSAGE,
        },
    )
    homepage = WebAddressField(max_length=200, label=gettext_lazy("Homepage"), required=False)

    def __init__(self, program: Program, edition: Edition, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.program = program
        repository_field = self.fields["repository_address"]
        repository_field.required = program.needs_repository
        repository_field.widget.attrs |= {"placeholder": f"https://{get_allowed_host()}/owner/name", "inputmode": "url"}
        if program.repository_hint:
            help_text = _("Repository name: %(repository_hint)s.")
            repository_field.help_text = help_text % {"repository_hint": program.repository_hint}
        self.fields["category"].choices = [  # type: ignore[attr-defined]
            (category.key, option(category.name, hint=category.description)) for category in edition.categories
        ]
        self.fields["offerings"].choices = [  # type: ignore[attr-defined]
            (name, option(name, hint=text) if text else name) for name, text in edition.describe_offerings()
        ]
        offerings_help = _("Select all %(product)s products that the integration supports.")
        self.fields["offerings"].help_text = offerings_help % {"product": program.product}

    def mark_prefilled(self, data: JsonObject) -> "IntegrationForm":
        """Mark the fields that GitHub filled."""
        for key in set(GITHUB_FIELDS) & set(data.get("prefilled", [])):
            self.fields[key].prefilled = _("from GitHub")  # type: ignore[attr-defined]
        return self

    def clean_name(self) -> str:
        """Return the name unless it is new and imitates a badge."""
        name: str = self.cleaned_data["name"]
        if name != self.initial.get("name") and is_badge_imitation(name):
            raise ValidationError(_(BADGE_REFUSAL))
        return name

    def get_values(self, data: Mapping[str, object]) -> NamedValues:
        """Return the values of the new integration. Call on a valid form."""
        repository = self.cleaned_data["repository_address"]
        # IDs of another repository would make checks and the search for similar work follow the wrong one.
        is_same_repository = repository.lower() == str(data.get("repository", "")).lower()
        repository_ids = {key: data.get(key) if is_same_repository else None for key in REPOSITORY_ID_FIELDS}
        return {key: self.cleaned_data[key] for key in DESCRIPTION_FIELDS} | {"repository": repository} | repository_ids


def bind_form(program: Program, edition: Edition, data: JsonObject) -> IntegrationForm:
    """Return the form bound to a draft's data."""
    return IntegrationForm(program, edition, data={"offerings": [], **data}).mark_prefilled(data)


def get_naming_hint(program: Program, address: str) -> str:
    """Return a warning if the repository name doesn't follow the program's pattern, or an empty string."""
    try:
        name = parse_repository(address).rpartition("/")[2]
    except InvalidRepositoryUrlError:
        return ""
    if not program.repository_pattern or re.fullmatch(program.repository_pattern, name):
        return ""
    message = _("The program requires a repository named %(repository_hint)s. This repository is named %(name)s.")
    return message % {"repository_hint": program.repository_hint, "name": name}
