"""Rules of the provider acceptance test."""

from verification.outcomes import Outcome, get_worst_outcome
from verification.testruns.kinds.provider_lifecycle.judging import ProviderLifecycleRule
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords
from verification.testruns.kinds.provider_lifecycle.rules import create, destroy, update
from verification.testruns.rule_results import RuleResult

RULES_VERSION = 1
RULES = (
    ProviderLifecycleRule(
        "direct",
        "Direct start identifies the plugin",
        "Serve through the plugin library. It prints a notice and exits if Terraform's cookie is missing.",
        ("direct",),
        create.check_direct_start,
    ),
    ProviderLifecycleRule(
        "init",
        "Installation by Terraform",
        "Check the executable's name and platform.",
        ("init",),
        create.check_installation,
    ),
    ProviderLifecycleRule(
        "validate",
        "Valid configuration",
        "Fix the configuration or the schema.",
        ("validate",),
        create.check_validation,
    ),
    ProviderLifecycleRule(
        "refused",
        "Incomplete configuration rejected",
        "Mark required attributes in the schema so that the plan fails, not the apply.",
        ("refused",),
        create.check_refusal,
    ),
    ProviderLifecycleRule(
        "plan",
        "Plan creates the configured resources",
        "Check the error and the plan.",
        ("plan",),
        create.check_plan,
    ),
    ProviderLifecycleRule(
        "apply",
        "Apply creates the resources and updates the state",
        "Return an error instead of crashing, and set the state to the planned values.",
        ("plan", "apply"),
        create.check_apply,
    ),
    ProviderLifecycleRule(
        "again",
        "Second plan without changes",
        "Read each attribute back as configured, or normalize it in one place.",
        ("again",),
        create.check_repeated_plan,
    ),
    ProviderLifecycleRule(
        "change.plan",
        "Change planned in place",
        "Plan only the configured changes. Computed attributes, such as the ID, must keep their values.",
        ("plan", "change"),
        update.check_change_plan,
    ),
    ProviderLifecycleRule(
        "change.apply",
        "Change applied",
        "Return an error instead of crashing.",
        ("update",),
        update.check_change_apply,
    ),
    ProviderLifecycleRule(
        "change.again",
        "Plan after the change without changes",
        "Apply the planned change at the service, then read it back.",
        ("settled",),
        create.check_plan_after_change,
    ),
    ProviderLifecycleRule(
        "destroy",
        "Everything destroyed",
        "Check the error. The state must be empty afterwards.",
        ("destroy",),
        destroy.check_destroy,
    ),
    ProviderLifecycleRule(
        "gone",
        "External deletion detected",
        "In Read, remove an object from the state if the service no longer has it.",
        ("gone",),
        destroy.check_drift_detection,
    ),
    ProviderLifecycleRule(
        "gone.destroy",
        "Deleted objects can be destroyed",
        "Treat “not found” as success in Delete.",
        ("gone_destroy",),
        destroy.check_repeated_destroy,
    ),
    ProviderLifecycleRule(
        "partial",
        "Partial failure keeps created objects",
        "Set the ID as soon as the object exists, before the next call that can fail.",
        (),
        destroy.check_partial_failure,
    ),
    ProviderLifecycleRule(
        "secrets.output",
        "No credential printed",
        "Keep credentials out of errors, warnings, and logs. Rotate the printed credential.",
        (),
        destroy.check_output_secrets,
    ),
    ProviderLifecycleRule(
        "secrets.state",
        "No unmarked credential in the state",
        "Mark the attribute as sensitive, or don't store it.",
        ("change",),
        destroy.check_state_secrets,
    ),
    ProviderLifecycleRule(
        "left",
        "Complete cleanup",
        "Destroy the leftover resources yourself, and fix the cause.",
        (),
        destroy.check_cleanup,
    ),
)
OPTIONAL_RULES = ("partial", "secrets.output", "secrets.state")


def judge(records: ProviderLifecycleRecords) -> tuple[RuleResult, ...]:
    """Return the result of each rule, in the order of the table."""
    return tuple(rule.judge(records) for rule in RULES)


def compute_outcome(results: tuple[RuleResult, ...]) -> Outcome:
    """Return the overall outcome. Rules without input don't count."""
    return get_worst_outcome(
        result.outcome
        for result in results
        if not (result.rule in OPTIONAL_RULES and result.outcome == Outcome.NOT_RUN)
    )
