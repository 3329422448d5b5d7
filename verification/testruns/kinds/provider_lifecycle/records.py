"""Input, steps, and records of a provider acceptance test: every command, without secrets."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from portal.core.content_files import load_content
from portal.core.value_types import JsonObject
from verification.sandbox.types import ExitReason
from verification.testruns.kinds.provider_lifecycle.config import build_incomplete_config
from verification.testruns.records import Record, SandboxTestRecords, StepDefinition, StepRecord
from verification.testruns.rules import Rule, RuleOutcome, report_failure, report_not_run

MAX_TEXT_CHARACTERS = 8000
FRAME_PATTERN = re.compile(r"^[│╷╵]\s?", re.MULTILINE)
ERROR_PATTERN = re.compile(
    r"^(?:│ )?Error: (.+?)\n(.*?)(?=^╵|^(?:│ )?(?:Error|Warning): |\Z)", re.MULTILINE | re.DOTALL
)
CRASH_MARKERS = (  # the message depends on which part of Terraform notices the crash first
    "plugin did not respond",
    "panic:",
    "plugin exited",
    "connection is shutting down",
    "unexpected eof",
    "request was cancelled",
)
INCONSISTENT_RESULT_ERROR = "Provider produced inconsistent result after apply"


class ProviderLifecycleStep(StepDefinition):
    """One command.

    Attributes:
        arguments: The arguments of Terraform, empty for a direct start of the provider.
        needs: The step that must succeed before, unless `follows_failure` is set.
        input: The optional input without which the step is skipped.
        config: The configuration to write first.
        plan: The file of the plan. A plan without changes is dropped unless `keeps_empty_plan` is set.
        state: The state to restore first: "before_destroy" or "empty".
        reads_state: Whether to read the state afterward.
        seconds: Timeout, 0 for that of the sandbox.
    """

    arguments: tuple[str, ...] = ()
    needs: str = ""
    follows_failure: bool = False
    input: str = ""
    config: str = ""
    plan: str = ""
    keeps_empty_plan: bool = False
    state: str = ""
    reads_state: bool = False
    seconds: int = 0


*STEPS, CLEANUP = load_content(Path(__file__).parent / "content" / "steps.yaml", tuple[ProviderLifecycleStep, ...])
# The second destroy does not count: its objects were gone.
STEPS_WITH_STATE = {step.key for step in (*STEPS, CLEANUP) if step.reads_state} - {"gone_destroy"}


@dataclass(frozen=True, slots=True)
class ProviderLifecycleTarget(Record):
    """The tested provider. `source`: its source address, such as "acme/anvil".

    `failing_change`: a configuration whose update fails. `refused`: one that the plan must reject. `partial`: one whose
    apply fails after it created something. All three can be blank. `environment` holds credentials, so repr omits it.
    """

    source: str
    version: str
    base: str
    changed: str
    failing_change: str = ""
    refused: str = ""
    partial: str = ""
    hosts: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class CommandRecord(StepRecord):
    """One command and its output. `status`: an exit reason of the sandbox. `code`: None if it was stopped.

    `plan`: the reduced plan, None without one. `state`: the addresses of the objects in the state afterward, None if
    it was not or could not be read; `tainted` lists those marked for replacement. `exposed`: the names of secrets in
    the output. `unmarked`: "address: path" of secrets in the state, None if it was not or could not be searched.
    """

    command: str = ""
    code: int | None = None
    output: str = ""
    errors: str = ""
    plan: JsonObject | None = None
    state: tuple[str, ...] | None = None
    tainted: tuple[str, ...] = ()
    exposed: tuple[str, ...] = ()
    unmarked: tuple[str, ...] | None = None

    @property
    def has_finished(self) -> bool:
        """Return whether the command exited on its own."""
        return self.status == ExitReason.FINISHED

    @property
    def is_good(self) -> bool:
        # Plans have -detailed-exitcode: 2 means success with changes. Other commands never exit with it.
        return self.has_finished and self.code in (0, 2)

    @property
    def line(self) -> str:
        ending = f"exit code {self.code}" if self.has_finished else self.status
        return f"{ending} after {self.seconds:.1f} s"

    @property
    def text(self) -> str:
        """Return the command and its output."""
        return "\n".join(each for each in (f"$ {self.command}", self.output.rstrip(), self.errors.rstrip()) if each)

    @property
    def error(self) -> str:
        """Return the first error of Terraform in one line: "Missing required argument: The argument …"."""
        return _find_first_error(self.errors) or _find_first_error(self.output) or self.message

    @property
    def has_crashed(self) -> bool:
        return any(marker in f"{self.errors}\n{self.output}".lower() for marker in CRASH_MARKERS)

    def find_failure(self) -> RuleOutcome | None:
        if INCONSISTENT_RESULT_ERROR in self.errors:
            return report_failure(f"The result differs from the plan. {self.error}")
        if self.is_good:
            return None
        if not self.has_finished:
            return report_failure(self.message)
        return report_failure(f"The provider crashed. {self.error}" if self.has_crashed else self.error)


def _find_first_error(text: str) -> str:
    match = ERROR_PATTERN.search(f"{text}\n")
    if not match:
        return ""
    lines = FRAME_PATTERN.sub("", match[2]).splitlines()
    # Indented lines quote the configuration, which doesn't explain the error.
    description = " ".join(line.strip() for line in lines if line.strip() and not line.startswith("  "))
    return f"{match[1].strip()}: {description[:400]}" if description else match[1].strip()


@dataclass(frozen=True, slots=True)
class ProviderLifecycleRecords(SandboxTestRecords[CommandRecord]):
    """All records of a test run so far. `inputs`: which of the optional inputs exist, such as refused or secrets."""

    steps: tuple[CommandRecord, ...] = ()
    source: str = ""
    inputs: tuple[str, ...] = ()
    decisive_steps: ClassVar[tuple[str, ...]] = ("init", "plan", "apply", "change", "update", "destroy")

    @classmethod
    def begin(cls, target: ProviderLifecycleTarget, *, has_secrets: bool = False) -> Self:
        values = {
            "refused": target.refused or build_incomplete_config(target.base),
            "partial": target.partial,
            "failing_change": target.failing_change,
            # The records begin before a saved test account is opened, so its values aren't in the target yet.
            "secrets": has_secrets or target.environment,
        }
        return cls(source=target.source, inputs=tuple(name for name, value in values.items() if value))

    @property
    def title(self) -> str:
        return f"Acceptance test of {self.source}"

    @property
    def last_state(self) -> tuple[str, ...] | None:
        """The objects in the last state that could be read, None without one."""
        states = [step.state for step in self.steps if step.state is not None and step.key in STEPS_WITH_STATE]
        return states[-1] if states else None

    @property
    def is_state_unknown(self) -> bool:
        """Return whether the state could not be read after the last step that can change it."""
        last_step = next((step for step in reversed(self.steps) if step.key in STEPS_WITH_STATE), None)
        return last_step is not None and last_step.state is None

    def list_rule_steps(self, rule: Rule) -> Sequence[CommandRecord] | RuleOutcome:
        if rule.input not in ("", *self.inputs) and not self.unavailable:
            return report_not_run(rule.missing_input)
        # A class with slots has no super() without arguments.
        return SandboxTestRecords.list_rule_steps(self, rule)

    def list_steps(self) -> list[ProviderLifecycleStep]:
        """Return the steps for the existing inputs."""
        return [step for step in STEPS if step.input in ("", *self.inputs)]


def shorten_text(text: str) -> str:
    """Return the beginning and the end of a long text."""
    if len(text) <= MAX_TEXT_CHARACTERS:
        return text
    # The command's purpose is at the beginning, and its errors are at the end.
    half = MAX_TEXT_CHARACTERS // 2
    return f"{text[:half]}\n… ({len(text) - MAX_TEXT_CHARACTERS} characters left out)\n{text[-half:]}"
