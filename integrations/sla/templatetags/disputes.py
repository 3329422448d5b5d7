"""How many issues are disputed and wait for the program? For the line on the reviewers' pages."""

from typing import Any

from django import template
from django.urls import reverse

from integrations.partners import permissions
from integrations.sla.models import Issue
from integrations.submissions.models import Integration

register = template.Library()


@register.inclusion_tag("sla/disputed.html", takes_context=True)
def disputed_banner(context: dict[str, Any], integration: Integration | None = None) -> dict[str, Any]:
    """The line, for the program's people alone; nothing where nothing waits."""
    if not permissions.works_for_program(context["request"].user):
        return {"count": 0}
    waiting = Issue.objects.filter(disputed_at__isnull=False)
    of_one = f"&partner={integration.partner.slug}&integration={integration.uuid}" if integration else ""
    mine = waiting.filter(integration=integration) if integration else waiting
    return {"count": mine.count(), "href": f"{reverse('sla')}?state=disputed{of_one}"}
