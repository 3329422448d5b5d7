"""Driver of a provider acceptance test: runs step after step, records everything without secrets, and cleans up."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from verification.sandbox.types import PROJECT, CommandResult, ExitReason, SandboxUnavailable
from verification.testruns.kinds.provider_lifecycle import plan_parsing, scenario
from verification.testruns.kinds.provider_lifecycle.config import ProviderLifecycleTarget
from verification.testruns.kinds.provider_lifecycle.records import CommandRecord, ProviderLifecycleRecords, shorten_text
from verification.testruns.kinds.provider_lifecycle.redaction import Secrets
from verification.testruns.kinds.provider_lifecycle.scenario import ProviderLifecycleStep
from verification.testruns.kinds.provider_lifecycle.workspace import (
    INCOMPLETE_FILE,
    Workspace,
    build_environment,
    build_incomplete_config,
    get_provider_path,
)

STATE_FILE = "terraform.tfstate"
CONTROL_CHARACTERS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
ProgressCallback = Callable[[ProviderLifecycleRecords], None]


def build_initial_records(target: ProviderLifecycleTarget) -> ProviderLifecycleRecords:
    """Return the records before the first step."""
    has_refused = bool(target.refused or build_incomplete_config(target.base))
    return ProviderLifecycleRecords(
        has_refused=has_refused,
        has_partial=bool(target.partial),
        has_secrets=bool(target.environment),
        source=target.source,
    )


@dataclass
class ProviderLifecycleTestRunner:
    """One test of a provider."""

    target: ProviderLifecycleTarget
    workspace: Workspace
    folder_path: str = PROJECT
    report_progress: ProgressCallback = lambda records: None
    records: ProviderLifecycleRecords = field(init=False)
    saved_state: bytes = b""

    def __post_init__(self) -> None:
        self.secrets = Secrets(self.target.environment)
        self.records = build_initial_records(self.target)

    def run(self, only_steps: Collection[str] = ()) -> ProviderLifecycleRecords:
        """Run all steps, or only the given ones. Created resources are always destroyed."""
        try:
            self._run_steps(only_steps)
            self._clean_up()
        except SandboxUnavailable as error:
            self.records = replace(self.records, broken=str(error))
        self.records = replace(self.records, over=True)
        return self.records

    def _run_steps(self, only_steps: Collection[str]) -> None:
        for step in scenario.list_steps(has_refused=self.records.has_refused, has_partial=self.records.has_partial):
            if (not only_steps or step.key in only_steps) and self._is_reached(step):
                self._run_step(step)

    def _is_reached(self, step: ProviderLifecycleStep) -> bool:
        previous_command = self.records.get_command(step.needs)
        if step.state == "none" and self._list_remaining_objects():
            return False  # else nobody would know any more what is to be destroyed
        return not step.needs or (
            previous_command is not None and (previous_command.is_good or step.key in scenario.STEPS_AFTER_FAILURE)
        )

    def _run_step(self, step: ProviderLifecycleStep) -> None:
        self._write_files(step)
        if step.words:
            argv = [self.workspace.locate("terraform"), *step.argv()]
        else:
            argv = [self.workspace.locate(get_provider_path(self.target))]
        env = build_environment(self.target, self.folder_path) if step.words else {}
        command = self._build_record(step, self.workspace.run(argv, env=env, seconds=step.seconds))
        command = self._add_plan(step, command)
        if step.reads_state:
            command = self._add_state(command)
        self.records = self.records.with_command(command)
        self.report_progress(self.records)

    def _write_files(self, step: ProviderLifecycleStep) -> None:
        """Write the configuration and the state that the step begins with."""
        if step.key == "destroy":
            self.saved_state = self._read_file(STATE_FILE)
        if step.state:
            self.workspace.write(STATE_FILE, self.saved_state if step.state == "kept" else scenario.EMPTY_STATE)
        texts = {"base": self.target.base, "changed": self.target.changed, "partial": self.target.partial}
        if step.config == "refused" and not self.target.refused:
            self.workspace.write(INCOMPLETE_FILE, build_incomplete_config(self.target.base).encode())
        elif step.config == "refused":
            self.workspace.write("main.tf", self.target.refused.encode())
        elif step.config:
            self.workspace.write(INCOMPLETE_FILE, b"")
            self.workspace.write("main.tf", texts[step.config].encode())

    def _build_record(self, step: ProviderLifecycleStep, result: CommandResult) -> CommandRecord:
        if result.reason == ExitReason.LOST:
            raise SandboxUnavailable(result.message)
        out, err = _decode_output(result.stdout), _decode_output(result.stderr)
        configurations = (
            f"terraform {' '.join(step.argv())}" if step.words else get_provider_path(self.target).rpartition("/")[2]
        )
        return CommandRecord(
            step.key,
            step.title,
            configurations,
            str(result.reason),
            result.exit_code,
            result.message,
            shorten_text(self.secrets.redact(out)),
            shorten_text(self.secrets.redact(err)),
            round(result.seconds, 2),
            shown=self.secrets.find_names_in(f"{out}\n{err}"),
        )

    def _add_plan(self, step: ProviderLifecycleStep, command: CommandRecord) -> CommandRecord:
        """Add the plan: always for steps that a rule needs it for, otherwise only if it contains changes."""
        if not step.plan or not (command.code == 2 or (command.code == 0 and step.key in scenario.ALWAYS_SHOWN_STEPS)):
            return command
        argv = [self.workspace.locate("terraform"), "show", "-json", step.plan]
        result = self.workspace.run(argv, env=build_environment(self.target, self.folder_path))
        text = result.stdout.decode("utf-8", "replace") if result.is_success else ""
        unmarked_paths = plan_parsing.find_unmarked_secrets(text, self.secrets) if text else ()
        unmarked_paths = tuple(map(self.secrets.redact, unmarked_paths))
        return replace(command, plan=plan_parsing.reduce_plan(text, self.secrets), unmarked=unmarked_paths)

    def _add_state(self, command: CommandRecord) -> CommandRecord:
        try:
            addresses, tainted_addresses = plan_parsing.list_state_objects(
                self._read_file(STATE_FILE).decode("utf-8", "replace")
            )
        except ValueError:
            return command
        redact = self.secrets.redact  # keys of for_each stand in addresses
        return replace(command, state=tuple(map(redact, addresses)), tainted=tuple(map(redact, tainted_addresses)))

    def _read_file(self, name: str) -> bytes:
        try:
            return self.workspace.read(name)
        except OSError:
            return b""

    def _list_remaining_objects(self) -> tuple[str, ...]:
        """Return the objects in the last state. The second destroy is ignored: its objects were already gone."""
        states = [
            command.state for command in self.records.ran if command.state is not None and command.act != "gone_destroy"
        ]
        return states[-1] if states else ()

    def _clean_up(self) -> None:
        """Destroy leftover resources."""
        if self._list_remaining_objects():
            self._run_step(scenario.CLEANUP)


def _decode_output(raw: bytes) -> str:
    return CONTROL_CHARACTERS.sub("", raw.decode("utf-8", "replace").replace("\r\n", "\n"))
