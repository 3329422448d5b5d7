"""Which rules does a provider keep through a lifecycle? The table, and the verdict of each on what was seen."""

from verification.outcomes import Outcome, get_worst_outcome
from verification.testruns.kinds.provider_lifecycle.judging import ProviderLifecycleRule
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords
from verification.testruns.kinds.provider_lifecycle.rules import create, destroy, update
from verification.testruns.kinds.run_task.judging import RuleResult

RULES_VERSION = 1
RULES = (
    ProviderLifecycleRule(
        "direct",
        "Started directly, it says that it is a plugin",
        "Serve through the plugin library, which prints the notice and ends where Terraform's cookie is missing.",
        ("direct",),
        create.check_direct_start,
    ),
    ProviderLifecycleRule(
        "init",
        "Terraform installs it",
        "Look at the executable's name and platform.",
        ("init",),
        create.check_installation,
    ),
    ProviderLifecycleRule(
        "validate",
        "The configuration is valid",
        "Mend the configuration, or the schema.",
        ("validate",),
        create.check_validation,
    ),
    ProviderLifecycleRule(
        "refused",
        "An incomplete configuration is refused",
        "Mark what is needed as required in the schema, so that the plan fails and not the apply.",
        ("refused",),
        create.check_refusal,
    ),
    ProviderLifecycleRule(
        "plan",
        "The plan creates what is configured",
        "Look at the error, and at what the plan says.",
        ("plan",),
        create.check_plan,
    ),
    ProviderLifecycleRule(
        "apply",
        "The apply makes it, and the state holds it",
        "Return an error instead of breaking down, and set the state to what was planned.",
        ("plan", "apply"),
        create.check_apply,
    ),
    ProviderLifecycleRule(
        "again",
        "A second plan changes nothing",
        "Read each attribute back as it was configured, or normalize it in one place.",
        ("again",),
        create.check_repeated_plan,
    ),
    ProviderLifecycleRule(
        "change.plan",
        "The change is planned in place, and nothing else",
        "Plan only what the configuration changes; let computed attributes keep their values, the id above all.",
        ("plan", "change"),
        update.check_change_plan,
    ),
    ProviderLifecycleRule(
        "change.apply",
        "The change is made",
        "Return an error instead of breaking down.",
        ("update",),
        update.check_change_apply,
    ),
    ProviderLifecycleRule(
        "change.again",
        "After the change, a plan changes nothing",
        "Change at the service what the plan says; then read it back.",
        ("settled",),
        create.check_plan_after_change,
    ),
    ProviderLifecycleRule(
        "destroy",
        "Everything is destroyed",
        "Look at the error; the state must be empty afterwards.",
        ("destroy",),
        destroy.check_destroy,
    ),
    ProviderLifecycleRule(
        "gone",
        "What is gone is noticed",
        "Remove an object from the state in Read when the service does not know it any more.",
        ("gone",),
        destroy.check_drift_detection,
    ),
    ProviderLifecycleRule(
        "gone.destroy",
        "What is gone can be destroyed",
        "Take “not found” as success in Delete.",
        ("gone_destroy",),
        destroy.check_repeated_destroy,
    ),
    ProviderLifecycleRule(
        "partial",
        "A failure halfway keeps what was made",
        "Set the id as soon as the object exists, before the next call that may fail.",
        (),
        destroy.check_partial_failure,
    ),
    ProviderLifecycleRule(
        "secrets.output",
        "No credential is printed",
        "Keep credentials out of errors, warnings and logs, and change the one that came out.",
        (),
        destroy.check_output_secrets,
    ),
    ProviderLifecycleRule(
        "secrets.state",
        "No credential stands unmarked in the state",
        "Mark the attribute as sensitive, or do not keep it.",
        ("change",),
        destroy.check_state_secrets,
    ),
    ProviderLifecycleRule(
        "left",
        "Nothing is left behind",
        "Destroy what is left by hand, and mend what kept it.",
        (),
        destroy.check_cleanup,
    ),
)
OPTIONAL_RULES = ("partial", "secrets.output", "secrets.state")


def judge(records: ProviderLifecycleRecords) -> tuple[RuleResult, ...]:
    """The verdict of each rule, in the table's order."""
    return tuple(rule.judge(records) for rule in RULES)


def compute_outcome(results: tuple[RuleResult, ...]) -> Outcome:
    """What decides for all. What was not given cannot be shown and decides nothing."""
    return get_worst_outcome(
        result.outcome
        for result in results
        if not (result.rule in OPTIONAL_RULES and result.outcome == Outcome.NOT_RUN)
    )
