"""Rules of the provider acceptance test and their shared parts."""

from collections.abc import Callable
from dataclasses import dataclass

from verification.outcomes import Outcome
from verification.testruns.kinds.provider_lifecycle.records import (
    REASON_FINISHED,
    CommandRecord,
    ProviderLifecycleRecords,
    extract_error,
)
from verification.testruns.rule_results import RuleOutcome, RuleResult, report_failure, report_not_run

CRASH_MARKERS = (  # what Terraform says of it depends on which of its parts notices first
    "plugin did not respond",
    "panic:",
    "plugin exited",
    "connection is shutting down",
    "unexpected eof",
    "request was cancelled",
)
INCONSISTENT_RESULT_ERROR = "Provider produced inconsistent result after apply"


@dataclass(frozen=True, slots=True)
class ProviderLifecycleRule:
    """A rule with the steps that it needs and its check function."""

    key: str
    title: str
    advice: str
    acts: tuple[str, ...]
    evaluate: Callable[[ProviderLifecycleRecords], RuleOutcome]

    def judge(self, records: ProviderLifecycleRecords) -> RuleResult:
        if records.unavailable:
            return RuleResult(self.key, self.title, Outcome.NOT_RUN, records.unavailable)
        outcome, sentence = _explain_missing_command(self, records) or self.evaluate(records)
        advice = "" if outcome in (Outcome.PASS, Outcome.NOT_RUN, Outcome.ERROR) else self.advice
        return RuleResult(self.key, self.title, outcome, sentence, advice)


def _explain_missing_command(rule: ProviderLifecycleRule, records: ProviderLifecycleRecords) -> RuleOutcome | None:
    """Return the result for a rule whose steps are missing, None if all are recorded."""
    missing = [step_key for step_key in rule.acts if records.get_command(step_key) is None]
    if missing and records.broken:
        return Outcome.ERROR, f"We couldn't run this rule: {records.broken}"
    if missing:
        return report_not_run(explain_not_reached(records))
    return None


def explain_not_reached(records: ProviderLifecycleRecords) -> str:
    """Return why a step was not reached."""
    if not records.over:
        return "Not reached yet."
    failed_command = next(
        (
            command
            for command in records.ran
            if command.act in ("init", "plan", "apply", "change", "update", "destroy") and not command.is_good
        ),
        None,
    )
    return f"Not reached: “{failed_command.title}” failed." if failed_command else "Not reached."


def require_command(records: ProviderLifecycleRecords, step_key: str) -> CommandRecord:
    """Return the command that the rule needs."""
    command = records.get_command(step_key)
    assert command is not None
    return command


def check_succeeded(command: CommandRecord) -> RuleOutcome | None:
    """Return the result for a failed command, None if it succeeded."""
    if command.is_good:
        return None
    if command.ended != REASON_FINISHED:
        return report_failure(command.sentence)
    error = extract_error(command)
    if any(marker in f"{command.errors}\n{command.output}".lower() for marker in CRASH_MARKERS):
        return report_failure(f"The provider crashed. {error}")
    return report_failure(error)


def check_plan_readable(command: CommandRecord) -> RuleOutcome | None:
    """Return the result for a plan that could not be read, None if it could."""
    if command.plan is None:
        return Outcome.ERROR, "We couldn't read Terraform's plan. No action needed."
    return None
