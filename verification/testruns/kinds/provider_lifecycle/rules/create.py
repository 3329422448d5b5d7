"""Does the provider start, take a configuration, refuse an incomplete one, and make what is planned?"""

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
from verification.testruns.kinds.run_task.judging import (
    RuleOutcome,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)

NOTICE_PHRASES = ("plugin", "not meant to be executed directly")


def check_direct_start(records: ProviderLifecycleRecords) -> RuleOutcome:
    command = require_command(records, "direct")
    output = " ".join(f"{command.output} {command.errors}".lower().split())
    if command.ended != REASON_FINISHED:
        return report_failure(f"It does not say that it is a plugin, and does not end by itself. {command.sentence}")
    if not all(phrase in output for phrase in NOTICE_PHRASES):
        return report_warning("It ends, but does not say that it is a plugin.")
    if command.code == 0:
        return report_warning("It says that it is a plugin, and ends with exit code 0 as if it had done something.")
    return report_pass("It says that it is a plugin, and ends.")


def check_installation(records: ProviderLifecycleRecords) -> RuleOutcome:
    return check_succeeded(require_command(records, "init")) or report_pass("Terraform finds and installs it.")


def check_validation(records: ProviderLifecycleRecords) -> RuleOutcome:
    return check_succeeded(require_command(records, "validate")) or report_pass(
        "The configuration fits the provider's schema."
    )


def check_refusal(records: ProviderLifecycleRecords) -> RuleOutcome:
    command = require_command(records, "refused")
    if command.ended != REASON_FINISHED:
        return check_succeeded(command) or report_failure(command.sentence)
    if command.code == 1:
        return report_pass(f"It is refused: {extract_error(command)}")
    if PROBE_NAME in command.output:
        return report_warning("A resource of which nothing is said is planned: nothing of it is required. "
                      "Give a configuration of your own that must be refused.")  # fmt: skip
    return report_failure("The configuration that must be refused is planned.")


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
        return report_not_run("The configuration makes nothing, so nothing was shown.")
    return report_pass(f"It creates {join_words(select_changes(command.plan))}.")


def _describe_actions(changes: dict[str, dict[str, list[str]]]) -> str:
    return join_words(" and ".join(each["actions"]) for each in changes.values())


def check_apply(records: ProviderLifecycleRecords) -> RuleOutcome:
    command, plan = require_command(records, "apply"), require_command(records, "plan").plan or {"changes": {}}
    if INCONSISTENT_RESULT_ERROR in command.errors:
        return report_failure(f"What was made is not what was planned. {extract_error(command)}")
    failure = check_succeeded(command)
    if failure:
        return failure
    missing = sorted({*select_changes(plan)} - {*(command.state or ())})
    if missing:
        return report_failure(f"The apply ended well, but the state does not hold {join_words(missing)}.")
    return report_pass(f"It was made, and the state holds {join_words(command.state or ())}.")


def check_repeated_plan(records: ProviderLifecycleRecords) -> RuleOutcome:
    return check_no_changes(records, "again", "The same configuration")


def check_plan_after_change(records: ProviderLifecycleRecords) -> RuleOutcome:
    return check_no_changes(records, "settled", "The changed configuration")


def check_no_changes(records: ProviderLifecycleRecords, step_key: str, subject: str) -> RuleOutcome:
    """Nothing changes in a plan of what was just applied."""
    command = require_command(records, step_key)
    failure = check_succeeded(command)
    if failure:
        return failure
    if command.code == 0:
        return report_pass(f"{subject} planned again changes nothing.")
    changes = select_changes(command.plan or {"changes": {}})
    descriptions = [f"{name} ({join_words(each['changed'], 6)})" for name, each in changes.items()]
    return report_failure(f"{subject} planned again would change {join_words(descriptions) or 'something'}.")
