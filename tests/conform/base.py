"""Types shared by the conformance suites.

A suite is a module of this package with a function `run(options) -> SuiteReport`. It compares verdicts of the portal
with the expected ones, which a reference without shared code gives, and reports every difference.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The extent of a run: `full` is the long form, `seed` makes its random cases repeatable.

    `cases` is the number of cases of a fuzzer.
    """

    seed: int = 1
    full: bool = False
    cases: int = 10_000


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A case on which portal and reference differ. `reason` names the documented class; empty means unexplained."""

    case: str
    portal: str
    reference: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """The result of a suite.

    `not_run` is the reason why the reference was not available, `error` what ended the suite itself; cases are then 0.
    """

    reference: str
    cases: int
    disagreements: tuple[Disagreement, ...] = ()
    not_run: str = ""
    error: str = ""
    figures: tuple[tuple[str, str], ...] = ()  # further measures: (name, value)
    aim: float = 1.0  # share of cases without an unexplained difference that the suite must reach

    @property
    def unexplained_disagreements(self) -> tuple[Disagreement, ...]:
        return tuple(each for each in self.disagreements if not each.reason)

    @property
    def agreement(self) -> float:
        """Share of cases on which both agree, from 0 to 1."""
        return 1 - len(self.disagreements) / self.cases if self.cases else 1.0

    @property
    def is_met(self) -> bool:
        """Return whether the reference ran and the suite reached its aim."""
        return self.cases > 0 and 1 - len(self.unexplained_disagreements) / self.cases >= self.aim


@dataclass(frozen=True, slots=True)
class Suite:
    """One row of the conformance table. The key is what `bin/conform KEY` takes, unless `arguments` say otherwise."""

    key: str
    title: str
    run: Callable[[RunOptions], SuiteReport]
    arguments: str = ""
