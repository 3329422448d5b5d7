"""How is a table of our docs made anew from the code? What stands between two marks is the code's, the rest by hand."""

from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError


def format_table_row(cells: Iterable[str]) -> str:
    """One line of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def render_page(page: Path, markers: tuple[str, str], table: str) -> str:
    """The text of the page with this table between its marks."""
    start_marker, end_marker = markers
    preamble, _, rest = page.read_text().partition(start_marker)
    return f"{preamble}{start_marker}\n{table}\n{end_marker}{rest.partition(end_marker)[2]}"


class TableDocsCommand(BaseCommand):
    """Writes a page's table anew, or with --check says only whether that is to be done."""

    subject = ""  # what the table tells of: "the settings"

    def render_docs(self) -> tuple[Path, str]:
        """The page and what should stand in it."""
        raise NotImplementedError

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        page, text = self.render_docs()
        if not check:
            page.write_text(text)
        elif text != page.read_text():
            name = type(self).__module__.rpartition(".")[2]
            raise CommandError(f"docs/{page.name} is behind {self.subject}; write it with: manage.py {name}")
