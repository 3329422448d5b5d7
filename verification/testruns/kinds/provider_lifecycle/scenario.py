"""Which steps has a lifecycle, and in which order? The table that the driver follows."""

from dataclasses import dataclass

PLAN = ("plan", "-no-color", "-detailed-exitcode")
DESTROY = ("destroy", "-no-color", "-auto-approve")


@dataclass(frozen=True, slots=True)
class Step:
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
    asks: bool = False
    seconds: float = 0

    def argv(self) -> tuple[str, ...]:
        """The words for Terraform."""
        return (*self.words, f"-out={self.plan}") if self.plan else self.words


STEPS = (
    Step("direct", "The executable is started directly", seconds=10),
    Step("init", "Terraform installs the provider", ("init", "-no-color")),
    Step("validate", "The configuration is validated", ("validate", "-no-color"), "init"),
    Step("refused", "An incomplete configuration is planned", PLAN, "init", "refused"),
    Step("plan", "The configuration is planned", PLAN, "init", "base", "base.plan"),
    Step("apply", "The plan is applied", ("apply", "-no-color", "base.plan"), "plan", asks=True),
    Step("again", "The same is planned again", PLAN, "apply", plan="again.plan"),
    Step("change", "The changed configuration is planned", PLAN, "apply", "changed", "change.plan"),
    Step("update", "The change is applied", ("apply", "-no-color", "change.plan"), "change", asks=True),
    Step("settled", "The changed configuration is planned again", PLAN, "update", plan="settled.plan"),
    Step("destroy", "Everything is destroyed", DESTROY, "apply", asks=True),
    Step("gone", "What is gone is planned, with the state of before", PLAN, "destroy", "", "gone.plan", "kept"),
    Step("gone_destroy", "What is gone is destroyed once more", (*DESTROY, "-refresh=false"), "destroy", state="kept",
         asks=True),
    Step("partial", "An apply that is to fail halfway", ("apply", "-no-color", "-auto-approve"), "init", "partial",
         state="none", asks=True),
    Step("partial_destroy", "What it left is destroyed", DESTROY, "partial", asks=True),
)  # fmt: skip
CLEANUP = Step("cleanup", "What is left is destroyed", DESTROY, asks=True)
OPTIONAL = ("refused", "partial", "partial_destroy")
EVEN_AFTER = ("partial_destroy",)  # made although the step that it needs did not go well: that is what it is for
SHOWN_ALWAYS = ("plan", "change", "gone")
EMPTY_STATE = b""


def script(*, refused: bool, partial: bool) -> tuple[Step, ...]:
    """The steps that there are for what was given."""
    left_out = set() if refused else {"refused"}
    left_out |= set() if partial else {"partial", "partial_destroy"}
    return tuple(step for step in STEPS if step.key not in left_out)
