"""Results of rules, and their reports as text. Standard library and verification.outcomes only."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from portal.core.value_types import JsonObject
from verification.outcomes import Outcome, get_worst_outcome

RuleOutcome = tuple[Outcome, str]
OUTCOME_LABELS = {
    Outcome.PASS: "pass",
    Outcome.WARN: "warn",
    Outcome.FAIL: "FAIL",
    Outcome.ERROR: "error",
    Outcome.NOT_RUN: "not run",
}


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The result of one rule. `notes`: additional information that does not change the outcome."""

    rule: str
    title: str
    outcome: Outcome
    sentence: str
    advice: str = ""
    notes: tuple[str, ...] = ()

    def as_dict(self) -> JsonObject:
        return {
            "rule": self.rule,
            "title": self.title,
            "outcome": str(self.outcome),
            "sentence": self.sentence,
            "advice": self.advice,
            "notes": list(self.notes),
        }


class RuleCatalog(Protocol):
    """A module with the rules of one kind of test run."""

    RULES_VERSION: int

    def judge(self, records: Any) -> tuple[RuleResult, ...]: ...

    def compute_outcome(self, results: tuple[RuleResult, ...]) -> Outcome: ...


def report_pass(sentence: str) -> RuleOutcome:
    return Outcome.PASS, sentence


def report_warning(sentence: str) -> RuleOutcome:
    return Outcome.WARN, sentence


def report_failure(sentence: str) -> RuleOutcome:
    return Outcome.FAIL, sentence


def report_not_run(sentence: str) -> RuleOutcome:
    return Outcome.NOT_RUN, sentence


def choose_worst(outcomes: Iterable[RuleOutcome], default: RuleOutcome) -> RuleOutcome:
    """Return the worst outcome with up to three of its sentences, `default` without outcomes."""
    all_outcomes = list(outcomes)
    if not all_outcomes:
        return default
    decisive = get_worst_outcome(outcome for outcome, _ in all_outcomes)
    sentences = list(dict.fromkeys(sentence for outcome, sentence in all_outcomes if outcome == decisive))
    more = f" And {len(sentences) - 3} more." if len(sentences) > 3 else ""
    return decisive, " ".join(sentences[:3]) + more


def build_results_report(catalog: RuleCatalog, records: object) -> JsonObject:
    """Return the results and the outcome as plain data."""
    results = catalog.judge(records)
    return {
        "rules_version": catalog.RULES_VERSION,
        "outcome": str(catalog.compute_outcome(results)),
        "results": [each.as_dict() for each in results],
    }


def format_results(results: Iterable[RuleResult]) -> Iterator[str]:
    """Yield the lines of a text report."""
    for each in results:
        yield f"{OUTCOME_LABELS[each.outcome]:8} {each.title}: {each.sentence}"
        yield from (f"{'':8} {note}" for note in (each.advice, *each.notes) if note)


def get_exit_code(outcome: str) -> int:
    """Return 0 if nothing fails, 1 if something fails, 2 if the result is unknown."""
    return {Outcome.FAIL: 1, Outcome.ERROR: 2, Outcome.NOT_RUN: 2}.get(Outcome(outcome), 0)
