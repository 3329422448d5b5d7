"""Comparison of the state with the service after an update that failed. Pure functions."""

from collections.abc import Iterator, Mapping

from portal.core.value_types import JsonObject
from verification.testruns.kinds.provider_lifecycle.plan_comparison import (
    describe_changes,
    describe_other_action,
    join_names,
    select_changes,
)
from verification.testruns.kinds.provider_lifecycle.records import INCONSISTENT_RESULT_ERROR, CommandRecord
from verification.testruns.rules import (
    RuleOutcome,
    choose_worst,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)

MIN_ERROR_WORDS = 3
UNEXPECTED_SUCCESS = report_not_run("The apply that should fail succeeded, so we couldn't test this rule.")
NO_CHANGE: JsonObject = {"actions": ["update"], "changed": [], "unknown": []}


def check_error(command: CommandRecord, plan: JsonObject | None) -> RuleOutcome:
    """Return whether the update that the service refused ends with a useful error.

    Args:
        command: The apply.
        plan: The plan of the same configuration afterwards.
    """
    if command.is_good:
        remaining = select_changes(plan)
        return _report_hidden_failure(remaining) if remaining else UNEXPECTED_SUCCESS
    if not command.has_finished or command.has_crashed or INCONSISTENT_RESULT_ERROR in command.errors:
        return command.find_failure() or UNEXPECTED_SUCCESS
    if len(command.error.split()) < MIN_ERROR_WORDS:
        return report_warning(f"The error is only “{command.error}”. It doesn't say what failed and why.")
    return report_pass(f"The update fails with an error: {command.error}")


def _report_hidden_failure(remaining: Mapping[str, JsonObject]) -> RuleOutcome:
    return report_failure(
        f"The apply succeeded without an error, but the next plan still changes {describe_changes(remaining)}."
    )


def check_state(recorded_plan: JsonObject, actual_plan: JsonObject) -> RuleOutcome:
    """Return whether the state contains what the service has after the failed update.

    A plan without a refresh compares the configuration with the state that the provider saved, and one with a refresh
    compares it with the service. What only the second one changes was saved as if it had been applied.
    """
    recorded, actual = select_changes(recorded_plan), select_changes(actual_plan)
    problems = [*_find_false_changes(recorded, actual), *_find_unsaved_changes(recorded, actual)]
    if not problems and not actual:
        return report_warning(
            "The next plan shows no change, although the update failed. Return an error only if a part of it failed."
        )
    return choose_worst(
        problems, report_pass(f"The state matches the service. The next plan still changes {describe_changes(actual)}.")
    )


def _find_false_changes(recorded: Mapping[str, JsonObject], actual: Mapping[str, JsonObject]) -> Iterator[RuleOutcome]:
    for name, change in actual.items():
        before = recorded.get(name, NO_CHANGE)
        if change["actions"] != before["actions"]:
            yield report_failure(f"After the failed update, {describe_other_action(name, change)}")
        elif names := _list_known_changes(change) - {*before["changed"]}:
            yield report_failure(
                f"The update of {name} failed, but the state contains its change of {join_names(names)}."
            )


def _find_unsaved_changes(
    recorded: Mapping[str, JsonObject], actual: Mapping[str, JsonObject]
) -> Iterator[RuleOutcome]:
    for name, change in recorded.items():
        if names := _list_known_changes(change) - {*actual.get(name, NO_CHANGE)["changed"]}:
            yield report_warning(
                f"The service changed {join_names(names)} of {name} before the update failed, but the state keeps the "
                "earlier value."
            )


def _list_known_changes(change: JsonObject) -> set[str]:
    return {*change["changed"]} - {*change["unknown"]}
