"""Email texts of the compliance procedure by event type."""

from dataclasses import asdict, dataclass
from pathlib import Path

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext
from pydantic import TypeAdapter

from portal.audit.models import AuditEvent
from portal.core.content_files import Content, load_content
from portal.core.value_types import TemplateContext


@dataclass(frozen=True, slots=True)
class ComplianceEmailText(Content):
    """Texts of the email for one event type."""

    subject: str
    lead: str
    then: str = ""
    then_of_program: str = ""


@dataclass(frozen=True, slots=True)
class ComplianceEmailTexts(Content):
    """Content of compliance_emails.yaml. `translatable` names the keys whose values are messages."""

    translatable: tuple[str, ...]
    emails: dict[str, ComplianceEmailText]


TEXTS = load_content(Path(__file__).with_name("content") / "compliance_emails.yaml", TypeAdapter(ComplianceEmailTexts))


def build_compliance_email(event: AuditEvent) -> TemplateContext | None:
    """Return the texts, the deadline, and the activities of a compliance event, or None for any other event."""
    texts, integration = TEXTS.emails.get(event.event_type), event.integration
    if texts is None or integration is None:
        return None
    placeholders = {
        "name": integration.name,
        "company": integration.partner.name,
        "actor": event.actor or gettext("The portal"),
    }
    return {
        **{key: gettext(text).format_map(placeholders) for key, text in asdict(texts).items()},
        "due": parse_datetime(event.data.get("compliance_deadline", "")),
        "activities": event.data.get("activities", ()),
    }
