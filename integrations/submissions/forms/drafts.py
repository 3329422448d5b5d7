"""What may people type to begin an integration, and is it fit? The start form, and what its draft keeps."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from integrations.programs.schema import Edition, Program
from portal.core.badge_impersonation import BADGE_REFUSAL, is_badge_imitation
from portal.core.form_fields import (
    CHOICE_MESSAGE,
    MAX_LENGTH_MESSAGE,
    REQUIRED_MESSAGE,
    WebAddressField,
    truncate_draft_text,
)
from portal.core.repository_urls import MAX_URL_LENGTH, InvalidRepositoryUrlError, get_allowed_host, parse_repository
from portal.core.text_fields import MultiLineField, SingleLineField

TEXT_FIELDS = ("repository_address", "name", "description", "category", "homepage")
FORM_FIELDS = (*TEXT_FIELDS, "offerings")
FIELD_LABELS = {
    "repository_address": gettext_lazy("Repository"),
    "name": gettext_lazy("Name"),
    "description": gettext_lazy("What it does"),
    "category": gettext_lazy("Category"),
    "homepage": gettext_lazy("Homepage"),
    "offerings": gettext_lazy("Works with"),
}
GITHUB_FIELDS = ("name", "description", "homepage")  # fields that GitHub can answer
READ_ONLY_FIELDS = ("license", "latest_release")  # shown, never typed
REPOSITORY_ID_FIELDS = ("repository_id", "repository_owner_id")
REPOSITORY_FIELDS = (
    *REPOSITORY_ID_FIELDS,
    *READ_ONLY_FIELDS,
    "repository",
    "prefill_note",
)  # said of one repository only


class RepositoryUrlField(SingleLineField):
    """The address of a repository on the allowed host; its clean value is "owner/name"."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(error_messages={"required": _("Enter the repository URL.")}, **kwargs)

    def clean(self, value: Any) -> str:
        address = super().clean(value)
        if not address:
            return ""
        try:
            return parse_repository(address)
        except InvalidRepositoryUrlError as error:
            raise ValidationError(str(error)) from error


