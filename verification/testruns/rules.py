"""Rules of test runs: texts in a content file, checks as functions, and results as data and as text."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from portal.core.content_files import Content, load_content
from portal.core.terminal import sanitize
from portal.core.value_types import JsonObject
from verification.outcomes import Outcome, get_worst_outcome


class RuleOutcome(NamedTuple):
    """The outcome of a check. `notes`: additional information that does not change it."""

    outcome: Outcome
    summary: str
    notes: tuple[str, ...] = ()


Check = TypeVar("Check", bound=Callable[..., RuleOutcome])


class Rule(Content):
    """A rule of a content file.

    Attributes:
        steps: The steps whose records its check receives. The last one must succeed unless `allows_failure` is set.
        success_summary: The result of a rule that only requires its steps to succeed. A function checks other rules.
        variant: The only variant of the records that the rule applies to, blank for all.
        is_optional: Without a result, the rule does not count.
        input: The optional input that the rule needs. Without it, the result is `missing_input`.
    """

    key: str
    title: str
    advice: str
    steps: tuple[str, ...] = ()
    allows_failure: bool = False
    success_summary: str = ""
    variant: str = ""
    is_optional: bool = False
    input: str = ""
    missing_input: str = ""


class RuleFile(Content):
    """A content file with the rules of one kind of test run."""

    version: int
    rules: tuple[Rule, ...]


class RuleRecords(Protocol):
    """Records that rules are evaluated on."""

    @property
    def variant(self) -> str:
        """Variant that selects the applicable rules."""

    def list_rule_steps(self, rule: Rule) -> Sequence[object] | RuleOutcome:
        """Return the records of the rule's steps, or the outcome if it can't be checked."""


class RuleCatalog:
    """The rules of one kind of test run."""

    def __init__(self, path: Path) -> None:
        self.file = load_content(path, RuleFile)
        self._checks: dict[str, Callable[..., RuleOutcome]] = {}

    def check(self, key: str) -> Callable[[Check], Check]:
        """Register the function that checks a rule. It receives the records and those of the rule's steps."""

        def register(function: Check) -> Check:
            self._checks[key] = function
            return function

        return register

    def evaluate(self, records: RuleRecords) -> list[JsonObject]:
        """Return the result of each applicable rule in order."""
        return [self._evaluate(rule, records) for rule in self.file.rules if rule.variant in ("", records.variant)]

    def _evaluate(self, rule: Rule, records: RuleRecords) -> JsonObject:
        steps = records.list_rule_steps(rule)
        if isinstance(steps, RuleOutcome):
            outcome = steps
        else:
            summary = rule.success_summary
            outcome = report_pass(summary) if summary else self._checks[rule.key](records, *steps)
        # Advice for errors on our side and for missing evidence would send partners after a fault that they don't have.
        advice = rule.advice if outcome.outcome in (Outcome.WARN, Outcome.FAIL) else ""
        return {"rule": rule.key, "title": rule.title, **outcome._asdict(), "advice": advice}

    def compute_outcome(self, results: Iterable[JsonObject]) -> Outcome:
        """Return the overall outcome."""
        # “Not run” is worse than a warning, so an optional input that is missing would make every test run undecided.
        optional = {rule.key for rule in self.file.rules if rule.is_optional}
        return get_worst_outcome(
            each["outcome"] for each in results if each["outcome"] != Outcome.NOT_RUN or each["rule"] not in optional
        )

    def build_report(self, records: RuleRecords) -> JsonObject:
        """Return the results and the outcome as plain data."""
        results = self.evaluate(records)
        outcome = str(self.compute_outcome(results))
        return {"rules_version": self.file.version, "outcome": outcome, "results": results}


report_pass = partial(RuleOutcome, Outcome.PASS)
report_warning = partial(RuleOutcome, Outcome.WARN)
report_failure = partial(RuleOutcome, Outcome.FAIL)
report_not_run = partial(RuleOutcome, Outcome.NOT_RUN)


def report_error(reason: str) -> RuleOutcome:
    """Return the outcome of a rule that an error on our side prevented."""
    return RuleOutcome(Outcome.ERROR, f"We couldn't run this rule: {reason}")


def choose_worst(outcomes: Iterable[RuleOutcome], default: RuleOutcome) -> RuleOutcome:
    """Return the worst outcome with up to three of its summaries, or `default` if there are no outcomes."""
    all_outcomes = list(outcomes)
    if not all_outcomes:
        return default
    decisive = get_worst_outcome(each.outcome for each in all_outcomes)
    # Ten steps can fail for the same reason, which is said once.
    summaries = list(dict.fromkeys(each.summary for each in all_outcomes if each.outcome == decisive))
    more = f" And {len(summaries) - 3} more." if len(summaries) > 3 else ""
    return RuleOutcome(decisive, " ".join(summaries[:3]) + more)


def join_words(words: Iterable[str], limit: int = 4) -> str:
    """Join words as "a, b, and c". Words beyond the limit are counted."""
    items = list(dict.fromkeys(words))
    if len(items) > limit:
        items = [*items[:limit], f"{len(items) - limit} more"]
    if len(items) > 2:
        return f"{', '.join(items[:-1])}, and {items[-1]}"
    return " and ".join(items)


def render_report(title: str, report: JsonObject, details: Iterable[str]) -> str:
    """Return a report as text for a terminal: the results with their advice and notes, then the details."""
    lines = [title, ""]
    for each in report["results"]:
        lines.append(f"{_format_outcome(each['outcome']):8} {each['title']}: {each['summary']}")
        lines += [f"{'':8} {note}" for note in (each["advice"], *each["notes"]) if note]
    lines += ["", *details, "", f"Overall: {_format_outcome(report['outcome'])}"]
    return "\n".join(map(sanitize, lines))


def _format_outcome(outcome: str) -> str:
    # Only failures are in capitals, so that they stand out in a log.
    return "FAIL" if outcome == Outcome.FAIL else outcome.replace("_", " ")
