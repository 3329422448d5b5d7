"""Programs that use a check, for the help pages and docs/reference/checks.md."""

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Program
from verification.checks import execution


def list_programs_using_check(key: str) -> tuple[Program, ...]:
    """Return the programs whose newest edition requires the check."""
    return tuple(program for program in PROGRAMS.values() if key in execution.list_check_keys(program.newest))
