"""How is a table of our docs made anew from the code? What stands between two marks is the code's, the rest by hand."""

from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError


def line_of(cells: Iterable[str]) -> str:
    """One line of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def renewed(page: Path, marks: tuple[str, str], table: str) -> str:
    """The text of the page with this table between its marks."""
    begin, end = marks
    before, _, rest = page.read_text().partition(begin)
    return f"{before}{begin}\n{table}\n{end}{rest.partition(end)[2]}"


class TableCommand(BaseCommand):
    """Writes a page's table anew, or with --check says only whether that is to be done."""

    about = ""  # what the table tells of: "the settings"

    def wanted(self) -> tuple[Path, str]:
        """The page and what should stand in it."""
        raise NotImplementedError

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        page, text = self.wanted()
        if not check:
            page.write_text(text)
        elif text != page.read_text():
            name = type(self).__module__.rpartition(".")[2]
            raise CommandError(f"docs/{page.name} is behind {self.about}; write it with: manage.py {name}")
