"""Which checks are there? Writes docs/checks.md from the code."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

import verification.checks  # noqa: F401 - registers the checks
from verification.base import CHECKS, WORST_FIRST, Check
from verification.explaining import MEANINGS, asks, programs_of

PAGE = settings.BASE_DIR / "docs" / "checks.md"
BEGIN, END = "<!-- checks: begin -->", "<!-- checks: end -->"


def table() -> str:
    """The outcomes, then every check with what it asks, as Markdown."""
    lines = ["| Outcome | What it means |", "| --- | --- |"]
    lines += [f"| `{outcome}` | {MEANINGS[outcome]} |" for outcome in reversed(WORST_FIRST)]
    lines += ["", f"## The {len(CHECKS)} checks", ""]
    lines += ["| Key | Title | What it asks | What to do | Programs | Version | Fresh |", "| --- " * 7 + "|"]
    lines += [_row(check) for _, check in sorted(CHECKS.items())]
    return "\n".join(lines)


def _row(check: Check) -> str:
    programs = ", ".join(f"`{program.key}`" for program in programs_of(check.key)) or "none yet"
    cells = (
        f"`{check.key}`", check.title, asks(check), check.advice, programs, str(check.version), _days(check.fresh),
    )  # fmt: skip
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _days(fresh: timedelta) -> str:
    return f"{fresh.days} d" if fresh.days else f"{fresh.seconds // 3600} h"


def page() -> str:
    """docs/checks.md with its tables made anew."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


class Command(BaseCommand):
    help = "Writes the tables of docs/checks.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        wanted = page()
        if not check:
            PAGE.write_text(wanted)
        elif wanted != PAGE.read_text():
            raise CommandError("docs/checks.md is behind the checks; write it with: manage.py checks_table")
