"""Rules for changes in place."""

from collections.abc import Iterator, Mapping

from portal.core.value_types import JsonObject
from verification.testruns.kinds.provider_lifecycle import plan_parsing
from verification.testruns.kinds.provider_lifecycle.judging import (
    INCONSISTENT_RESULT_ERROR,
    check_plan_readable,
    check_succeeded,
    require_command,
)
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords, extract_error, join_words
from verification.testruns.rule_results import (
    RuleOutcome,
    choose_worst,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)

RequestedChanges = dict[str, set[str]]


def check_change_plan(records: ProviderLifecycleRecords) -> RuleOutcome:
    """Check that the change is planned in place."""
    plan_command, command = require_command(records, "plan"), require_command(records, "change")
    failure = check_succeeded(command) or check_plan_readable(plan_command) or check_plan_readable(command)
    if failure or plan_command.plan is None or command.plan is None:
        return failure or report_failure(command.sentence)
    requested_changes, planned_changes = (
        plan_parsing.compare_expressions(plan_command.plan, command.plan),
        plan_parsing.select_changes(command.plan),
    )
    if not requested_changes and not planned_changes:
        return report_not_run("Both configurations are equivalent, so we couldn't test this rule.")
    if not planned_changes:
        return report_failure(
            f"The plan contains no change, although the configuration changes {_describe_changes(requested_changes)}."
        )
    failures = [
        *_find_unrequested_changes(requested_changes, planned_changes, command.plan),
        *_find_missing_changes(requested_changes, planned_changes),
    ]
    descriptions = [f"{name} ({join_words(each['changed'], 6)})" for name, each in planned_changes.items()]
    return choose_worst(
        failures, report_pass(f"The plan changes {join_words(descriptions)} in place, and nothing else.")
    )


def _describe_changes(requested_changes: RequestedChanges) -> str:
    return join_words(f"{name} ({join_words(sorted(names), 6)})" for name, names in requested_changes.items())


def _find_unrequested_changes(
    requested_changes: RequestedChanges, planned_changes: JsonObject, plan: JsonObject
) -> Iterator[RuleOutcome]:
    for name, change in planned_changes.items():
        if change["actions"] != ["update"]:
            yield report_failure(_describe_other_action(name, change))
            continue
        expressions = plan["expressions"].get(_strip_index(name), {})
        requested_names = requested_changes.get(_strip_index(name), set())
        derived_names = {
            key for key, each in expressions.items() if _has_reference(each)
        }  # may follow from another change
        extra_names = set(change["changed"]) - requested_names - derived_names
        if not extra_names or _is_in_module(name):
            continue
        if "id" in extra_names:
            yield report_failure(f"{name} gets a new ID despite the change in place. References to it break.")
        unrequested_names = sorted(key for key in extra_names if not _is_unknown(change, key))
        if unrequested_names:
            yield report_failure(
                f"{name} also changes {join_words(unrequested_names, 6)}, which the configuration doesn't change."
            )
        unknown_names = sorted(extra_names - {"id", *unrequested_names})
        if unknown_names:
            yield report_warning(
                f"{name}: {join_words(unknown_names, 6)} would be unknown until the apply, although the "
                "configuration doesn't change it."
            )


def _find_missing_changes(
    requested_changes: RequestedChanges, planned_changes: Mapping[str, object]
) -> Iterator[RuleOutcome]:
    """Return attributes that differ in the configuration but not in the plan."""
    for name, names in requested_changes.items():
        changes = [change for address, change in planned_changes.items() if _strip_index(address) == name]
        if not changes and names and not name.startswith("module."):
            yield report_failure(
                f"{name} doesn't change, although the configuration changes {join_words(sorted(names), 6)}."
            )


def _describe_other_action(name: str, change: JsonObject) -> str:
    if sorted(change["actions"]) == ["create", "delete"]:
        reason = f" because of {join_words(change['replaces'], 6)}" if change["replaces"] else ""
        return f"{name} would be replaced{reason}, not changed in place."
    verbs = {"create": "created", "delete": "destroyed"}
    return f"{name} would be {verbs.get(change['actions'][0], change['actions'][0])}, not changed in place."


def _strip_index(address: str) -> str:
    """Return the address without the indexes of counted resources."""
    return address.partition("[")[0] if address.endswith("]") else address


def _is_in_module(address: str) -> bool:
    return address.startswith("module.")


def _has_reference(expression: object) -> bool:
    """Return whether the value depends on another object."""
    if isinstance(expression, dict):
        return "references" in expression or any(_has_reference(each) for each in expression.values())
    return isinstance(expression, list) and any(_has_reference(each) for each in expression)


def _is_unknown(change: JsonObject, name: str) -> bool:
    return bool((change["unknown"] or {}).get(name))


def check_change_apply(records: ProviderLifecycleRecords) -> RuleOutcome:
    """Check that the change was applied."""
    command = require_command(records, "update")
    if INCONSISTENT_RESULT_ERROR in command.errors:
        return report_failure(f"The result differs from the plan. {extract_error(command)}")
    return check_succeeded(command) or report_pass("The change was applied.")
