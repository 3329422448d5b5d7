"""Records of test runs: what a test observed, as dataclasses and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import ConfigDict

from portal.core.content_files import Content, build_adapter
from portal.core.value_types import JsonObject
from verification.testruns.rules import Rule, RuleOutcome, report_error, report_not_run


class Record:
    """Base of the dataclasses that are stored as JSON or sent to the sandbox."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(hide_input_in_errors=True)  # it can contain credentials

    @classmethod
    def load(cls, data: JsonObject) -> Self:
        """Return the record with this data, which as_dict() returned, before or after JSON."""
        record: Self = build_adapter(cls).validate_python(data)  # type: ignore[arg-type]
        return record

    def as_dict(self) -> JsonObject:
        return asdict(self)  # type: ignore[call-overload]


class StepDefinition(Content):
    """A step in the content file of a kind."""

    key: str
    title: str


@dataclass(frozen=True, slots=True)
class StepRecord(Record):
    """One step of a test. `status`: how it ended. `message` explains a status that is not obvious."""

    key: str
    title: str
    status: str
    message: str = ""
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        raise NotImplementedError

    @property
    def line(self) -> str:
        """Return how and when the step ended: "answered after 0.2 s"."""
        return f"{self.message.rstrip('.') or self.status} after {self.seconds:.1f} s"

    def find_failure(self) -> RuleOutcome | None:
        """Return the outcome of a rule that needs this step if the step failed, None otherwise."""
        raise NotImplementedError


StepT = TypeVar("StepT", bound=StepRecord)


@dataclass(frozen=True, slots=True)
class SandboxTestRecords(Record, Generic[StepT]):
    """All records of a test in the sandbox so far. Subclasses declare the type of their steps.

    `is_complete`: no more steps follow. `unavailable`: why no step is possible. `broken`: the error on our side that
    stopped the test run. `decisive_steps`: a failure of one of these steps explains why later ones were not reached.
    """

    steps: tuple[StepT, ...] = ()
    is_complete: bool = False
    unavailable: str = ""
    broken: str = ""
    decisive_steps: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def begin(cls, target: Any) -> Self:
        """Return the records of a test before its first step."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """The first line of the report."""
        raise NotImplementedError

    @property
    def variant(self) -> str:
        return ""

    def list_steps(self) -> Sequence[StepDefinition]:
        """Return all steps of the test."""
        raise NotImplementedError

    def get_step(self, key: str) -> StepT | None:
        return next((step for step in self.steps if step.key == key), None)

    def list_rule_steps(self, rule: Rule) -> Sequence[StepT] | RuleOutcome:
        """Return the records of the rule's steps, or the outcome if it can't be checked."""
        if self.unavailable:
            return report_not_run(self.unavailable)
        steps = [step for key in rule.steps if (step := self.get_step(key)) is not None]
        # A rule without evidence is not run, never passed.
        if len(steps) < len(rule.steps):
            return self.explain_missing_step()
        failure = None
        if steps and not rule.allows_failure:
            failure = steps[-1].find_failure()
        return failure or steps

    def interrupt(self, reason: str) -> Self:
        """Return the records of a test that can't continue. Before the first step, it has not begun."""
        if self.steps:
            # The interruption is an error of ours, and the earlier steps keep their results.
            return replace(self, broken=reason, is_complete=True)
        return replace(self, unavailable=f"Not run: {reason}", is_complete=True)

    def explain_missing_step(self) -> RuleOutcome:
        """Return the outcome of a rule whose steps were not reached."""
        # An error on our side explains every missing step, whatever failed before.
        if self.broken:
            return report_error(self.broken)
        if not self.is_complete:
            return report_not_run("Not reached yet.")
        failures = (step.title for step in self.steps if step.key in self.decisive_steps and not step.is_good)
        title = next(failures, "")
        return report_not_run(f"Not reached: “{title}” failed." if title else "Not reached.")
