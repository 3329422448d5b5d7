"""Which checks are there? Writes docs/checks.md from the code."""

from datetime import timedelta
from pathlib import Path

from django.conf import settings

import verification.checks.rules  # noqa: F401 - registers the checks
from portal.core.generated_docs import TableCommand, line_of, renewed
from verification.checks.documentation import MEANINGS, asks, programs_of
from verification.checks.types import CHECKS, Check
from verification.outcomes import WORST_FIRST

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
    return line_of(cells)


def _days(fresh: timedelta) -> str:
    return f"{fresh.days} d" if fresh.days else f"{fresh.seconds // 3600} h"


def page() -> str:
    """docs/checks.md with its tables made anew."""
    return renewed(PAGE, (BEGIN, END), table())


class Command(TableCommand):
    help = "Writes the tables of docs/checks.md."
    about = "the checks"

    def wanted(self) -> tuple[Path, str]:
        return PAGE, page()
