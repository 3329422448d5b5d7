"""Email texts of the compliance procedure by event type."""

from dataclasses import asdict

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext

from portal.audit.models import AuditEvent
from portal.core.content_files import Content, load_section
from portal.core.value_types import TemplateContext


class ComplianceEmailText(Content):
    """Texts of the email for one event type."""

    subject: str
    lead: str
    then: str = ""
    then_of_program: str = ""


TEXTS = load_section(
    "integrations/submissions/content/compliance_emails.yaml", "emails", dict[str, ComplianceEmailText]
)


def build_compliance_email(event: AuditEvent) -> TemplateContext | None:
    """Return the texts, the deadline, and the activities of a compliance event, or None for any other event.

    `is_past`: the deadline had passed at the time of the event.
    """
    texts = TEXTS.get(f"{event.event_type}.{event.data.get('request', '')}") or TEXTS.get(event.event_type)
    integration = event.integration
    if texts is None or integration is None:
        return None
    placeholders = {
        "name": integration.name,
        "company": integration.partner.name,
        "actor": event.actor or gettext("The portal"),
    }
    due_at = parse_datetime(event.data.get("compliance_deadline", ""))
    return {
        **{key: gettext(text).format_map(placeholders) for key, text in asdict(texts).items()},
        "due": due_at,
        "is_past": due_at is not None and due_at <= event.at,
        "activities": event.data.get("activities", ()),
    }
