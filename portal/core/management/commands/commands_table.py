"""Command that writes the table of docs/reference/commands.md from the help texts of the commands."""

from pathlib import Path

from django.conf import settings
from django.core.management import get_commands, load_command_class

from portal.core.generated_docs import OWN_PACKAGES, TableDocsCommand, format_table_row, render_page

DOCS_PAGE = settings.BASE_DIR / "docs" / "reference" / "commands.md"
START_MARKER, END_MARKER = "<!-- commands: begin -->", "<!-- commands: end -->"


def build_table() -> str:
    """Return the portal's own commands as Markdown, sorted by name."""
    lines = ["| Command | Description |", "| --- | --- |"]
    for name, app in sorted(get_commands().items()):
        if str(app).split(".")[0] in OWN_PACKAGES:
            lines.append(format_table_row([f"`{name}`", load_command_class(str(app), name).help]))
    return "\n".join(lines)


class Command(TableDocsCommand):
    help = "Write the table of docs/reference/commands.md."
    subject = "the help texts of the commands"

    def render_docs(self) -> tuple[Path, str]:
        return DOCS_PAGE, render_page(DOCS_PAGE, (START_MARKER, END_MARKER), build_table())
