"""Meanings of outcomes and programs that use a check, for the help pages and docs/reference/checks.md."""

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Program
from portal.ui.content.glossary import OUTCOME_DESCRIPTIONS
from verification.checks import execution
from verification.outcomes import WORST_FIRST


def list_outcomes() -> list[tuple[str, str]]:
    """Return each outcome with its meaning, good ones first."""
    return [(str(outcome), OUTCOME_DESCRIPTIONS[outcome]) for outcome in reversed(WORST_FIRST)]


def list_programs_using_check(key: str) -> tuple[Program, ...]:
    """Return the programs with an edition that requires the check."""
    return tuple(
        program
        for program in PROGRAMS.values()
        if any(key in execution.list_check_keys(edition) for edition in program.editions)
    )
