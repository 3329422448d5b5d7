"""Rules for destruction, external deletion, partial failures and secrets."""

from verification.outcomes import Outcome
from verification.testruns.kinds.provider_lifecycle.judging import (
    check_plan_readable,
    check_succeeded,
    explain_not_reached,
    require_command,
)
from verification.testruns.kinds.provider_lifecycle.plan_parsing import select_changes
from verification.testruns.kinds.provider_lifecycle.records import (
    REASON_FINISHED,
    CommandRecord,
    ProviderLifecycleRecords,
    extract_error,
    join_words,
)
from verification.testruns.kinds.provider_lifecycle.workspace import build_source_address
from verification.testruns.rule_results import RuleOutcome, report_failure, report_not_run, report_pass, report_warning


def check_destroy(records: ProviderLifecycleRecords) -> RuleOutcome:
    command = require_command(records, "destroy")
    if command.state:
        return check_succeeded(command) or report_failure(
            f"The destroy succeeded, but the state still contains {join_words(command.state)}."
        )
    return check_succeeded(command) or report_pass("Everything was destroyed, and the state is empty.")


def check_drift_detection(records: ProviderLifecycleRecords) -> RuleOutcome:
    """Check that the plan recreates objects that were destroyed outside the state."""
    command = require_command(records, "gone")
    failure = check_succeeded(command) or check_plan_readable(command)
    if failure or command.plan is None:
        return failure or report_failure(command.sentence)
    address = build_source_address(records.source)
    changes = {name: each for name, each in command.plan["changes"].items() if each["provider"] == address}
    if not changes:
        return report_not_run("The state contained nothing of this provider, so we couldn't test this rule.")
    unnoticed_names = sorted(
        name for name in changes if select_changes(command.plan).get(name, {}).get("actions") != ["create"]
    )
    if unnoticed_names:
        return report_failure(
            f"{join_words(unnoticed_names)} {_choose_verb(unnoticed_names)} deleted, but the plan doesn't "
            "create a new one."
        )
    return report_pass(f"The plan creates {join_words(changes)} again after the deletion.")


def _choose_verb(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def check_repeated_destroy(records: ProviderLifecycleRecords) -> RuleOutcome:
    command = require_command(records, "gone_destroy")
    if command.code == 1 and command.ended == REASON_FINISHED:
        return report_failure(f"An object that no longer exists can't be destroyed. {extract_error(command)}")
    return check_succeeded(command) or report_pass("Destroying an object that no longer exists succeeds.")


def check_partial_failure(records: ProviderLifecycleRecords) -> RuleOutcome:
    """Check that objects created before a failure stay in the state."""
    if not records.has_partial:
        return report_not_run("No partially failing configuration was supplied.")
    command, cleanup = records.get_command("partial"), records.get_command("partial_destroy")
    if command is None:
        return (
            (Outcome.ERROR, f"We couldn't run this rule: {records.broken}")
            if records.broken
            else report_not_run(explain_not_reached(records))
        )
    if command.ended != REASON_FINISHED:
        return report_failure(command.sentence)
    if command.code == 0:
        return report_not_run("The apply that should fail succeeded, so we couldn't test this rule.")
    if ": Creating..." not in command.output:
        return report_not_run(
            f"The apply failed before it created anything, so we couldn't test this rule. {extract_error(command)}"
        )
    if not command.state:
        return report_failure("The apply failed partway, and the state is empty. Created objects are lost.")
    if cleanup is not None and (not cleanup.is_good or cleanup.state):
        return report_failure(
            f"The state keeps {join_words(command.state)}, but it can't be destroyed. {extract_error(cleanup)}"
        )
    replacement_note = ", marked for replacement," if command.tainted else ""
    return report_pass(
        f"The apply failed partway. The state{replacement_note} keeps {join_words(command.state)}, which could "
        "be destroyed."
    )


def check_output_secrets(records: ProviderLifecycleRecords) -> RuleOutcome:
    """Check that no output contains a credential."""
    if not records.has_secrets:
        return report_not_run("No credentials were supplied, so none could be printed.")
    exposures = [(command, command.shown) for command in records.ran if command.shown]
    if exposures:
        names, titles = (
            join_words(name for _, secret_names in exposures for name in secret_names),
            join_words(f"“{command.title}”" for command, _ in exposures),
        )
        return report_failure(f"The value of {names} was printed in {titles}. We removed it here.")
    return (
        report_pass("No credential was printed.")
        if records.get_command("apply")
        else report_not_run(explain_not_reached(records))
    )


def check_state_secrets(records: ProviderLifecycleRecords) -> RuleOutcome:
    """Check that the state contains no credential without a sensitive mark."""
    if not records.has_secrets:
        return report_not_run("No credentials were supplied, so none could be stored.")
    command = require_command(records, "change")
    if command.unmarked:
        return report_failure(
            f"The state contains a credential that isn't marked as sensitive: {join_words(command.unmarked)}."
        )
    return check_plan_readable(command) or report_pass("The state contains no unmarked credential.")


def check_cleanup(records: ProviderLifecycleRecords) -> RuleOutcome:
    """Check that the final state is empty."""
    states = [command.state for command in records.ran if command.state is not None and command.act != "gone_destroy"]
    if not records.over:
        return report_not_run("Not reached yet.")
    if records.broken:
        return (
            Outcome.ERROR,
            f"We couldn't run this rule: {records.broken} Check your test account for leftover resources.",
        )
    if not states:
        return report_not_run("Nothing was created.")
    if states[-1]:
        return report_failure(
            f"{join_words(states[-1])} couldn't be destroyed. Check your test account for leftover resources."
        )
    creating_commands = (command for command in records.ran if command.act in ("apply", "update", "partial"))
    failed_command = next((command for command in creating_commands if _has_lost_objects(command)), None)
    if failed_command is not None:
        return report_warning(
            f"“{failed_command.title}” failed while creating something that isn't "
            "in any state. Check your test "
            "account for leftover resources."
        )
    return report_pass("The state is empty.")


def _has_lost_objects(command: CommandRecord) -> bool:
    """Return whether objects may exist that are not in the state."""
    return not command.is_good and ": Creating..." in command.output and not command.state
