"""Command that writes the tables of docs/reference/checks.md from the code."""

import verification.checks.rules  # noqa: F401 - registers the checks
from portal.core.generated_docs import SectionDocsCommand, format_table_row
from verification.checks.documentation import list_outcomes, list_programs_using_check
from verification.checks.types import CHECKS, Check


def _build_row(check: Check) -> str:
    programs = ", ".join(f"`{program.key}`" for program in list_programs_using_check(check.key)) or "none yet"
    numbers = (str(check.version), f"{check.max_age_days} d")
    return format_table_row((f"`{check.key}`", check.title, check.expectation, programs, *numbers))


class Command(SectionDocsCommand):
    help = "Write the tables of docs/reference/checks.md."
    subject = "the checks"
    page = "reference/checks.md"
    section = "checks"

    def build_section(self) -> str:
        """Return the outcomes and every check as Markdown. Advice is on the help page of a check."""
        lines = ["| Outcome | Meaning |", "| --- | --- |"]
        lines += [f"| `{outcome}` | {meaning} |" for outcome, meaning in list_outcomes()]
        lines += ["", f"## The {len(CHECKS)} checks", ""]
        lines += ["| Key | Title | Requirement | Programs | Version | Valid for |", "| --- " * 6 + "|"]
        lines += [_build_row(check) for _, check in sorted(CHECKS.items())]
        return "\n".join(lines)
