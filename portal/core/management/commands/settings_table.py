"""Which settings are there? Writes the table of docs/operate.md from what the settings read."""

from pathlib import Path

from django.conf import settings

from portal import environment
from portal.core.generated_docs import TableCommand, line_of, renewed

PAGE = settings.BASE_DIR / "docs" / "operate.md"
BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"
DEPENDS = {"PORTAL_DATA": ".data", "SITE_URL": "http://127.0.0.1:$PORT"}  # defaults made of other settings or places


def table() -> str:
    """The settings as Markdown, in the order in which they are read, without this machine's paths."""
    lines = ["| Variable | Kind | Default | What it is for |", "| --- | --- | --- | --- |"]
    for setting in environment.TABLE:
        default = DEPENDS.get(setting.name, setting.default.replace(str(settings.DATA_DIR), "$PORTAL_DATA"))
        cells = [f"`{setting.name}`", setting.kind, f"`{default}`" if default else "", setting.doc]
        lines.append(line_of(cells))
    return "\n".join(lines)


def page() -> str:
    """docs/operate.md with its table made anew."""
    return renewed(PAGE, (BEGIN, END), table())


class Command(TableCommand):
    help = "Writes the settings table of docs/operate.md."
    about = "the settings"

    def wanted(self) -> tuple[Path, str]:
        return PAGE, page()
