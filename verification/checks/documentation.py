"""Texts about checks for the help pages and docs/reference/checks.md, taken from the code alone."""

import inspect

from django.utils.translation import gettext_noop

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Program
from verification.checks import execution
from verification.checks.types import Check
from verification.outcomes import Outcome

OUTCOME_DESCRIPTIONS = {
    Outcome.PASS: gettext_noop("The evidence fulfills the requirement."),
    Outcome.WARN: gettext_noop("This doesn't block the review. We recommend a change."),
    Outcome.FAIL: gettext_noop("This doesn't fulfill the requirement. Follow the advice, then run checks again."),
    Outcome.ERROR: gettext_noop(
        "An outage on our side or at an external service stopped this check. We'll try again automatically. No "
        "action needed."
    ),
    Outcome.NOT_RUN: gettext_noop(
        "The check didn't run for the reason shown. It doesn't count as passed. A reviewer often decides."
    ),
    Outcome.WAIVED: gettext_noop("The program waived this check for a limited time and gave a reason."),
    Outcome.STALE: gettext_noop("The last result is too old to count. We'll run the check again."),
}


def get_check_question(check: Check) -> str:
    """Return the question that the check answers: the first paragraph of its function's docstring, on one line."""
    return " ".join((inspect.getdoc(check.run) or "").split("\n\n")[0].split())


def get_check_details(check: Check) -> tuple[str, ...]:
    """Return the further paragraphs of that docstring."""
    paragraphs = (inspect.getdoc(check.run) or "").split("\n\n")[1:]
    return tuple(" ".join(paragraph.split()) for paragraph in paragraphs)


def list_programs_using_check(key: str) -> tuple[Program, ...]:
    """Return the programs whose newest edition requires the check."""
    return tuple(program for program in PROGRAMS.values() if key in execution.list_check_keys(program.newest))
