"""Which settings are there? Writes the table of docs/operate.md from what the settings read."""

from pathlib import Path

from django.conf import settings

from portal import environment
from portal.core.generated_docs import TableDocsCommand, format_table_row, render_page

DOCS_PAGE = settings.BASE_DIR / "docs" / "operate.md"
START_MARKER, END_MARKER = "<!-- settings: begin -->", "<!-- settings: end -->"
DERIVED_DEFAULTS = {
    "PORTAL_DATA": ".data",
    "SITE_URL": "http://127.0.0.1:$PORT",
}  # defaults made of other settings or places


def build_table() -> str:
    """The settings as Markdown, in the order in which they are read, without this machine's paths."""
    lines = ["| Variable | Kind | Default | What it is for |", "| --- | --- | --- | --- |"]
    for setting in environment.SETTINGS:
        default = DERIVED_DEFAULTS.get(setting.name, setting.default.replace(str(settings.DATA_DIR), "$PORTAL_DATA"))
        cells = [f"`{setting.name}`", setting.kind, f"`{default}`" if default else "", setting.doc]
        lines.append(format_table_row(cells))
    return "\n".join(lines)


def build_page() -> str:
    """docs/operate.md with its table made anew."""
    return render_page(DOCS_PAGE, (START_MARKER, END_MARKER), build_table())


class Command(TableDocsCommand):
    help = "Writes the settings table of docs/operate.md."
    subject = "the settings"

    def render_docs(self) -> tuple[Path, str]:
        return DOCS_PAGE, build_page()
