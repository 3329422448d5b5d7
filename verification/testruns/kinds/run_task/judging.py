"""Rules of run task tests and their shared parts. No Django here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from verification.outcomes import Outcome
from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords
from verification.testruns.rule_results import RuleOutcome, RuleResult, report_failure, report_not_run


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
