"""Installation snippets of listed integrations with version constraints."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext
from django.utils.translation import gettext as _

from integrations.submissions.models import Integration
from portal.directory.observed_versions import ObservedVersions
from verification.terraform.versions import InvalidVersionError, parse_version


@dataclass(frozen=True, slots=True)
class InstallSnippet:
    """Configuration or commands to copy, with a label and a note."""

    label: str
    text: str
    note: str = ""


def build_constraint(version: str) -> str:
    """Return a constraint for compatible versions: "~> 1.4" for 1.4.2 and "~> 0.9.1" for 0.9.1."""
    try:
        parsed_version = parse_version(version.removeprefix("v"))
    except InvalidVersionError:
        return ""
    if parsed_version.is_prerelease:
        return str(parsed_version)
    return f"~> {parsed_version.major}.{parsed_version.minor}" if parsed_version.major else f"~> {parsed_version}"


def build_snippet(row: Integration, observed_versions: ObservedVersions) -> InstallSnippet | None:
    """Return the snippet for the program of the integration, or None."""
    build = BUILDERS_BY_PROGRAM.get(row.program_key)
    return build(row, observed_versions) if build else None


def _build_version_line(observed_versions: ObservedVersions, indent: str) -> str:
    """Return a line with the version constraint, or an empty string without an observed version."""
    version_constraint = build_constraint(observed_versions.version)
    return f'\n{indent}version = "{version_constraint}"' if version_constraint else ""


def build_identifier(text: str) -> str:
    """Return a name as an identifier: "umbra_scan" for "Umbra scan"."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "this"


def _split_repository(row: Integration, prefix: str) -> tuple[str, str]:
    owner, _, name = row.repository.partition("/")
    return owner, name.removeprefix(prefix)


def _build_provider_snippet(row: Integration, observed_versions: ObservedVersions) -> InstallSnippet | None:
    owner, name = (
        observed_versions.namespace.split("/", 1)
        if "/" in observed_versions.namespace
        else _split_repository(row, "terraform-provider-")
    )
    if not (owner and name):
        return None
    text = (
        "terraform {\n  required_providers {\n"
        f"    {name} = {{\n      source  = "
        f'"{owner}/{name}"{_build_version_line(observed_versions, "      ")}\n    }}\n  }}\n}}'
    )
    return InstallSnippet(_("Provider requirement for Terraform"), text)


def _build_run_task_snippet(row: Integration, _observed_versions: ObservedVersions) -> InstallSnippet:
    name = build_identifier(row.name)
    text = (
        f'resource "tfe_organization_run_task" "{name}" {{\n  organization = var.organization\n'
        f'  name         = "{name.replace("_", "-")}"\n  url          = var.{name}_url\n  enabled      = true\n}}'
    )
    return InstallSnippet(_("Run task for HCP Terraform"), text, _("See the publisher's documentation for the URL."))


def _build_nia_snippet(row: Integration, observed_versions: ObservedVersions) -> InstallSnippet | None:
    owner, name = _split_repository(row, "terraform-")
    provider, _, module = name.partition("-")
    if not module:
        return None
    text = (
        f'task {{\n  name   = "{build_identifier(row.name)}"\n  module = "{owner}/{module}/{provider}"'
        f"{_build_version_line(observed_versions, '  ')}\n"
        '  condition "services" {\n    names = ["web"]\n  }\n}'
    )
    return InstallSnippet(gettext("Task for Consul-Terraform-Sync"), text, gettext("Enter the services to monitor."))


def _build_packer_snippet(row: Integration, observed_versions: ObservedVersions) -> InstallSnippet | None:
    owner, name = _split_repository(row, "packer-plugin-")
    if not (owner and name):
        return None
    text = (
        "packer {\n  required_plugins {\n"
        f"    {name} = {{\n      source  = "
        f'"github.com/{owner}/{name}"{_build_version_line(observed_versions, "      ")}\n    }}\n  }}\n}}'
    )
    return InstallSnippet(_("Plugin requirement for Packer"), text)


def _build_nomad_snippet(row: Integration, _observed_versions: ObservedVersions) -> InstallSnippet | None:
    name = row.repository.partition("/")[2]
    if row.category not in ("container-runtime", "gpus-hardware-devices") or not name:
        return None
    text = f'plugin "{name}" {{\n  config {{\n  }}\n}}'
    return InstallSnippet(
        _("Plugin block for a Nomad client"), text, _("Copy the binary to the client's plugin_dir first.")
    )


def _build_vault_snippet(row: Integration, _observed_versions: ObservedVersions) -> InstallSnippet | None:
    name = row.repository.partition("/")[2]
    kind = next((prefix for prefix in ("auth", "secrets", "database") if name.startswith(f"vault-plugin-{prefix}")), "")
    if not kind:
        return None
    plugin_type = {"secrets": "secret"}.get(kind, kind)
    text = f"vault plugin register -sha256=$SHA256 {plugin_type} {name}"
    if kind != "database":
        text += f"\nvault {kind} enable {name}"
    return InstallSnippet(
        _("Commands for Vault"),
        text,
        _("Copy the binary to Vault's plugin directory first. SHA256 is the checksum of the binary."),
    )


BUILDERS_BY_PROGRAM: dict[str, Callable[[Integration, ObservedVersions], InstallSnippet | None]] = {
    "terraform-provider": _build_provider_snippet,
    "terraform-run-task": _build_run_task_snippet,
    "consul-nia": _build_nia_snippet,
    "packer": _build_packer_snippet,
    "nomad": _build_nomad_snippet,
    "vault": _build_vault_snippet,
}
