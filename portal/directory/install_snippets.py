"""Installation snippets of listed integrations with version constraints, from data/snippets.yaml."""

import re
from dataclasses import replace

from django.template import Context, Template
from django.utils.translation import gettext as _

from integrations.submissions.models import Integration
from portal.core.content_files import Content, load_section
from portal.directory.observed_versions import ObservedVersions
from verification.checks.services.facts import get_public_repository
from verification.terraform.versions import InvalidVersionError, parse_version, suggest_constraint


class InstallSnippet(Content):
    """Configuration or commands to copy, or their template in snippets.yaml.

    `source` matches the repository or the name in the registry. Without `categories`, a template applies to all
    categories of the program.
    """

    label: str
    text: str
    note: str = ""
    source: re.Pattern[str] = re.compile("")
    categories: tuple[str, ...] = ()


TEMPLATES = load_section("portal/directory/data/snippets.yaml", "snippets", dict[str, InstallSnippet])


def build_constraint(version: str) -> str:
    """Return a constraint for compatible versions, or an empty string for an invalid version."""
    try:
        return suggest_constraint(parse_version(version.removeprefix("v")))
    except InvalidVersionError:
        return ""


def build_snippet(row: Integration, observed_versions: ObservedVersions) -> InstallSnippet | None:
    """Return the snippet for the program of the integration, or None."""
    template = TEMPLATES.get(row.program_key)
    if template is None or (template.categories and row.category not in template.categories):
        return None
    is_in_registry = "/" in observed_versions.namespace
    match = template.source.match(observed_versions.namespace if is_in_registry else get_public_repository(row))
    if match is None:
        return None
    # Names come from people, and HCL identifiers allow few characters.
    identifier = re.sub(r"[^a-z0-9]+", "_", row.name.lower()).strip("_") or "this"
    names = {"identifier": identifier, "slug": identifier.replace("_", "-")}
    values = match.groupdict() | names | {"constraint": build_constraint(observed_versions.version)}
    text = Template(template.text).render(Context(values, autoescape=False)) + ""  # not safe text: pages escape it
    note = _(template.note) if template.note else ""
    return replace(template, label=_(template.label), text=text, note=note)
