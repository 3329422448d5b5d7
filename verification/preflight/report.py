"""Report of a preflight run: the results in order, as JSON, and the exit code."""

from collections.abc import Mapping
from dataclasses import dataclass

from portal.core.value_types import JsonObject
from verification.checks import execution
from verification.checks.types import Subject
from verification.outcomes import Outcome, Result, get_worst_outcome

EXIT_PASSED, EXIT_FINDINGS, EXIT_USAGE, EXIT_UNDECIDED = range(4)
EXIT_CODE_BY_OUTCOME = {
    Outcome.PASS: EXIT_PASSED,
    Outcome.WAIVED: EXIT_PASSED,
    Outcome.WARN: EXIT_PASSED,
    Outcome.FAIL: EXIT_FINDINGS,
}


@dataclass(frozen=True, slots=True)
class PreflightReport:
    """Results of one run on one subject. `version` is blank for the newest, `folder` without a checkout.

    `hints` are the keys of advisory checks: they are reported but do not affect the outcome.
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
        """Return the exit code: 0 if nothing must be fixed, 1 for findings, 3 if undecided or without checks."""
        return EXIT_CODE_BY_OUTCOME.get(self.outcome, EXIT_UNDECIDED)

    def as_dict(self) -> JsonObject:
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
