"""What did the portal itself try of an integration? For the pages on which somebody decides."""

from typing import Any

from django import template

from integrations.models import Integration
from integrations.programs.base import Requirement
from verification import rehearsed

register = template.Library()


@register.inclusion_tag("verification/tried.html")
def tried(integration: Integration, requirement: Requirement | None = None) -> dict[str, Any]:
    """Everything that was tried; for one requirement only where that helps to decide on it. Nothing is no panel."""
    wanted = requirement is None or rehearsed.bears_on(requirement)
    return {"rows": rehearsed.tried(integration) if wanted else []}
