"""Template tag for the banner of undeliverable emails on an integration's pages."""

from django import template
from django.utils import timezone

from integrations.escalations.selectors import list_undelivered_emails
from integrations.partners import permissions
from integrations.submissions.models import Integration
from portal.core.value_types import TemplateContext

register = template.Library()


@register.inclusion_tag("escalations/delivery_failures.html", takes_context=True)
def show_delivery_failures(context: TemplateContext, integration: Integration) -> dict[str, object]:
    """Render the banner, or nothing if all emails were delivered."""
    if not getattr(integration, "has_failed_emails", True):  # annotated by load_visible_integration
        return {"emails": []}
    user = context["request"].user
    for_program = permissions.can_act_for_program(integration, user)
    emails = list(list_undelivered_emails(integration, for_program=for_program, now=timezone.now()))
    return {"emails": emails, "for_program": for_program}
