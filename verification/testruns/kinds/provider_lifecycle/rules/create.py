"""Rules for start, validation and creation."""

from verification.testruns.kinds.provider_lifecycle.judging import (
    INCONSISTENT_RESULT_ERROR,
    check_plan_readable,
    check_succeeded,
    require_command,
)
from verification.testruns.kinds.provider_lifecycle.plan_parsing import select_changes
from verification.testruns.kinds.provider_lifecycle.records import (
    REASON_FINISHED,
    ProviderLifecycleRecords,
    extract_error,
    join_words,
)
from verification.testruns.kinds.provider_lifecycle.workspace import PROBE_NAME
from verification.testruns.rule_results import RuleOutcome, report_failure, report_not_run, report_pass, report_warning

NOTICE_PHRASES = ("plugin", "not meant to be executed directly")


def check_direct_start(records: ProviderLifecycleRecords) -> RuleOutcome:
    command = require_command(records, "direct")
    output = " ".join(f"{command.output} {command.errors}".lower().split())
    if command.ended != REASON_FINISHED:
        return report_failure(f"The provider prints no notice that it is a plugin and doesn't exit. {command.sentence}")
    if not all(phrase in output for phrase in NOTICE_PHRASES):
        return report_warning("The provider exits, but prints no notice that it is a plugin.")
    if command.code == 0:
        return report_warning("The provider prints its notice, but exits with code 0 as if it succeeded.")
    return report_pass("The provider prints its notice and exits.")


def check_installation(records: ProviderLifecycleRecords) -> RuleOutcome:
    return check_succeeded(require_command(records, "init")) or report_pass(
        "Terraform finds and installs the provider."
    )


def check_validation(records: ProviderLifecycleRecords) -> RuleOutcome:
    return check_succeeded(require_command(records, "validate")) or report_pass(
        "The configuration matches the provider's schema."
    )


def check_refusal(records: ProviderLifecycleRecords) -> RuleOutcome:
    command = require_command(records, "refused")
    if command.ended != REASON_FINISHED:
        return check_succeeded(command) or report_failure(command.sentence)
    if command.code == 1:
        return report_pass(f"The configuration is rejected: {extract_error(command)}")
    if PROBE_NAME in command.output:
        return report_warning(
            "An empty resource block is planned because the schema requires "
            "nothing. Enter your own invalid "
            "configuration."
        )
    return report_failure("The plan accepts the invalid configuration.")


def check_plan(records: ProviderLifecycleRecords) -> RuleOutcome:
    command = require_command(records, "plan")
    failure = check_succeeded(command) or check_plan_readable(command)
    if failure or command.plan is None:
        return failure or report_failure(command.sentence)
    others = {name: each for name, each in select_changes(command.plan).items() if each["actions"] != ["create"]}
    if others:
        return report_failure(
            f"With an empty state, {join_words(others)} would not be created but {_describe_actions(others)}."
        )
    if not select_changes(command.plan):
        return report_not_run("The configuration creates nothing, so we couldn't test this rule.")
    return report_pass(f"The plan creates {join_words(select_changes(command.plan))}.")


def _describe_actions(changes: dict[str, dict[str, list[str]]]) -> str:
    return join_words(" and ".join(each["actions"]) for each in changes.values())


def check_apply(records: ProviderLifecycleRecords) -> RuleOutcome:
    command, plan = require_command(records, "apply"), require_command(records, "plan").plan or {"changes": {}}
    if INCONSISTENT_RESULT_ERROR in command.errors:
        return report_failure(f"The result differs from the plan. {extract_error(command)}")
    failure = check_succeeded(command)
    if failure:
        return failure
    missing = sorted({*select_changes(plan)} - {*(command.state or ())})
    if missing:
        return report_failure(f"The apply succeeded, but the state doesn't contain {join_words(missing)}.")
    return report_pass(f"The apply succeeded, and the state contains {join_words(command.state or ())}.")


def check_repeated_plan(records: ProviderLifecycleRecords) -> RuleOutcome:
    return check_no_changes(records, "again", "The same configuration")


def check_plan_after_change(records: ProviderLifecycleRecords) -> RuleOutcome:
    return check_no_changes(records, "settled", "The changed configuration")


def check_no_changes(records: ProviderLifecycleRecords, step_key: str, subject: str) -> RuleOutcome:
    """Return the result for a plan of the configuration that was just applied."""
    command = require_command(records, step_key)
    failure = check_succeeded(command)
    if failure:
        return failure
    if command.code == 0:
        return report_pass(f"{subject} causes no changes when planned again.")
    changes = select_changes(command.plan or {"changes": {}})
    descriptions = [f"{name} ({join_words(each['changed'], 6)})" for name, each in changes.items()]
    return report_failure(f"{subject} would change {join_words(descriptions) or 'something'} when planned again.")
