"""Which mails about an integration could not be delivered? For the banner on its pages."""

from typing import Any

from django import template
from django.utils import timezone

from integrations.partners import permissions
from integrations.submissions.models import Integration
from portal.notifications.delivery_failures import undelivered

register = template.Library()


@register.inclusion_tag("notifications/delivery_failures.html", takes_context=True)
def undelivered_banner(context: dict[str, Any], integration: Integration) -> dict[str, Any]:
    """The banner; nothing where every mail arrived."""
    user = context["request"].user
    for_program = permissions.is_of_program(integration, user)
    mails = list(undelivered(integration, for_program=for_program, now=timezone.now()))
    return {"mails": mails, "for_program": for_program}
