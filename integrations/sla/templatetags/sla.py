"""Template tags for open disputes and the status of monitored integrations, and filters for numbers."""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.sla.formatting import format_duration, format_hours, format_percent
from integrations.sla.models import SupportIssue
from integrations.sla.services.issue_repository import find_unmeasured_tracker, get_issue_repository
from integrations.sla.support_status import URGENT_TONES, SupportStatus, list_support_statuses
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import Stage
from portal.core.value_types import TemplateContext
from verification.checks.services.facts import get_release_dates

register = template.Library()


@register.filter
def duration(length: timedelta) -> str:
    """Format a duration with non-breaking spaces, so that “2 days 9 h” never wraps inside “9 h”."""
    return re.sub(r"(\d) ", "\\1\u00a0", format_duration(length))


register.filter("percent", format_percent)
register.filter("median_hours", format_hours)


@register.inclusion_tag("sla/disputed.html", takes_context=True)
def disputed_banner(context: TemplateContext, integration: Integration) -> dict[str, object]:
    """Show program staff the number of open disputes of an integration, or nothing if there are none."""
    if not permissions.is_program_staff(context["request"].user):
        return {"count": 0}
    issues = SupportIssue.objects.filter(disputed_at__isnull=False, integration=integration)
    return {"count": issues.count(), "href": f"{_build_clocks_url(integration)}&state=disputed"}


@register.inclusion_tag("sla/monitoring_status.html", takes_context=True)
def monitoring_status(context: TemplateContext, integration: Integration) -> dict[str, object]:
    """Show a supported integration's overdue or at-risk issues, or else that no action is needed."""
    status = list_support_statuses([integration], context["now"])[integration.pk]
    text = integration.next_action_label if status.tone == "good" else status.label
    # Some programs don't require a repository, but the clocks read the issues of one.
    has_repository = bool(get_issue_repository(integration).repository)
    if not has_repository:
        text = _("No action needed. We can't measure support without a repository.")
    return {
        "integration": integration,
        "text": text,
        "has_repository": has_repository,
        "unmeasured_tracker": find_unmeasured_tracker(integration),
        "urgent": status.label if status.tone in URGENT_TONES else "",
        "can_edit": context["can_edit"],
        "href": _build_clocks_url(integration),
    }


@register.simple_tag
def describe_urgent_issues(integration: Integration, now: datetime) -> str:
    """Return how many issues of a monitored integration are overdue or at risk, as its page does; blank for none."""
    status = list_support_statuses([integration], now).get(integration.pk)
    return status.label if status and status.tone in URGENT_TONES else ""


@register.simple_tag
def add_support_figures(
    rows: Sequence[Integration], *, for_program: bool = False
) -> list[tuple[Integration, SupportStatus | None, date | None]]:
    """Return each integration with its SLA status, and for program staff the date of its last release.

    Both are None if the integration isn't in support. The status is also None if it is on time, and the date if it is
    unknown.
    """
    statuses = list_support_statuses(rows, timezone.now())
    warnings = {pk: status for pk, status in statuses.items() if status.tone != "good"}
    release_dates = get_release_dates(row for row in rows if row.stage == Stage.SUPPORT) if for_program else {}
    return [(row, warnings.get(row.pk), release_dates.get(row.pk)) for row in rows]


@register.filter
def format_days_since(day: date) -> str:
    """Return how long ago a day was, such as "today" or "2 years ago". Hours would count from midnight."""
    today = timezone.localdate()
    return _("%(age)s ago") % {"age": timesince(day, today)} if day < today else _("today")


def _build_clocks_url(integration: Integration) -> str:
    query = urlencode({"partner": integration.partner.slug, "integration": integration.uuid})
    return f"{reverse('reports:sla_dashboard')}?{query}"
