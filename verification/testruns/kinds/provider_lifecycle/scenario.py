"""Which steps has a lifecycle, and in which order? The table that the driver follows."""

from dataclasses import dataclass

PLAN_ARGUMENTS = ("plan", "-no-color", "-detailed-exitcode")
DESTROY_ARGUMENTS = ("destroy", "-no-color", "-auto-approve")


@dataclass(frozen=True, slots=True)
class ProviderLifecycleStep:
    """One command. `words` for Terraform, none where the provider itself is started; `needs`: the step that must have
    gone well; `config`: which configuration is written first; `plan`: the file that a plan goes to; `state`: from
    where it is taken first: "kept" (that of before the destruction) or "none"; `asks`: whether the state is read
    afterwards; `seconds`: its own limit.
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
        """The words for Terraform."""
        return (*self.words, f"-out={self.plan}") if self.plan else self.words


STEPS = (
    ProviderLifecycleStep("direct", "The executable is started directly", seconds=10),
    ProviderLifecycleStep("init", "Terraform installs the provider", ("init", "-no-color")),
    ProviderLifecycleStep("validate", "The configuration is validated", ("validate", "-no-color"), "init"),
    ProviderLifecycleStep("refused", "An incomplete configuration is planned", PLAN_ARGUMENTS, "init", "refused"),
    ProviderLifecycleStep("plan", "The configuration is planned", PLAN_ARGUMENTS, "init", "base", "base.plan"),
    ProviderLifecycleStep(
        "apply", "The plan is applied", ("apply", "-no-color", "base.plan"), "plan", reads_state=True
    ),
    ProviderLifecycleStep("again", "The same is planned again", PLAN_ARGUMENTS, "apply", plan="again.plan"),
    ProviderLifecycleStep(
        "change", "The changed configuration is planned", PLAN_ARGUMENTS, "apply", "changed", "change.plan"
    ),
    ProviderLifecycleStep(
        "update", "The change is applied", ("apply", "-no-color", "change.plan"), "change", reads_state=True
    ),
    ProviderLifecycleStep(
        "settled", "The changed configuration is planned again", PLAN_ARGUMENTS, "update", plan="settled.plan"
    ),
    ProviderLifecycleStep("destroy", "Everything is destroyed", DESTROY_ARGUMENTS, "apply", reads_state=True),
    ProviderLifecycleStep(
        "gone", "What is gone is planned, with the state of before", PLAN_ARGUMENTS, "destroy", "", "gone.plan", "kept"
    ),
    ProviderLifecycleStep(
        "gone_destroy",
        "What is gone is destroyed once more",
        (*DESTROY_ARGUMENTS, "-refresh=false"),
        "destroy",
        state="kept",
        reads_state=True,
    ),
    ProviderLifecycleStep(
        "partial",
        "An apply that is to fail halfway",
        ("apply", "-no-color", "-auto-approve"),
        "init",
        "partial",
        state="none",
        reads_state=True,
    ),
    ProviderLifecycleStep(
        "partial_destroy", "What it left is destroyed", DESTROY_ARGUMENTS, "partial", reads_state=True
    ),
)
CLEANUP = ProviderLifecycleStep("cleanup", "What is left is destroyed", DESTROY_ARGUMENTS, reads_state=True)
OPTIONAL_STEPS = ("refused", "partial", "partial_destroy")
STEPS_AFTER_FAILURE = (
    "partial_destroy",
)  # made although the step that it needs did not go well: that is what it is for
ALWAYS_SHOWN_STEPS = ("plan", "change", "gone")
EMPTY_STATE = b""


def list_steps(*, has_refused: bool, has_partial: bool) -> tuple[ProviderLifecycleStep, ...]:
    """The steps that there are for what was given."""
    excluded_keys = set() if has_refused else {"refused"}
    excluded_keys |= set() if has_partial else {"partial", "partial_destroy"}
    return tuple(step for step in STEPS if step.key not in excluded_keys)
