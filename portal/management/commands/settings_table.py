"""Which settings are there? Writes the table of docs/operate.md from what the settings read."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from portal import env

PAGE = settings.BASE_DIR / "docs" / "operate.md"
BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"
DEPENDS = {"PORTAL_DATA": ".data", "SITE_URL": "http://127.0.0.1:$PORT"}  # defaults made of other settings or places


def table() -> str:
    """The settings as Markdown, in the order in which they are read, without this machine's paths."""
    lines = ["| Variable | Kind | Default | What it is for |", "| --- | --- | --- | --- |"]
    for setting in env.TABLE:
        default = DEPENDS.get(setting.name, setting.default.replace(str(settings.DATA_DIR), "$PORTAL_DATA"))
        cells = [f"`{setting.name}`", setting.kind, f"`{default}`" if default else "", setting.doc]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def page() -> str:
    """docs/operate.md with its table made anew."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


class Command(BaseCommand):
    help = "Writes the settings table of docs/operate.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        wanted = page()
        if not check:
            PAGE.write_text(wanted)
        elif wanted != PAGE.read_text():
            raise CommandError("docs/operate.md is behind the settings; write it with: manage.py settings_table")
