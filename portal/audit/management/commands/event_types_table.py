"""Command that writes the event types of docs/reference/events.md."""

from portal.audit.event_types import CATALOG, Email, EventType
from portal.core.generated_docs import SectionDocsCommand, format_table


def _list_cells(event_type: EventType) -> list[str]:
    webhook = event_type.webhook
    email = event_type.email
    scope = " Program endpoints only." if webhook and webhook.is_program_only else ""
    return [
        f"`{event_type.key}`",
        event_type.action + (" (internal)" if event_type.is_internal else ""),
        webhook.description + scope if webhook else "",
        ", ".join(f"`{field}`" for field in webhook.payload_names.values()) if webhook else "",
        _describe_email(email) if email else "",
    ]


def _describe_email(email: Email) -> str:
    return str(email.audience) + (f" (`{email.category}`)" if email.category else "")


class Command(SectionDocsCommand):
    help = "Write the event types of docs/reference/events.md."
    subject = "the catalog of event types"
    page = "reference/events.md"
    section = "event types"

    def build_section(self) -> str:
        """Return the catalog as Markdown."""
        return format_table(("Type", "History", "Webhook", "Data", "Email to"), map(_list_cells, CATALOG))
