"""Library of finding templates, by program."""

from collections.abc import Iterable
from typing import Literal

from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors import context
from portal.core.content_files import Content, load_content


class FindingTemplate(Content):
    """Prepared finding on a requirement of a program."""

    key: str
    requirement: str
    title: str
    text: str
    severity: Literal["blocking", "optional"] = "blocking"


TEMPLATES_BY_PROGRAM = load_content(
    "integrations/reviews/content/finding_templates.yaml", dict[str, tuple[FindingTemplate, ...]]
)


def list_templates(integration: Integration) -> list[FindingTemplate]:
    """Return the templates whose requirement applies to the integration."""
    return [
        template
        for template in TEMPLATES_BY_PROGRAM.get(integration.program_key, ())
        # Templates belong to a program, and its older editions may lack the requirement.
        if (requirement := integration.edition.get_requirement(template.requirement))
        and context.is_applicable(requirement, integration)
    ]


def build_findings(integration: Integration, keys: Iterable[str]) -> list[Finding]:
    """Return unsaved findings of the selected templates. Unknown keys are ignored."""
    selected = set(keys)
    return [
        Finding(requirement_id=template.requirement, text=template.text, severity=template.severity)
        for template in list_templates(integration)
        if template.key in selected
    ]
