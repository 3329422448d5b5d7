"""Rule results and the shared parts of rules. Standard library and verification.outcomes only."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from verification.outcomes import Outcome, get_worst_outcome
from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords

RuleOutcome = tuple[Outcome, str]  # what is found of one request or run


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The result of one rule. `notes`: additional information that does not change the outcome."""

    rule: str
    title: str
    outcome: Outcome
    sentence: str
    advice: str = ""
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "rule": self.rule, "title": self.title, "outcome": str(self.outcome), "sentence": self.sentence,
            "advice": self.advice, "notes": list(self.notes),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunTaskRule:
    """A rule and its check function."""

    key: str
    title: str
    advice: str
    evaluate: Callable[[RunTaskRecords], RuleOutcome]
    notes: Callable[[RunTaskRecords], tuple[str, ...]] = lambda records: ()

    def judge(self, records: RunTaskRecords) -> RuleResult:
        outcome, sentence = self.evaluate(records)
        advice = "" if outcome in (Outcome.PASS, Outcome.NOT_RUN) else self.advice
        return RuleResult(self.key, self.title, outcome, sentence, advice, self.notes(records))


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


def check_silence(exchange: Exchange | None) -> RuleOutcome | None:
    """Return the result for an exchange without a response, None if there is one."""
    if exchange is None:
        return report_not_run("We didn't send this request.")
    if exchange.ended == "unresolved":
        return Outcome.ERROR, f"We couldn't run this rule: {exchange.sentence}"
    if exchange.ended == "refused":
        return report_failure(exchange.sentence)
    if exchange.ended == "unreachable":
        return report_failure(f"The endpoint isn't reachable: {exchange.sentence}")
    if exchange.status == 0 and exchange.ended == "slow":
        return report_failure(f"The endpoint didn't respond within {exchange.seconds:.1f} seconds.")
    if exchange.status == 0:
        return report_failure(f"The connection closed without a response: {exchange.sentence}")
    return None


def join_words(words: Iterable[str]) -> str:
    """Join words as "a, b and c"."""
    items = list(dict.fromkeys(words))
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""
