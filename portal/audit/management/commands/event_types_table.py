"""Command that writes the event types of docs/reference/events.md."""

from pathlib import Path

from django.conf import settings

from portal.audit.catalog import CATALOG
from portal.audit.event_types import Email, EventType
from portal.core.generated_docs import TableDocsCommand, format_table_row, render_page

DOCS_PAGE = settings.BASE_DIR / "docs" / "reference" / "events.md"
START_MARKER, END_MARKER = "<!-- event types: begin -->", "<!-- event types: end -->"


def build_table() -> str:
    """Return the catalog as Markdown."""
    lines = ["| Type | History | Webhook | Data | Email to |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*lines, *(format_table_row(_list_cells(event_type)) for event_type in CATALOG)])


def _list_cells(event_type: EventType) -> list[str]:
    webhook, email = event_type.webhook, event_type.email
    scope = " Program endpoints only." if webhook and webhook.is_program_only else ""
    return [
        f"`{event_type.key}`",
        event_type.sentence + (" (internal)" if event_type.is_internal else ""),
        webhook.description + scope if webhook else "",
        ", ".join(f"`{field}`" for field in webhook.fields) if webhook else "",
        _describe_email(email) if email else "",
    ]


def _describe_email(email: Email) -> str:
    return str(email.audience) + (f" (`{email.category}`)" if email.category else "")


class Command(TableDocsCommand):
    help = "Write the event types of docs/reference/events.md."
    subject = "the catalog of event types"

    def render_docs(self) -> tuple[Path, str]:
        return DOCS_PAGE, render_page(DOCS_PAGE, (START_MARKER, END_MARKER), build_table())
