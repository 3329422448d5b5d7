"""Command that writes the event types of docs/reference/webhooks.md."""

from pathlib import Path

from django.conf import settings

from portal.core.generated_docs import TableDocsCommand, format_table_row, render_page
from portal.webhooks.event_kinds import WEBHOOK_EVENT_TYPES

DOCS_PAGE = settings.BASE_DIR / "docs" / "reference" / "webhooks.md"
START_MARKER, END_MARKER = "<!-- event types: begin -->", "<!-- event types: end -->"


def build_table() -> str:
    """Return the event types as Markdown, in the order of the page that lists them."""
    lines = ["| Type | Event | Additional fields in `data` |", "| --- | --- | --- |"]
    for kind in WEBHOOK_EVENT_TYPES:
        scope = " Program endpoints only." if kind.is_program_only else ""
        fields = ", ".join(f"`{field}`" for field in kind.fields)
        lines.append(format_table_row([f"`{kind.name}`", kind.description + scope, fields]))
    return "\n".join(lines)


class Command(TableDocsCommand):
    help = "Write the event types of docs/reference/webhooks.md."
    subject = "the webhook event types"

    def render_docs(self) -> tuple[Path, str]:
        return DOCS_PAGE, render_page(DOCS_PAGE, (START_MARKER, END_MARKER), build_table())
