"""Steps of the provider acceptance test, in order."""

from dataclasses import dataclass

PLAN_ARGUMENTS = ("plan", "-no-color", "-detailed-exitcode")
DESTROY_ARGUMENTS = ("destroy", "-no-color", "-auto-approve")


@dataclass(frozen=True, slots=True)
class ProviderLifecycleStep:
    """One command. `words`: the arguments of Terraform, empty for a direct start of the provider. `needs`: the step
    that must succeed before. `config`: the configuration to write first. `plan`: the plan file. `state`: the state to
    restore first, "kept" (before the destroy) or "none". `reads_state`: whether to read the state afterwards.
    `seconds`: timeout.
    """

    key: str
    title: str
    words: tuple[str, ...] = ()
    needs: str = ""
    config: str = ""
    plan: str = ""
    state: str = ""
    reads_state: bool = False
    seconds: float = 0

    def argv(self) -> tuple[str, ...]:
        """Return the arguments of Terraform."""
        return (*self.words, f"-out={self.plan}") if self.plan else self.words


STEPS = (
    ProviderLifecycleStep("direct", "Start the executable directly", seconds=10),
    ProviderLifecycleStep("init", "Install the provider with Terraform", ("init", "-no-color")),
    ProviderLifecycleStep("validate", "Validate the configuration", ("validate", "-no-color"), "init"),
    ProviderLifecycleStep("refused", "Plan an incomplete configuration", PLAN_ARGUMENTS, "init", "refused"),
    ProviderLifecycleStep("plan", "Plan the configuration", PLAN_ARGUMENTS, "init", "base", "base.plan"),
    ProviderLifecycleStep("apply", "Apply the plan", ("apply", "-no-color", "base.plan"), "plan", reads_state=True),
    ProviderLifecycleStep("again", "Plan the configuration again", PLAN_ARGUMENTS, "apply", plan="again.plan"),
    ProviderLifecycleStep(
        "change", "Plan the changed configuration", PLAN_ARGUMENTS, "apply", "changed", "change.plan"
    ),
    ProviderLifecycleStep(
        "update", "Apply the change", ("apply", "-no-color", "change.plan"), "change", reads_state=True
    ),
    ProviderLifecycleStep(
        "settled", "Plan the changed configuration again", PLAN_ARGUMENTS, "update", plan="settled.plan"
    ),
    ProviderLifecycleStep("destroy", "Destroy everything", DESTROY_ARGUMENTS, "apply", reads_state=True),
    ProviderLifecycleStep("gone", "Plan with the earlier state", PLAN_ARGUMENTS, "destroy", "", "gone.plan", "kept"),
    ProviderLifecycleStep(
        "gone_destroy",
        "Destroy deleted objects again",
        (*DESTROY_ARGUMENTS, "-refresh=false"),
        "destroy",
        state="kept",
        reads_state=True,
    ),
    ProviderLifecycleStep(
        "partial",
        "Apply the partially failing configuration",
        ("apply", "-no-color", "-auto-approve"),
        "init",
        "partial",
        state="none",
        reads_state=True,
    ),
    ProviderLifecycleStep(
        "partial_destroy", "Destroy the remains of the failed apply", DESTROY_ARGUMENTS, "partial", reads_state=True
    ),
)
CLEANUP = ProviderLifecycleStep("cleanup", "Destroy the remaining objects", DESTROY_ARGUMENTS, reads_state=True)
OPTIONAL_STEPS = ("refused", "partial", "partial_destroy")
STEPS_AFTER_FAILURE = (
    "partial_destroy",
)  # made although the step that it needs did not go well: that is what it is for
ALWAYS_SHOWN_STEPS = ("plan", "change", "gone")
EMPTY_STATE = b""


def list_steps(*, has_refused: bool, has_partial: bool) -> tuple[ProviderLifecycleStep, ...]:
    """Return the steps for the given optional inputs."""
    excluded_keys = set() if has_refused else {"refused"}
    excluded_keys |= set() if has_partial else {"partial", "partial_destroy"}
    return tuple(step for step in STEPS if step.key not in excluded_keys)
