"""How do users get it? Constraint, configuration and the place of each file, for each version in the registry."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load
from portal.core.repository_urls import product_of
from verification.checks.services import observations
from verification.releases import install_layout
from verification.releases.artifacts import file_names
from verification.releases.install_layout import Source
from verification.schemas import services
from verification.sources.published_versions import Published, kept, versions_in
from verification.terraform.versions import BadVersion, Constraint, Version, constraint, suggested

EXAMPLES = gettext_lazy("As in = 1.2.0, != 1.2.5, > 1.2, >= 1.2.0, < 2.0.0, ~> 1.2 or ~> 1.2.0; a comma asks for both.")
FEW = 10
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One version with the constraint that is suggested for it."""

    version: str
    constraint: str
    is_newest: bool


@dataclass(frozen=True, slots=True)
class Built:
    """One platform of the chosen version."""

    platform: str
    words: str
    archive: str
    note: str


class ConstraintForm(forms.Form):
    """One constraint, read as Terraform reads it."""

    constraint = forms.CharField(
        label=gettext_lazy("Try a constraint"), help_text=EXAMPLES, required=False, max_length=LONGEST
    )

    def clean_constraint(self) -> Constraint | None:
        text = str(self.cleaned_data["constraint"])
        try:
            return constraint(text) if text else None
        except BadVersion as sentence:
            raise forms.ValidationError(str(sentence)) from sentence


def install(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The page; `version` and `platform` choose what is shown, `constraint` is tried on the versions."""
    found = load(request, uuid)
    owner, _slash, repository = found.repository.partition("/")
    if not file_names.REPOSITORY.fullmatch(repository):
        raise Http404(_("Only a Terraform provider is installed so."))
    source, picture = Source(owner, product_of(repository)), picture_of(found)
    context: dict[str, Any] = {"integration": found, "source": source, "picture": picture}
    if picture is not None and picture.newest:
        context |= chosen(source, picture, request.GET.get("version", ""), request.GET.get("platform", ""))
        context |= configured(found, source.name, context["version"])
        context |= tried(picture, ConstraintForm(request.GET))
    return render(request, "directory/install.html", context)


def picture_of(found: Integration) -> Published | None:
    """What the last look at the registry saw; None before the first."""
    return kept(observations.known(found).get("registry"))


def chosen(source: Source, picture: Published, version: str, platform: str) -> dict[str, Any]:
    """Everything about one version, on one platform. What is not there gives way to the usual one."""
    by_version = versions_in(picture.versions)
    version = version if version in by_version.values() else picture.newest
    platforms = sorted(picture.platforms or install_layout.RECOMMENDED)
    usual = (
        install_layout.NEEDED
        if install_layout.NEEDED in platforms
        else platforms[0]
        if platforms
        else install_layout.NEEDED
    )
    platform = platform if platform in platforms else usual
    os, _line, arch = platform.partition("_")
    rows = [Row(by_version[v], suggested(v), by_version[v] == picture.newest) for v in _newest_first(by_version)]
    return {
        "version": version,
        "platform": platform,
        "platform_words": install_layout.shown(platform),
        "rows": rows[:FEW],
        "older": rows[FEW:],
        "platforms": [_built(source, version, one) for one in platforms],
        "places": install_layout.places(source, version, os, arch),
        "required": install_layout.required_providers(source, version),
        "cache": install_layout.cache_setting("$HOME/.terraform.d/plugin-cache"),
    }


def configured(found: Integration, name: str, version: str) -> dict[str, Any]:
    """The provider's own block, alone and with an alias, with the arguments that its schema asks for.

    The schema is that of the version, else the newest that was handed in; without one the arguments are not known.
    """
    row = services.row_of(found, version) or services.row_of(found)
    nodes = services.opened(row).provider.nodes if row is not None else ()
    required = [node.name for node in nodes if node.required and node.syntax != "block"]
    told = "its schema asks for no arguments" if row is not None else "arguments as its documentation says"
    example = f'\nresource "{name}_example" "one" {{\n  provider = {name}.second\n}}\n'
    return {
        "provider": install_layout.provider_block(name, required) or f'provider "{name}" {{\n  # {told}\n}}\n',
        "alias": install_layout.provider_block(name, required, "second") + example,
        "schema_version": row.version if row is not None else "",
    }


def _newest_first(versions: dict[Version, str]) -> list[Version]:
    return sorted(versions, key=lambda version: version.rank, reverse=True)


def _built(source: Source, version: str, platform: str) -> Built:
    os, _line, arch = platform.partition("_")
    note = _("Needed for HCP Terraform") if platform == install_layout.NEEDED else ""
    note = note or (_("Recommended by the registry") if platform in install_layout.RECOMMENDED else "")
    return Built(platform, install_layout.shown(platform), file_names.archive(source.name, version, os, arch), note)


def tried(picture: Published, form: ConstraintForm) -> dict[str, Any]:
    """Which versions a constraint lets pass, and which one Terraform would choose."""
    asked = form.cleaned_data["constraint"] if form.is_valid() else None
    if asked is None:
        return {"form": form}
    versions = versions_in(picture.versions)
    best = asked.newest(versions)
    passing = [versions[version] for version in _newest_first(versions) if asked.lets_pass(version)]
    return {"form": form, "asked": asked, "passing": passing, "choice": versions[best] if best else ""}
