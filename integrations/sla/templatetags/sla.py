"""Template tag for the number of open disputes, and a filter for durations."""

import re
from datetime import timedelta

from django import template
from django.urls import reverse

from integrations.partners import permissions
from integrations.sla.formatting import format_duration
from integrations.sla.models import SupportIssue
from integrations.submissions.models import Integration
from portal.core.value_types import TemplateContext

register = template.Library()


@register.filter
def duration(length: timedelta) -> str:
    """Format a duration with non-breaking spaces, so that “2 days 9 h” never wraps inside “9 h”."""
    return re.sub(r"(\d) ", "\\1\u00a0", format_duration(length))


@register.inclusion_tag("sla/disputed.html", takes_context=True)
def disputed_banner(context: TemplateContext, integration: Integration | None = None) -> dict[str, object]:
    """Show program staff the number of open disputes, or nothing if there are none."""
    if not permissions.is_program_staff(context["request"].user):
        return {"count": 0}
    disputed_issues = SupportIssue.objects.filter(disputed_at__isnull=False)
    integration_query = f"&partner={integration.partner.slug}&integration={integration.uuid}" if integration else ""
    issues = disputed_issues.filter(integration=integration) if integration else disputed_issues
    return {"count": issues.count(), "href": f"{reverse('reports:sla_dashboard')}?state=disputed{integration_query}"}
