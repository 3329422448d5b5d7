"""Generated tables in documentation pages, between two markers."""

from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

OWN_PACKAGES = {"portal", "integrations", "verification"}


def format_table_row(cells: Iterable[str]) -> str:
    """Return one row of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def render_page(page: Path, markers: tuple[str, str], table: str) -> str:
    """Return the text of the page with the table between its markers."""
    start_marker, end_marker = markers
    preamble, _, rest = page.read_text().partition(start_marker)
    return f"{preamble}{start_marker}\n{table}\n{end_marker}{rest.partition(end_marker)[2]}"


class TableDocsCommand(BaseCommand):
    """Command that writes the table of a page, or checks with --check whether it is up to date."""

    subject = ""  # what the table documents, such as "the settings"

    def render_docs(self) -> tuple[Path, str]:
        """Return the page and its expected text."""
        raise NotImplementedError

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="Check whether the page is up to date.")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        page, text = self.render_docs()
        if not check:
            page.write_text(text)
        elif text != page.read_text():
            name = type(self).__module__.rpartition(".")[2]
            raise CommandError(
                f"docs/{page.parent.name}/{page.name} does not match {self.subject}. Run manage.py {name}."
            )
