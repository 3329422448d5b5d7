"""Which rules does a provider keep through a lifecycle? The table, and the verdict of each on what was seen."""

from verification.outcomes import Outcome, worst
from verification.testruns.kinds.provider_lifecycle.judging import Rule
from verification.testruns.kinds.provider_lifecycle.records import Seen
from verification.testruns.kinds.provider_lifecycle.rules import create, destroy, update
from verification.testruns.kinds.run_task.judging import Verdict

VERSION = 1
RULES = (
    Rule("direct", "Started directly, it says that it is a plugin",
         "Serve through the plugin library, which prints the notice and ends where Terraform's cookie is missing.",
         ("direct",), create.direct),
    Rule("init", "Terraform installs it", "Look at the executable's name and platform.", ("init",),
         create.installed),
    Rule("validate", "The configuration is valid", "Mend the configuration, or the schema.", ("validate",),
         create.valid),
    Rule("refused", "An incomplete configuration is refused",
         "Mark what is needed as required in the schema, so that the plan fails and not the apply.", ("refused",),
         create.refused),
    Rule("plan", "The plan creates what is configured", "Look at the error, and at what the plan says.", ("plan",),
         create.planned),
    Rule("apply", "The apply makes it, and the state holds it",
         "Return an error instead of breaking down, and set the state to what was planned.", ("plan", "apply"),
         create.applied),
    Rule("again", "A second plan changes nothing",
         "Read each attribute back as it was configured, or normalise it in one place.", ("again",),
         create.unchanged),
    Rule("change.plan", "The change is planned in place, and nothing else",
         "Plan only what the configuration changes; let computed attributes keep their values, the id above all.",
         ("plan", "change"), update.in_place),
    Rule("change.apply", "The change is made", "Return an error instead of breaking down.", ("update",),
         update.changed),
    Rule("change.again", "After the change, a plan changes nothing",
         "Change at the service what the plan says; then read it back.", ("settled",), create.settled),
    Rule("destroy", "Everything is destroyed", "Look at the error; the state must be empty afterwards.", ("destroy",),
         destroy.destroyed),
    Rule("gone", "What is gone is noticed",
         "Remove an object from the state in Read when the service does not know it any more.", ("gone",),
         destroy.noticed),
    Rule("gone.destroy", "What is gone can be destroyed", "Take “not found” as success in Delete.", ("gone_destroy",),
         destroy.destroyed_when_gone),
    Rule("partial", "A failure halfway keeps what was made",
         "Set the id as soon as the object exists, before the next call that may fail.", (), destroy.kept),
    Rule("secrets.output", "No credential is printed",
         "Keep credentials out of errors, warnings and logs, and change the one that came out.", (), destroy.unshown),
    Rule("secrets.state", "No credential stands unmarked in the state",
         "Mark the attribute as sensitive, or do not keep it.", ("change",), destroy.marked),
    Rule("left", "Nothing is left behind", "Destroy what is left by hand, and mend what kept it.", (),
         destroy.nothing_left),
)  # fmt: skip
OPTIONAL = ("partial", "secrets.output", "secrets.state")


def judge(seen: Seen) -> tuple[Verdict, ...]:
    """The verdict of each rule, in the table's order."""
    return tuple(rule.judge(seen) for rule in RULES)


def outcome_of(verdicts: tuple[Verdict, ...]) -> Outcome:
    """What decides for all. What was not given cannot be shown and decides nothing."""
    return worst(each.outcome for each in verdicts if not (each.rule in OPTIONAL and each.outcome == Outcome.NOT_RUN))