def merge_form_data(post: QueryDict, previous: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a start draft after somebody typed: the fields as typed, the rest as it was.

    What GitHub answered is forgotten where it was typed over, or where the address is another one.
    """
    data = dict(previous)
    data |= {key: truncate_draft_text(str(post[key])) for key in TEXT_FIELDS if key in post}
    if "offerings" in post or "repository_address" in post:  # no box ticked sends nothing at all
        data["offerings"] = [truncate_draft_text(offering)[:80] for offering in post.getlist("offerings")[:20]]
    if data.get("repository_address", "") != previous.get("repository_address", ""):
        data = {
            key: value
            for key, value in data.items()
            if key not in (*REPOSITORY_ID_FIELDS, *READ_ONLY_FIELDS, "repository", "prefill_note")
        }
    prefilled_keys = [k for k in previous.get("prefilled", []) if k in data and data[k] == previous.get(k)]
    return data | {"prefilled": prefilled_keys} if "prefilled" in previous else data


def merge_repository_data(data: Mapping[str, Any], repository_data: Mapping[str, Any]) -> dict[str, Any]:
    """The data after GitHub was asked: blank fields and earlier answers are filled, what was typed stays."""
    fillable = [key for key in GITHUB_FIELDS if not data.get(key) or key in data.get("prefilled", [])]
    new_values = {key: repository_data[key] for key in fillable if repository_data[key]}
    repository_values = {key: repository_data[key] for key in ("repository", *REPOSITORY_ID_FIELDS, *READ_ONLY_FIELDS)}
    prefilled_keys = [*new_values, *(key for key in READ_ONLY_FIELDS if repository_data[key])]
    note = repository_data["error"] or repository_data["problem"]
    return {**data, **repository_values, **new_values, "prefilled": prefilled_keys, "prefill_note": note}


class IntegrationForm(forms.Form):
    """One page: what the integration is. Bound to a draft's data, or to what was typed."""

    repository_address = RepositoryUrlField(max_length=MAX_URL_LENGTH, label=FIELD_LABELS["repository_address"])
    name = SingleLineField(
        max_length=80,
        label=FIELD_LABELS["name"],
        error_messages={"required": gettext_lazy("Give it a name."), "max_length": MAX_LENGTH_MESSAGE},
    )
    description = MultiLineField(
        max_length=2000,
        label=FIELD_LABELS["description"],
        help_text=gettext_lazy("Two or three sentences: what it does, and for whom."),
        error_messages={"required": gettext_lazy("Say in a sentence what it does."), "max_length": MAX_LENGTH_MESSAGE},
    )
    category = forms.ChoiceField(
        label=FIELD_LABELS["category"],
        widget=forms.RadioSelect,
        error_messages={
            "required": CHOICE_MESSAGE,
            "invalid_choice": gettext_lazy("This edition has no such category: choose another."),
        },
    )
    offerings = forms.MultipleChoiceField(
        label=FIELD_LABELS["offerings"],
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose at least one."),
            "invalid_choice": gettext_lazy("This edition names no such offering: choose from these."),
            "invalid_list": REQUIRED_MESSAGE,
        },
    )
    homepage = WebAddressField(max_length=200, label=FIELD_LABELS["homepage"], required=False)

    def __init__(self, program: Program, edition: Edition, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.program = program
        repository_field = self.fields["repository_address"]
        repository_field.required = program.needs_repository
        repository_field.widget.attrs |= {"placeholder": f"https://{get_allowed_host()}/owner/name", "inputmode": "url"}
        repository_field.help_text = (
            _("Its name: %(repository_hint)s.") % {"repository_hint": program.repository_hint}
            if program.repository_hint
            else ""
        )
        self.fields["category"].choices = [  # type: ignore[attr-defined]
            (c.key, format_html('<span>{}<span class="hint"> {}</span></span>', c.name, c.meaning))
            for c in edition.categories
        ]
        self.fields["offerings"].choices = [(offering, offering) for offering in edition.offerings]  # type: ignore[attr-defined]
        self.fields["offerings"].help_text = _("Which offerings of %(product)s it works with.") % {
            "product": program.product
        }

    def mark(self, data: Mapping[str, Any]) -> "IntegrationForm":
        """Say at each field that GitHub filled that it did."""
        for key in set(GITHUB_FIELDS) & set(data.get("prefilled", [])):
            self.fields[key].prefilled = _("from GitHub")  # type: ignore[attr-defined]
        return self

    def clean_name(self) -> str:
        """The name, unless it would pass for a badge."""
        name: str = self.cleaned_data["name"]
        if is_badge_imitation(name):
            raise ValidationError(gettext(BADGE_REFUSAL))
        return name

    def facts(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """What the integration is created with. Call when the form is in order."""
        repository = self.cleaned_data["repository_address"]
        is_same_repository = repository.lower() == str(data.get("repository", "")).lower()
        values = {key: self.cleaned_data[key] for key in ("name", "description", "category", "offerings", "homepage")}
        return (
            values
            | {"repository": repository}
            | {key: data.get(key) if is_same_repository else None for key in REPOSITORY_ID_FIELDS}
        )


def bind_form(program: Program, edition: Edition, data: Mapping[str, Any]) -> IntegrationForm:
    """The start form over a draft's data, to be found fit or not."""
    post = QueryDict(mutable=True)
    for key in TEXT_FIELDS:
        post[key] = data.get(key, "")
    post.setlist("offerings", list(data.get("offerings", [])))
    return IntegrationForm(program, edition, post).mark(data)


def get_naming_hint(program: Program, address: str) -> str:
    """What the program's check will say about the repository's name; blank where it fits or is not known yet."""
    try:
        name = parse_repository(address).rpartition("/")[2]
    except InvalidRepositoryUrlError:
        return ""
    if not program.repository_pattern or re.match(program.repository_pattern, name):
        return ""
    return _("The program asks for a repository called %(repository_hint)s; this one is called %(name)s.") % {
        "repository_hint": program.repository_hint,
        "name": name,
    }
