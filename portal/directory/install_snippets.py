"""How is a listed integration installed? The lines that users take over, with the version that they should ask for."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext
from django.utils.translation import gettext as _

from integrations.submissions.models import Integration
from portal.directory.observed_versions import Seen
from verification.terraform.versions import BadVersion, parse


@dataclass(frozen=True, slots=True)
class Snippet:
    """Lines to be taken over, what they are, and what has to be put in first."""

    label: str
    text: str
    note: str = ""


def constraint(version: str) -> str:
    """ "~> 1.4" of 1.4.2: later versions that keep their word; "~> 0.9.1" of 0.9.1, which promises nothing yet."""
    try:
        found = parse(version.removeprefix("v"))
    except BadVersion:
        return ""
    if found.is_prerelease:
        return str(found)
    return f"~> {found.major}.{found.minor}" if found.major else f"~> {found}"


def snippet_of(row: Integration, seen: Seen) -> Snippet | None:
    """The right lines for its program; None where there is nothing to take over."""
    make = MAKERS.get(row.program_key)
    return make(row, seen) if make else None


def _version_line(seen: Seen, indent: str) -> str:
    """`version = …` on a line of its own, where a version was seen."""
    wanted = constraint(seen.version)
    return f'\n{indent}version = "{wanted}"' if wanted else ""


def identifier(text: str) -> str:
    """A name as configuration files take it: "umbra_scan" of "Umbra scan"."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "this"


def _parts(row: Integration, prefix: str) -> tuple[str, str]:
    owner, _, name = row.repository.partition("/")
    return owner, name.removeprefix(prefix)


def _provider(row: Integration, seen: Seen) -> Snippet | None:
    owner, name = seen.namespace.split("/", 1) if "/" in seen.namespace else _parts(row, "terraform-provider-")
    if not (owner and name):
        return None
    text = (
        "terraform {\n  required_providers {\n"
        f'    {name} = {{\n      source  = "{owner}/{name}"{_version_line(seen, "      ")}\n    }}\n  }}\n}}'
    )
    return Snippet(_("Provider requirement for Terraform"), text)


def _run_task(row: Integration, _seen: Seen) -> Snippet:
    name = identifier(row.name)
    text = (
        f'resource "tfe_organization_run_task" "{name}" {{\n  organization = var.organization\n'
        f'  name         = "{name.replace("_", "-")}"\n  url          = var.{name}_url\n  enabled      = true\n}}'
    )
    return Snippet(_("Run task for HCP Terraform"), text, _("The publisher’s documentation says which address to use."))


def _nia(row: Integration, seen: Seen) -> Snippet | None:
    owner, name = _parts(row, "terraform-")
    provider, _, module = name.partition("-")
    if not module:
        return None
    text = (
        f'task {{\n  name   = "{identifier(row.name)}"\n  module = "{owner}/{module}/{provider}"'
        f"{_version_line(seen, '  ')}\n"
        '  condition "services" {\n    names = ["web"]\n  }\n}'
    )
    return Snippet(
        gettext("Task for Consul-Terraform-Sync"), text, gettext("Put in the services that it should follow.")
    )


def _packer(row: Integration, seen: Seen) -> Snippet | None:
    owner, name = _parts(row, "packer-plugin-")
    if not (owner and name):
        return None
    text = (
        "packer {\n  required_plugins {\n"
        f'    {name} = {{\n      source  = "github.com/{owner}/{name}"{_version_line(seen, "      ")}\n    }}\n  }}\n}}'
    )
    return Snippet(_("Plugin requirement for Packer"), text)


def _nomad(row: Integration, _seen: Seen) -> Snippet | None:
    name = row.repository.partition("/")[2]
    if row.category not in ("container-runtime", "gpus-hardware-devices") or not name:
        return None
    text = f'plugin "{name}" {{\n  config {{\n  }}\n}}'
    return Snippet(_("Plugin block for a Nomad client"), text, _("Put the binary into the client’s plugin_dir first."))


def _vault(row: Integration, _seen: Seen) -> Snippet | None:
    name = row.repository.partition("/")[2]
    kind = next((k for k in ("auth", "secrets", "database") if name.startswith(f"vault-plugin-{k}")), "")
    if not kind:
        return None
    of = {"secrets": "secret"}.get(kind, kind)
    text = f"vault plugin register -sha256=$SHA256 {of} {name}"
    if kind != "database":
        text += f"\nvault {kind} enable {name}"
    return Snippet(
        _("Commands for Vault"), text, _("Put the binary into Vault’s plugin directory; SHA256 is its checksum.")
    )


MAKERS: dict[str, Callable[[Integration, Seen], Snippet | None]] = {
    "terraform-provider": _provider,
    "terraform-run-task": _run_task,
    "consul-nia": _nia,
    "packer": _packer,
    "nomad": _nomad,
    "vault": _vault,
}
