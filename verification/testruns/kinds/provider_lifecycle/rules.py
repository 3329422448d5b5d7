"""Rules of the provider acceptance test. Their texts are in content/rules.yaml."""

from pathlib import Path

from portal.core.value_types import JsonObject
from verification.outcomes import Outcome
from verification.testruns.kinds.provider_lifecycle import plan_comparison
from verification.testruns.kinds.provider_lifecycle.config import PROBE_NAME
from verification.testruns.kinds.provider_lifecycle.records import CommandRecord, ProviderLifecycleRecords
from verification.testruns.rules import (
    RuleCatalog,
    RuleOutcome,
    join_words,
    report_error,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)
from verification.testruns.terraform_cli import build_source_address

RULES = RuleCatalog(Path(__file__).parent / "content" / "rules.yaml")
# Writing Custom Providers quotes the notice: “These are not meant to be executed directly.”
NOTICE_PHRASES = ("plugin", "not meant to be executed directly")
UNREADABLE_PLAN = RuleOutcome(Outcome.ERROR, "We couldn't read Terraform's plan. No action needed.")
LEFTOVER_ADVICE = "Check your test account for leftover resources."


@RULES.check("direct")
def check_direct_start(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    output = " ".join(f"{command.output} {command.errors}".lower().split())
    if not command.has_finished:
        return report_failure(f"The provider prints no notice that it is a plugin and doesn't exit. {command.message}")
    if not all(phrase in output for phrase in NOTICE_PHRASES):
        return report_warning("The provider exits, but prints no notice that it is a plugin.")
    if command.code == 0:
        return report_warning("The provider prints its notice, but exits with code 0 as if it succeeded.")
    return report_pass("The provider prints its notice and exits.")


@RULES.check("refused")
def check_refusal(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    if not command.has_finished:
        return report_failure(command.message)
    if command.code == 1:
        return report_pass(f"The configuration is rejected: {command.error}")
    # Only a warning: an empty resource block is our guess, and a schema without required arguments accepts it.
    if PROBE_NAME in command.output:
        return report_warning(
            "An empty resource block is planned because the schema requires nothing. Enter your own invalid "
            "configuration."
        )
    return report_failure("The plan accepts the invalid configuration.")


@RULES.check("plan")
def check_plan(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    if command.plan is None:
        return UNREADABLE_PLAN
    changes = plan_comparison.select_changes(command.plan)
    others = {name: each["actions"] for name, each in changes.items() if each["actions"] != ["create"]}
    if others:
        actions = join_words(f"{name} ({' and '.join(verbs)})" for name, verbs in others.items())
        return report_failure(f"With an empty state, the plan must only create objects. Other actions: {actions}.")
    if not changes:
        return report_not_run("The configuration creates nothing, so we couldn't test this rule.")
    return report_pass(f"The plan creates {join_words(changes)}.")


@RULES.check("apply")
def check_apply(records: ProviderLifecycleRecords, plan: CommandRecord, command: CommandRecord) -> RuleOutcome:
    state = command.state or ()
    missing = sorted({*plan_comparison.select_changes(plan.plan)} - {*state})
    if missing:
        return report_failure(f"The apply succeeded, but the state doesn't contain {join_words(missing)}.")
    return report_pass(f"The apply succeeded, and the state contains {join_words(state)}.")


@RULES.check("again")
@RULES.check("change.again")
def check_repeated_plan(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    """Check a plan of the configuration that was just applied."""
    subject = "The changed configuration" if command.key == "settled" else "The same configuration"
    if command.code == 0:
        return report_pass(f"{subject} causes no changes when planned again.")
    changes = plan_comparison.describe_changes(plan_comparison.select_changes(command.plan)) or "something"
    return report_failure(f"{subject} would change {changes} when planned again.")


@RULES.check("change.plan")
def check_change_plan(records: ProviderLifecycleRecords, plan: CommandRecord, command: CommandRecord) -> RuleOutcome:
    if plan.plan is None or command.plan is None:
        return UNREADABLE_PLAN
    return plan_comparison.check_changes_in_place(plan.plan, command.plan)


@RULES.check("failing.error")
def check_failed_update_error(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    # An apply can also hide the failure. The next plan shows whether the change happened.
    again = records.get_step("failed_again")
    return _explain_missing_update(command) or plan_comparison.check_failed_update_error(
        command, again.plan if again else None
    )


@RULES.check("failing.state")
def check_failed_update_state(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    """Check that the state after a failed update contains what the service has."""
    if not_run := _explain_missing_update(command):
        return not_run
    if command.is_good:
        return plan_comparison.UNEXPECTED_SUCCESS
    previous, recorded, actual = map(records.get_step, ("update", "failed_state", "failed_again"))
    if previous is None or recorded is None or actual is None:
        return records.explain_missing_step()
    # Writing Custom Providers: if an update makes the ID blank, Terraform takes the object for destroyed.
    if lost := sorted({*(previous.state or ())} - {*(command.state or ())}):
        return report_failure(
            f"After the failed update, the state no longer contains {join_words(lost)}. {LEFTOVER_ADVICE}"
        )
    if failure := recorded.find_failure() or actual.find_failure():
        return report_failure(f"After the failed update, the next plan fails. {failure.summary}")
    if recorded.plan is None or actual.plan is None:
        return UNREADABLE_PLAN
    return plan_comparison.check_failed_update_state(recorded.plan, actual.plan)


def _explain_missing_update(command: CommandRecord) -> RuleOutcome | None:
    """Return why the apply of the failing change can't be checked, None if it can."""
    # Terraform prints this when it calls the provider's Update. An earlier failure says nothing about it.
    if ": Modifying..." in command.output:
        return None
    reason = "" if command.is_good else f" {command.error}"
    return report_not_run(f"The apply updated nothing in place, so we couldn't test this rule.{reason}")


@RULES.check("destroy")
def check_destroy(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    if command.state:
        return report_failure(f"The destroy succeeded, but the state still contains {join_words(command.state)}.")
    return report_pass("Everything was destroyed, and the state is empty.")


@RULES.check("gone")
def check_drift_detection(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    """Check that the plan recreates objects that were destroyed outside the state."""
    if command.plan is None:
        return UNREADABLE_PLAN
    address = build_source_address(records.source)
    # Resources of Terraform itself, such as terraform_data, exist only in the state and can't be deleted elsewhere.
    changes: JsonObject = {name: each for name, each in command.plan["changes"].items() if each["provider"] == address}
    if not changes:
        return report_not_run("The state contained nothing of this provider, so we couldn't test this rule.")
    unnoticed = sorted(name for name, each in changes.items() if each["actions"] != ["create"])
    if unnoticed:
        verb = "is" if len(unnoticed) == 1 else "are"
        return report_failure(f"{join_words(unnoticed)} {verb} deleted, but the plan doesn't create a new one.")
    return report_pass(f"The plan creates {join_words(changes)} again after the deletion.")


@RULES.check("gone.destroy")
def check_repeated_destroy(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    # Writing Custom Providers: Destroy must handle an object that someone has already deleted.
    if command.code == 1 and command.has_finished:
        return report_failure(f"An object that no longer exists can't be destroyed. {command.error}")
    return command.find_failure() or report_pass("Destroying an object that no longer exists succeeds.")


@RULES.check("partial")
def check_partial_failure(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    """Check that objects created before a failure stay in the state."""
    if not command.has_finished:
        return report_failure(command.message)
    if command.code == 0:
        return plan_comparison.UNEXPECTED_SUCCESS
    # Terraform prints this when it calls the provider's Create.
    if ": Creating..." not in command.output:
        return report_not_run(
            f"The apply failed before it created anything, so we couldn't test this rule. {command.error}"
        )
    return _check_partial_state(command, records.get_step("partial_destroy"))


def _check_partial_state(command: CommandRecord, cleanup: CommandRecord | None) -> RuleOutcome:
    state = join_words(command.state or ())
    # Writing Custom Providers: an object whose Create returned an error is saved if its ID is set.
    if not command.state:
        return report_failure("The apply failed partway, and the state is empty. Created objects are lost.")
    if cleanup is not None and (not cleanup.is_good or cleanup.state):
        return report_failure(f"The state keeps {state}, but it can't be destroyed. {cleanup.error}")
    note = ", marked for replacement," if command.tainted else ""
    return report_pass(f"The apply failed partway. The state{note} keeps {state}, which could be destroyed.")


@RULES.check("secrets.output")
def check_output_secrets(records: ProviderLifecycleRecords) -> RuleOutcome:
    """Check that no output contains a credential."""
    names = join_words(name for command in records.steps for name in command.exposed)
    if names:
        titles = join_words(f"“{command.title}”" for command in records.steps if command.exposed)
        return report_failure(f"The value of {names} was printed in {titles}. We removed it here.")
    return report_pass("No credential was printed.") if records.get_step("apply") else records.explain_missing_step()


@RULES.check("secrets.state")
def check_state_secrets(records: ProviderLifecycleRecords, command: CommandRecord) -> RuleOutcome:
    """Check that the state contains no credential without a sensitive mark."""
    if not command.is_good:
        return report_not_run("The changed configuration can't be planned, so we couldn't test this rule.")
    if command.unmarked is None:
        return UNREADABLE_PLAN
    if command.unmarked:
        paths = join_words(command.unmarked)
        return report_failure(f"The state contains a credential that isn't marked as sensitive: {paths}.")
    return report_pass("The state contains no unmarked credential.")


@RULES.check("left")
def check_cleanup(records: ProviderLifecycleRecords) -> RuleOutcome:
    """Check that the final state is empty."""
    if not records.is_complete:
        return report_not_run("Not reached yet.")
    if records.broken:
        return report_error(f"{records.broken} {LEFTOVER_ADVICE}")
    if records.is_state_unknown:
        return report_warning(f"The last state can't be read. {LEFTOVER_ADVICE}")
    if records.last_state is None:
        return report_not_run("Nothing was created.")
    if records.last_state:
        return report_failure(f"{join_words(records.last_state)} couldn't be destroyed. {LEFTOVER_ADVICE}")
    for command in records.steps:
        # The service may have created what the provider didn't report, so only a person can see what is left.
        is_creating = command.key in ("apply", "update", "partial") and ": Creating..." in command.output
        if is_creating and not command.is_good and not command.state:
            return report_warning(
                f"“{command.title}” failed while creating something that isn't in any state. {LEFTOVER_ADVICE}"
            )
    return report_pass("The state is empty.")
