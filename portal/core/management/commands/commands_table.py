"""Command that writes the table of docs/reference/commands.md from the help texts of the commands."""

from pathlib import Path

from django.conf import settings

from portal.core.generated_docs import TableDocsCommand, format_table_row, iterate_own_commands, render_page

DOCS_PAGE = settings.BASE_DIR / "docs" / "reference" / "commands.md"
START_MARKER, END_MARKER = "<!-- commands: begin -->", "<!-- commands: end -->"


def build_table() -> str:
    """Return the portal's own commands as Markdown, sorted by name."""
    rows = (format_table_row([f"`{name}`", command.help]) for name, command in iterate_own_commands())
    return "\n".join(["| Command | Description |", "| --- | --- |", *rows])


class Command(TableDocsCommand):
    help = "Write the table of docs/reference/commands.md."
    subject = "the help texts of the commands"

    def render_docs(self) -> tuple[Path, str]:
        return DOCS_PAGE, render_page(DOCS_PAGE, (START_MARKER, END_MARKER), build_table())
