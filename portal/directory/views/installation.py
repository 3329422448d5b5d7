"""Installation page of a provider: version constraints, configuration, platforms, and file locations."""

from uuid import UUID

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _, gettext_lazy

from integrations.submissions.access import load_visible_integration
from integrations.submissions.models import Integration
from portal.accounts.requests import AuthenticatedRequest
from portal.core.repository_urls import get_product_name
from portal.core.value_types import TemplateContext
from portal.directory.observed_versions import get_published_versions
from verification.releases import install_layout
from verification.releases.artifacts import file_names
from verification.releases.install_layout import Source
from verification.schemas import services
from verification.sources.published_versions import RegistryListing, parse_versions
from verification.terraform.versions import (
    InvalidVersionError,
    Version,
    VersionConstraint,
    parse_constraint,
    suggest_constraint,
)

CONSTRAINT_HELP_TEXT = gettext_lazy(
    "For example, = 1.2.0, != 1.2.5, > 1.2, >= 1.2.0, < 2.0.0, ~> 1.2, or ~> 1.2.0. Combine conditions with a comma."
)
MAX_RECENT_VERSIONS = 10
MAX_CONSTRAINT_LENGTH = 200


class ConstraintForm(forms.Form):
    """Version constraint in Terraform syntax."""

    constraint = forms.CharField(
        label=gettext_lazy("Version constraint"),
        help_text=CONSTRAINT_HELP_TEXT,
        required=False,
        max_length=MAX_CONSTRAINT_LENGTH,
    )

    def clean_constraint(self) -> VersionConstraint | None:
        text = str(self.cleaned_data["constraint"])
        try:
            return parse_constraint(text) if text else None
        except InvalidVersionError as error:
            raise forms.ValidationError(str(error)) from error


def show_installation(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the installation page for the version and platform in the query, and test a constraint."""
    integration = load_visible_integration(request, uuid)
    owner, _slash, repository = integration.repository.partition("/")
    if not file_names.REPOSITORY.fullmatch(repository):
        raise Http404(_("This page is only available for Terraform providers."))
    source = Source(owner, get_product_name(repository))
    published_versions = get_published_versions(integration)
    context: TemplateContext = {"integration": integration, "source": source, "published_versions": published_versions}
    if published_versions is not None and published_versions.newest:
        context |= build_version_context(
            source, published_versions, request.GET.get("version", ""), request.GET.get("platform", "")
        )
        context |= build_configuration_context(integration, source.name, context["version"])
        context |= build_constraint_context(published_versions, ConstraintForm(request.GET))
    return render(request, "directory/install.html", context)


def build_version_context(
    source: Source, published_versions: RegistryListing, version: str, platform: str
) -> dict[str, object]:
    """Return the context of a version and platform. Unknown values fall back to the defaults."""
    by_version = parse_versions(published_versions.versions)
    version = version if version in by_version.values() else published_versions.newest
    platforms = sorted(published_versions.platforms or install_layout.RECOMMENDED_PLATFORMS)
    if platform not in platforms:
        required = install_layout.REQUIRED_PLATFORM
        platform = required if required in platforms or not platforms else platforms[0]
    os, _line, arch = platform.partition("_")
    rows = [
        (by_version[version_number], suggest_constraint(version_number))
        for version_number in _sort_newest_first(by_version)
    ]
    return {
        "version": version,
        "platform": platform,
        "platform_label": install_layout.describe_platform(platform),
        "rows": rows[:MAX_RECENT_VERSIONS],
        "older": rows[MAX_RECENT_VERSIONS:],
        "platforms": [_build_platform(source, version, platform_name) for platform_name in platforms],
        "install_paths": install_layout.list_install_paths(source, version, os, arch),
        "required": install_layout.format_required_providers(source, version),
        "child_module": install_layout.format_child_module(source, "second"),
        "cache": install_layout.format_cache_setting("$HOME/.terraform.d/plugin-cache"),
    }


def build_configuration_context(integration: Integration, name: str, version: str) -> dict[str, object]:
    """Return the provider block with and without an alias, with the required arguments of its schema.

    Without a schema of the version, the newest uploaded schema applies.
    """
    row = services.get_schema_row(integration, version) or services.get_schema_row(integration)
    nodes = services.load_schema(row).provider.nodes if row is not None else ()
    required_arguments = [node.name for node in nodes if node.required and node.syntax != "block"]
    comment = "the schema requires no arguments" if row is not None else "see the documentation for the arguments"
    example = f'\nresource "{name}_example" "one" {{\n  provider = {name}.second\n}}\n'
    return {
        "provider": install_layout.format_provider_block(name, required_arguments)
        or f'provider "{name}" {{\n  # {comment}\n}}\n',
        "alias": install_layout.format_provider_block(name, required_arguments, "second") + example,
        "schema_version": row.version if row is not None else "",
    }


def _sort_newest_first(versions: dict[Version, str]) -> list[Version]:
    return sorted(versions, key=lambda version: version.rank, reverse=True)


def _build_platform(source: Source, version: str, platform: str) -> tuple[str, str, str, str]:
    """Return the platform, its name, its archive, and a note."""
    os, _line, arch = platform.partition("_")
    note = _("Required for HCP Terraform") if platform == install_layout.REQUIRED_PLATFORM else ""
    note = note or (_("Recommended by the registry") if platform in install_layout.RECOMMENDED_PLATFORMS else "")
    archive = file_names.build_archive_name(source.name, version, os, arch)
    return platform, install_layout.describe_platform(platform), archive, note


def build_constraint_context(published_versions: RegistryListing, form: ConstraintForm) -> dict[str, object]:
    """Return the versions that match a constraint, and the one that Terraform selects."""
    version_constraint = form.cleaned_data["constraint"] if form.is_valid() else None
    if version_constraint is None:
        return {"form": form}
    versions = parse_versions(published_versions.versions)
    newest_version = version_constraint.find_newest(versions)
    matching_versions = [
        versions[version] for version in _sort_newest_first(versions) if version_constraint.allows(version)
    ]
    return {
        "form": form,
        "version_constraint": version_constraint,
        "matching_versions": matching_versions,
        "selected_version": versions[newest_version] if newest_version else "",
    }
