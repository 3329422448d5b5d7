"""Command that writes the table of docs/reference/settings.md."""

from pathlib import Path

from django.conf import settings

from portal import environment
from portal.core.generated_docs import TableDocsCommand, format_table_row, render_page

DOCS_PAGE = settings.BASE_DIR / "docs" / "reference" / "settings.md"
START_MARKER, END_MARKER = "<!-- settings: begin -->", "<!-- settings: end -->"
DERIVED_DEFAULTS = {
    "PORTAL_DATA": ".data",
    "SITE_URL": "http://127.0.0.1:$PORT",
}  # defaults that depend on other settings


def build_table() -> str:
    """Return the settings as a Markdown table, without paths of this machine."""
    lines = ["| Variable | Type | Default | Purpose |", "| --- | --- | --- | --- |"]
    for setting in environment.SETTINGS:
        default = DERIVED_DEFAULTS.get(setting.name, setting.default.replace(str(settings.DATA_DIR), "$PORTAL_DATA"))
        cells = [f"`{setting.name}`", setting.kind, f"`{default}`" if default else "", setting.doc]
        lines.append(format_table_row(cells))
    return "\n".join(lines)


def build_page() -> str:
    """Return docs/reference/settings.md with an up-to-date table."""
    return render_page(DOCS_PAGE, (START_MARKER, END_MARKER), build_table())


class Command(TableDocsCommand):
    help = "Write the table of docs/reference/settings.md."
    subject = "the settings"

    def render_docs(self) -> tuple[Path, str]:
        return DOCS_PAGE, build_page()
