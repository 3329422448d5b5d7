"""Comparisons of two plans, before and after an intended change or a failed update. Pure functions."""

from collections.abc import Collection, Iterator, Mapping

from portal.core.value_types import JsonObject
from verification.testruns.kinds.provider_lifecycle.records import INCONSISTENT_RESULT_ERROR, CommandRecord
from verification.testruns.rules import (
    RuleOutcome,
    choose_worst,
    join_words,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)

# A data source that is read during the apply changes nothing.
NO_CHANGE_ACTIONS = (["no-op"], ["read"])
ACTION_VERBS = {"create": "created", "delete": "destroyed"}
MAX_LISTED_NAMES = 6
MIN_ERROR_WORDS = 3
UNEXPECTED_SUCCESS = report_not_run("The apply that should fail succeeded, so we couldn't test this rule.")
NO_CHANGE: JsonObject = {"actions": ["update"], "changed": [], "unknown": []}
RequestedChanges = dict[str, set[str]]


def select_changes(plan: JsonObject | None) -> dict[str, JsonObject]:
    """Return the objects that the plan changes."""
    changes: JsonObject = plan["changes"] if plan else {}
    return {name: change for name, change in changes.items() if change["actions"][:1] not in NO_CHANGE_ACTIONS}


def describe_changes(changes: Mapping[str, JsonObject]) -> str:
    return join_words(f"{name} ({join_names(each['changed'])})" for name, each in changes.items())


def join_names(names: Collection[str]) -> str:
    return join_words(sorted(names), MAX_LISTED_NAMES)


def check_changes_in_place(before: JsonObject, after: JsonObject) -> RuleOutcome:
    """Check whether the second plan changes objects in place, exactly as the configuration changes.

    Args:
        before: The plan of the first configuration, as plan_parsing.reduce_plan() returns it.
        after: The plan of the changed configuration.
    """
    requested = _compare_expressions(before, after)
    planned = select_changes(after)
    if not requested and not planned:
        return report_not_run("Both configurations are equivalent, so we couldn't test this rule.")
    if not planned:
        description = join_words(f"{name} ({join_names(names)})" for name, names in requested.items())
        return report_failure(f"The plan contains no change, although the configuration changes {description}.")
    failures = [*_find_unrequested_changes(requested, planned, after), *_find_missing_changes(requested, planned)]
    return choose_worst(
        failures, report_pass(f"The plan changes {describe_changes(planned)} in place, and nothing else.")
    )


def _compare_expressions(before: JsonObject, after: JsonObject) -> RequestedChanges:
    """Return the attributes that differ between two configurations, by address. Added objects have none."""
    changes = {}
    for address in {*before["expressions"], *after["expressions"]}:
        old = before["expressions"].get(address)
        new = after["expressions"].get(address)
        if old is None or new is None:
            changes[address] = set[str]()
        elif old != new:
            changes[address] = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    return changes


def _find_unrequested_changes(
    requested: RequestedChanges, planned: Mapping[str, JsonObject], plan: JsonObject
) -> Iterator[RuleOutcome]:
    for name, change in planned.items():
        if change["actions"] != ["update"]:
            yield report_failure(describe_other_action(name, change))
            continue
        # Within a module, expressions refer to its variables, so they don't show which of the values changed.
        if name.startswith("module."):
            continue
        expressions = plan["expressions"].get(_strip_index(name), {})
        derived = {key for key, each in expressions.items() if _has_reference(each)}  # may follow from another change
        extra = set(change["changed"]) - requested.get(_strip_index(name), set()) - derived
        # Writing Custom Providers: Read finds an object by its ID, so an update in place must keep it.
        if "id" in extra:
            yield report_failure(f"{name} gets a new ID despite the change in place. References to it break.")
        unknown = extra & {*change["unknown"]}
        if extra - unknown:
            names = join_names(extra - unknown)
            yield report_failure(f"{name} also changes {names}, which the configuration doesn't change.")
        # Only a warning: frameworks plan computed attributes as unknown unless the provider keeps their earlier values.
        if unknown - {"id"}:
            yield report_warning(
                f"{name}: {join_names(unknown - {'id'})} would be unknown until the apply, although the "
                "configuration doesn't change it."
            )


def _find_missing_changes(requested: RequestedChanges, planned: Mapping[str, JsonObject]) -> Iterator[RuleOutcome]:
    """Yield a failure for each object whose configuration differs but whose plan doesn't."""
    planned_names = {_strip_index(address) for address in planned}
    for name, names in requested.items():
        if names and name not in planned_names and not name.startswith("module."):
            yield report_failure(f"{name} doesn't change, although the configuration changes {join_names(names)}.")


def describe_other_action(name: str, change: JsonObject) -> str:
    if sorted(change["actions"]) == ["create", "delete"]:
        reason = f" because of {join_names(change['replaces'])}" if change["replaces"] else ""
        return f"{name} would be replaced{reason}, not changed in place."
    action = change["actions"][0]
    return f"{name} would be {ACTION_VERBS.get(action, action)}, not changed in place."


def _strip_index(address: str) -> str:
    """Return the address without the indexes of counted resources."""
    return address.partition("[")[0] if address.endswith("]") else address


def _has_reference(expression: object) -> bool:
    """Return whether the value depends on another object."""
    if isinstance(expression, dict):
        return "references" in expression or any(_has_reference(each) for each in expression.values())
    return isinstance(expression, list) and any(_has_reference(each) for each in expression)


def check_failed_update_error(command: CommandRecord, plan: JsonObject | None) -> RuleOutcome:
    """Check whether the update that the service refused ends with a useful error.

    Args:
        command: The apply.
        plan: The plan of the same configuration afterward.
    """
    if command.is_good:
        if not (remaining := select_changes(plan)):
            return UNEXPECTED_SUCCESS
        return report_failure(
            f"The apply succeeded without an error, but the next plan still changes {describe_changes(remaining)}."
        )
    if not command.has_finished or command.has_crashed or INCONSISTENT_RESULT_ERROR in command.errors:
        return command.find_failure() or UNEXPECTED_SUCCESS
    # Terraform adds no reason of its own, so an error such as “failed” is all that a user reads.
    if len(command.error.split()) < MIN_ERROR_WORDS:
        return report_warning(f"The error is only “{command.error}”. It doesn't say what failed and why.")
    return report_pass(f"The update fails with an error: {command.error}")


def check_failed_update_state(recorded_plan: JsonObject, actual_plan: JsonObject) -> RuleOutcome:
    """Check whether the state contains what the service has after the failed update.

    A plan without a refresh compares the configuration with the state that the provider saved, and one with a refresh
    compares it with the service. What only the second one changes was saved as if it had been applied.
    """
    recorded = select_changes(recorded_plan)
    actual = select_changes(actual_plan)
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
        # Only a warning: the next refresh reads what the service changed. The opposite is never repaired.
        if names := _list_known_changes(change) - {*actual.get(name, NO_CHANGE)["changed"]}:
            yield report_warning(
                f"The service changed {join_names(names)} of {name} before the update failed, but the state keeps the "
                "earlier value."
            )


def _list_known_changes(change: JsonObject) -> set[str]:
    return {*change["changed"]} - {*change["unknown"]}
