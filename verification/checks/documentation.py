"""What does a check ask, in words? For the help pages and for docs/reference/checks.md, from the code alone."""

import inspect

from django.utils.translation import gettext_noop

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Program
from verification.checks import execution
from verification.checks.types import Check
from verification.outcomes import Outcome

OUTCOME_DESCRIPTIONS = {
    Outcome.PASS: gettext_noop("It is as the program asks, and the evidence shows it."),
    Outcome.WARN: gettext_noop("It may stay as it is, and would be better otherwise."),
    Outcome.FAIL: gettext_noop("It is not as the program asks; the partner fixes it, and the advice says how."),
    Outcome.ERROR: gettext_noop(
        "We could not look: an outage of ours or of a service that we ask. Nobody's turn changes by it, "
        "and we try again by ourselves."
    ),
    Outcome.NOT_RUN: gettext_noop(
        "It was not looked at, with the reason; never taken for a pass. Often a person decides."
    ),
    Outcome.WAIVED: gettext_noop("The program lets this one go, with a reason and an end."),
    Outcome.STALE: gettext_noop("The last answer is too old to count; it is asked anew."),
}


def get_check_question(check: Check) -> str:
    """What the check asks: the first paragraph of its function's docstring, on one line."""
    return " ".join((inspect.getdoc(check.run) or "").split("\n\n")[0].split())


def get_check_details(check: Check) -> tuple[str, ...]:
    """The further paragraphs of that docstring."""
    paragraphs = (inspect.getdoc(check.run) or "").split("\n\n")[1:]
    return tuple(" ".join(paragraph.split()) for paragraph in paragraphs)


def list_programs_using_check(key: str) -> tuple[Program, ...]:
    """The programs whose newest edition asks for the check."""
    return tuple(program for program in PROGRAMS.values() if key in execution.list_check_keys(program.newest))
