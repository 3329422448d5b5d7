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
from portal.core.badge_impersonation import REFUSAL, imitates
from portal.core.form_fields import CHOOSE, NEEDED, TOO_LONG, Address, bounded
from portal.core.repository_urls import MAX_LENGTH, BadAddress, allowed_host, parse_repository
from portal.core.text_fields import Line, Lines

TEXTS = ("repository_address", "name", "description", "category", "homepage")
START_KEYS = (*TEXTS, "offerings")
LABELS = {
    "repository_address": gettext_lazy("Repository"),
    "name": gettext_lazy("Name"),
    "description": gettext_lazy("What it does"),
    "category": gettext_lazy("Category"),
    "homepage": gettext_lazy("Homepage"),
    "offerings": gettext_lazy("Works with"),
}
FROM_GITHUB = ("name", "description", "homepage")  # fields that GitHub can answer
READ_ONLY = ("licence", "latest_release")  # shown, never typed
IDS = ("repository_id", "repository_owner_id")
OF_REPOSITORY = (*IDS, *READ_ONLY, "repository", "prefill_note")  # said of one repository only


class RepositoryAddress(Line):
    """The address of a repository on the allowed host; its clean value is "owner/name"."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(error_messages={"required": _("Paste the address of the repository.")}, **kwargs)

    def clean(self, value: Any) -> str:
        address = super().clean(value)
        if not address:
            return ""
        try:
            return parse_repository(address)
        except BadAddress as sentence:
            raise ValidationError(str(sentence)) from sentence


def typed(post: QueryDict, before: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a start draft after somebody typed: the fields as typed, the rest as it was.

    What GitHub answered is forgotten where it was typed over, or where the address is another one.
    """
    data = dict(before)
    data |= {key: bounded(str(post[key])) for key in TEXTS if key in post}
    if "offerings" in post or "repository_address" in post:  # no box ticked sends nothing at all
        data["offerings"] = [bounded(each)[:80] for each in post.getlist("offerings")[:20]]
    if data.get("repository_address", "") != before.get("repository_address", ""):
        data = {
            key: value for key, value in data.items() if key not in (*IDS, *READ_ONLY, "repository", "prefill_note")
        }
    kept = [k for k in before.get("prefilled", []) if k in data and data[k] == before.get(k)]
    return data | {"prefilled": kept} if "prefilled" in before else data


def filled(data: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The data after GitHub was asked: blank fields and earlier answers are filled, what was typed stays."""
    free = [key for key in FROM_GITHUB if not data.get(key) or key in data.get("prefilled", [])]
    new = {key: answers[key] for key in free if answers[key]}
    known = {key: answers[key] for key in ("repository", *IDS, *READ_ONLY)}
    prefilled = [*new, *(key for key in READ_ONLY if answers[key])]
    note = answers["error"] or answers["problem"]
    return {**data, **known, **new, "prefilled": prefilled, "prefill_note": note}


class StartForm(forms.Form):
    """One page: what the integration is. Bound to a draft's data, or to what was typed."""

    repository_address = RepositoryAddress(max_length=MAX_LENGTH, label=LABELS["repository_address"])
    name = Line(
        max_length=80,
        label=LABELS["name"],
        error_messages={"required": gettext_lazy("Give it a name."), "max_length": TOO_LONG},
    )
    description = Lines(
        max_length=2000,
        label=LABELS["description"],
        help_text=gettext_lazy("Two or three sentences: what it does, and for whom."),
        error_messages={"required": gettext_lazy("Say in a sentence what it does."), "max_length": TOO_LONG},
    )
    category = forms.ChoiceField(
        label=LABELS["category"],
        widget=forms.RadioSelect,
        error_messages={
            "required": CHOOSE,
            "invalid_choice": gettext_lazy("This edition has no such category: choose another."),
        },
    )
    offerings = forms.MultipleChoiceField(
        label=LABELS["offerings"],
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose at least one."),
            "invalid_choice": gettext_lazy("This edition names no such offering: choose from these."),
            "invalid_list": NEEDED,
        },
    )
    homepage = Address(max_length=200, label=LABELS["homepage"], required=False)

    def __init__(self, program: Program, edition: Edition, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.program = program
        address = self.fields["repository_address"]
        address.required = program.needs_repository
        address.widget.attrs |= {"placeholder": f"https://{allowed_host()}/owner/name", "inputmode": "url"}
        address.help_text = (
            _("Its name: %(repository_hint)s.") % {"repository_hint": program.repository_hint}
            if program.repository_hint
            else ""
        )
        self.fields["category"].choices = [  # type: ignore[attr-defined]
            (c.key, format_html('<span>{}<span class="hint"> {}</span></span>', c.name, c.meaning))
            for c in edition.categories
        ]
        self.fields["offerings"].choices = [(each, each) for each in edition.offerings]  # type: ignore[attr-defined]
        self.fields["offerings"].help_text = _("Which offerings of %(product)s it works with.") % {
            "product": program.product
        }

    def mark(self, data: Mapping[str, Any]) -> "StartForm":
        """Say at each field that GitHub filled that it did."""
        for key in set(FROM_GITHUB) & set(data.get("prefilled", [])):
            self.fields[key].prefilled = _("from GitHub")  # type: ignore[attr-defined]
        return self

    def clean_name(self) -> str:
        """The name, unless it would pass for a badge."""
        name: str = self.cleaned_data["name"]
        if imitates(name):
            raise ValidationError(gettext(REFUSAL))
        return name

    def facts(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """What the integration is created with. Call when the form is in order."""
        repository = self.cleaned_data["repository_address"]
        same = repository.lower() == str(data.get("repository", "")).lower()
        own = {key: self.cleaned_data[key] for key in ("name", "description", "category", "offerings", "homepage")}
        return own | {"repository": repository} | {key: data.get(key) if same else None for key in IDS}


def bind(program: Program, edition: Edition, data: Mapping[str, Any]) -> StartForm:
    """The start form over a draft's data, to be found fit or not."""
    post = QueryDict(mutable=True)
    for key in TEXTS:
        post[key] = data.get(key, "")
    post.setlist("offerings", list(data.get("offerings", [])))
    return StartForm(program, edition, post).mark(data)


def naming_hint(program: Program, address: str) -> str:
    """What the program's check will say about the repository's name; blank where it fits or is not known yet."""
    try:
        name = parse_repository(address).rpartition("/")[2]
    except BadAddress:
        return ""
    if not program.repository_pattern or re.match(program.repository_pattern, name):
        return ""
    return _("The program asks for a repository called %(repository_hint)s; this one is called %(name)s.") % {
        "repository_hint": program.repository_hint,
        "name": name,
    }
