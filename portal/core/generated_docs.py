"""Commands that write generated files, such as tables between two markers of a documentation page."""

import os
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand, CommandError

OWN_PACKAGES = {"portal", "integrations", "verification"}


def iterate_own_commands() -> Iterator[tuple[str, BaseCommand]]:
    """Yield the portal's own commands by name, sorted."""
    for name, app in sorted(get_commands().items()):
        if str(app).split(".")[0] in OWN_PACKAGES:
            yield name, load_command_class(str(app), name)


def format_table_row(cells: Iterable[str]) -> str:
    """Return one row of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def format_table(headers: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join(map(format_table_row, [headers, ["---"] * len(headers), *rows]))


def render_page(page: Path, section: str, table: str) -> str:
    """Return the text of the page with the table between the markers of the section."""
    start_marker = f"<!-- {section}: begin -->"
    end_marker = f"<!-- {section}: end -->"
    preamble, _, rest = page.read_text().partition(start_marker)
    return f"{preamble}{start_marker}\n{table}\n{end_marker}{rest.partition(end_marker)[2]}"


class TableDocsCommand(BaseCommand, ABC):
    """Command that writes a generated file, or checks with --check whether it is up to date."""

    subject = ""  # what the file documents, such as "the settings"

    @abstractmethod
    def render_docs(self) -> tuple[Path, str]:
        """Return the file and its expected text."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="Check whether the file is up to date.")

    def handle(self, *args: object, check: bool, **options: object) -> None:
        file, text = self.render_docs()
        if not check:
            file.write_text(text)
        elif text != file.read_text():
            path = os.path.relpath(file, settings.BASE_DIR)
            name = type(self).__module__.rpartition(".")[2]
            raise CommandError(f"{path} does not match {self.subject}. Run manage.py {name}.")


class SectionDocsCommand(TableDocsCommand):
    """Command that writes a section of a documentation page, which stands between two markers."""

    page = ""  # below docs/
    section = ""  # name in the markers

    @abstractmethod
    def build_section(self) -> str:
        """Return the text between the markers."""

    def render_docs(self) -> tuple[Path, str]:
        page = settings.BASE_DIR / "docs" / self.page
        return page, render_page(page, self.section, self.build_section())
