"""Input and records of a Nomad plugin test: every call with its response."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from portal.core.content_files import load_content
from portal.core.value_types import JsonObject
from verification.testruns.records import Record, SandboxTestRecords, StepDefinition, StepRecord
from verification.testruns.rules import RuleOutcome, report_failure

STATUS_ANSWERED = "answered"
MAX_SHOWN_CHARACTERS = 20_000


class NomadPluginStep(StepDefinition):
    """A call. `variant`: the only plugin type that it applies to, blank for all."""

    variant: str = ""


STEPS = load_content(Path(__file__).parent / "content" / "steps.yaml", tuple[NomadPluginStep, ...])
STEP_TITLES = {step.key: step.title for step in STEPS}


@dataclass(frozen=True, slots=True)
class NomadPluginTarget(Record):
    """The submitted type of the tested plugin, its name and version (blank if unknown), and its configuration."""

    type: str
    name: str = ""
    version: str = ""
    config: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PluginCall(StepRecord):
    """One call and its response.

    `status`: "answered", a gRPC status such as "UNIMPLEMENTED", the key of a failed handshake, or an exit reason of the
    sandbox. `data`: the response, with the field names of the protocol.
    """

    data: JsonObject = field(default_factory=dict)

    @property
    def is_good(self) -> bool:
        return self.status == STATUS_ANSWERED

    @property
    def text(self) -> str:
        """Return the output or the response."""
        text = self.data.get("output") or (json.dumps(self.data, indent=2, ensure_ascii=False) if self.data else "")
        return text[:MAX_SHOWN_CHARACTERS]

    def find_failure(self) -> RuleOutcome | None:
        if self.is_good:
            return None
        # gRPC's own text for this status names no method.
        if self.status == "UNIMPLEMENTED":
            return report_failure(f"The plugin doesn't implement {self.title}.")
        return report_failure(self.message)


@dataclass(frozen=True, slots=True)
class NomadPluginRecords(SandboxTestRecords[PluginCall]):
    """All records of a test run so far."""

    steps: tuple[PluginCall, ...] = ()
    target: NomadPluginTarget = field(kw_only=True)
    config_problems: tuple[str, ...] = ()
    schema_problems: tuple[str, ...] = ()
    task_schema_problems: tuple[str, ...] = ()
    # Without a handshake, no call is possible. Any other call can fail without preventing the next one.
    decisive_steps: ClassVar[tuple[str, ...]] = ("handshake",)

    @classmethod
    def begin(cls, target: NomadPluginTarget) -> Self:
        return cls(target=target)

    @property
    def title(self) -> str:
        return f"Test run of a Nomad {self.target.type} plugin"

    @property
    def variant(self) -> str:
        return self.target.type

    def list_steps(self) -> list[NomadPluginStep]:
        return [step for step in STEPS if step.variant in ("", self.variant)]
