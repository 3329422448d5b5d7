"""Report of a preflight run: the results in order, as JSON, and the exit code."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verification.checks import execution
from verification.checks.types import Subject
from verification.outcomes import Outcome, Result, get_worst_outcome

EXIT_PASSED, EXIT_TO_FIX, EXIT_UNKNOWN = 0, 1, 2
EXIT_CODE_BY_OUTCOME = {
    Outcome.PASS: EXIT_PASSED,
    Outcome.WAIVED: EXIT_PASSED,
    Outcome.WARN: EXIT_PASSED,
    Outcome.FAIL: EXIT_TO_FIX,
}


@dataclass(frozen=True, slots=True)
class PreflightReport:
    """One run over one subject. `version` is blank where the newest was looked at, `folder` where none was.

    `hints` are the checks among them that nothing waits for: they are told and do not count.
    """

    subject: Subject
    results: Mapping[str, Result]
    version: str = ""
    folder: str = ""
    hints: frozenset[str] = frozenset()

    @property
    def outcome(self) -> Outcome:
        return get_worst_outcome(result.outcome for key, result in self.results.items() if key not in self.hints)

    @property
    def exit_code(self) -> int:
        """0 all pass, 1 there is something to fix, 2 something could not be told. No checks: nothing was told."""
        return EXIT_CODE_BY_OUTCOME.get(self.outcome, EXIT_UNKNOWN)

    def as_dict(self) -> dict[str, Any]:
        return {
            "program": self.subject.program,
            "edition": self.subject.edition,
            "repository": self.subject.repository,
            "version": self.version,
            "folder": self.folder,
            "outcome": str(self.outcome),
            "exit": self.exit_code,
            "checks": [
                {**execution.serialize_result(key, result), "hint": key in self.hints}
                for key, result in self.results.items()
            ],
        }
