"""Driver of a provider acceptance test: runs step after step, records everything without secrets, and cleans up.

It runs in a sandbox, or without one for developers of a provider. No Django here.
"""

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from verification.sandbox.egress_proxy import EgressRules
from verification.sandbox.environment import Environment, open_environment
from verification.sandbox.types import MEGABYTE, CommandResult, ExitReason, Limits, SandboxUnavailable
from verification.testruns import terraform_cli
from verification.testruns.kinds.provider_lifecycle import plan_parsing
from verification.testruns.kinds.provider_lifecycle.config import build_incomplete_config
from verification.testruns.kinds.provider_lifecycle.records import (
    CLEANUP,
    CommandRecord,
    ProviderLifecycleRecords,
    ProviderLifecycleStep,
    ProviderLifecycleTarget,
    shorten_text,
)
from verification.testruns.kinds.provider_lifecycle.redaction import Secrets
from verification.testruns.sandbox_jobs import SandboxTestRunner

LIMITS = Limits(seconds=300, memory=2048 * MEGABYTE, disk=512 * MEGABYTE, processes=512, output=16 * MEGABYTE)
TIMEOUT_SECONDS = 1800.0  # for the whole test, after which its process is stopped
SHOW_SECONDS = 60.0  # to print the plan of a step
NO_TERRAFORM_MESSAGE = "this worker has no Terraform."
STATE_FILE = "terraform.tfstate"
INCOMPLETE_FILE = "incomplete.tf"
# Output is shown on pages and in terminals, where control characters could hide or change what a reader sees.
CONTROL_CHARACTERS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


class ProviderLifecycleTestRunner(SandboxTestRunner[ProviderLifecycleTarget, ProviderLifecycleRecords]):
    """One test of a provider. Created resources are always destroyed. `only_steps`: blank for all steps.

    `latest_start_seconds`: when the last step can start, so that it and the cleanup end before the timeout.
    """

    target_class = ProviderLifecycleTarget
    records_class = ProviderLifecycleRecords
    only_steps: Collection[str] = ()
    latest_start_seconds = TIMEOUT_SECONDS - 2 * LIMITS.seconds - SHOW_SECONDS
    saved_state = b""

    def run_steps(self) -> None:
        terraform = terraform_cli.find_terraform()
        if terraform is None:
            raise SandboxUnavailable(NO_TERRAFORM_MESSAGE)
        target = self.target
        self.secrets = Secrets(target.environment)
        files = terraform_cli.build_project_files(
            self.executable, terraform, target.source, target.version, target.base
        )
        start = time.monotonic()
        with self.open_workspace(files) as self.workspace:
            for step in self.records.list_steps():
                if time.monotonic() - start > self.latest_start_seconds:
                    break
                if (not self.only_steps or step.key in self.only_steps) and self._is_reached(step):
                    self._run_step(step)
            if self.records.last_state or self.records.is_state_unknown:
                self._run_step(CLEANUP)

    @contextmanager
    def open_workspace(self, files: Mapping[str, bytes | Path]) -> Iterator["Environment | LocalWorkspace"]:
        hosts = self.target.hosts
        # Not strict: a provider may look for credentials and try to connect, which only fails.
        egress = EgressRules(hosts, self.outbound) if hosts else None
        with open_environment(
            LIMITS, files=files, readable=self.readable, egress=egress, is_strict=False
        ) as environment:
            yield environment

    def _is_reached(self, step: ProviderLifecycleStep) -> bool:
        # A step without a state would overwrite the only record of the objects that must still be destroyed.
        if step.state == "empty" and (self.records.last_state or self.records.is_state_unknown):
            return False
        previous = self.records.get_step(step.needs)
        return not step.needs or (previous is not None and (previous.is_good or step.follows_failure))

    def _run_step(self, step: ProviderLifecycleStep) -> None:
        self._write_files(step)
        if step.arguments:
            arguments = [*step.arguments, *([f"-out={step.plan}"] if step.plan else [])]
            result = self._run_terraform(arguments, step.seconds)
            command = f"terraform {' '.join(arguments)}"
        else:
            path = terraform_cli.get_provider_path(self.target.source, self.target.version)
            result = self.workspace.run([self.workspace.locate(path)], seconds=step.seconds)
            command = path.rpartition("/")[2]
        record = self._add_plan(step, self._build_record(step, command, result))
        self.record_step(self._add_state(record) if step.reads_state else record)

    def _run_terraform(self, arguments: Sequence[str], seconds: float = 0) -> CommandResult:
        # Ours come last, so that no credential replaces them.
        env = {**self.target.environment, **terraform_cli.ENVIRONMENT}
        return self.workspace.run([self.workspace.locate("terraform"), *arguments], env=env, seconds=seconds)

    def _write_files(self, step: ProviderLifecycleStep) -> None:
        """Write the configuration and the state that the step begins with."""
        if step.key == "destroy":
            # Two later steps begin with this state, as if its objects had been deleted outside of Terraform.
            with suppress(OSError):
                self.saved_state = self.workspace.read(STATE_FILE)
        if step.state:
            self.workspace.write(STATE_FILE, self.saved_state if step.state == "before_destroy" else b"")
        if not step.config:
            return
        own_config = getattr(self.target, step.config)
        incomplete_config = "" if own_config else build_incomplete_config(self.target.base)
        config = own_config or self.target.base
        requirement = terraform_cli.build_requirement(self.target.source, self.target.version, config)
        self.workspace.write("main.tf", config.encode())
        # Some configurations can require the provider themselves while others don't.
        self.workspace.write(terraform_cli.REQUIREMENT_FILE, requirement)
        self.workspace.write(INCOMPLETE_FILE, incomplete_config.encode())

    def _build_record(self, step: ProviderLifecycleStep, command: str, result: CommandResult) -> CommandRecord:
        output = _decode_output(result.stdout)
        errors = _decode_output(result.stderr)
        return CommandRecord(
            step.key,
            step.title,
            str(result.reason),
            result.message,
            round(result.seconds, 2),
            command,
            result.exit_code,
            shorten_text(self.secrets.redact(output)),
            shorten_text(self.secrets.redact(errors)),
            exposed=self.secrets.find_names_in(f"{output}\n{errors}"),
        )

    def _add_plan(self, step: ProviderLifecycleStep, record: CommandRecord) -> CommandRecord:
        # With -detailed-exitcode, 2 means that the plan contains changes.
        if not step.plan or not (record.code == 2 or (record.code == 0 and step.keeps_empty_plan)):
            return record
        result = self._run_terraform(["show", "-json", step.plan], SHOW_SECONDS)
        text = result.stdout.decode("utf-8", "replace") if result.is_success else ""
        return replace(
            record,
            plan=plan_parsing.reduce_plan(text, self.secrets),
            unmarked=plan_parsing.find_unmarked_secrets(text, self.secrets),
        )

    def _add_state(self, record: CommandRecord) -> CommandRecord:
        text = ""
        try:
            with suppress(FileNotFoundError):
                text = self.workspace.read(STATE_FILE).decode("utf-8", "replace")
            addresses, tainted_addresses = plan_parsing.list_state_objects(text)
        # The state stays unknown: an empty one would mean that nothing is left in the partner's account.
        except (OSError, ValueError):
            return record
        redact = self.secrets.redact  # addresses contain the keys of for_each
        return replace(record, state=tuple(map(redact, addresses)), tainted=tuple(map(redact, tainted_addresses)))


def _decode_output(raw: bytes) -> str:
    return CONTROL_CHARACTERS.sub("", raw.decode("utf-8", "replace").replace("\r\n", "\n"))


class LocalWorkspace:
    """The folder with the project files."""

    def __init__(self, folder: Path, files: Mapping[str, bytes | Path]) -> None:
        self.folder = folder
        # A separate home folder hides the developer's Terraform settings, plugins, and credentials, like the sandbox.
        self.env = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder / "home")}
        (folder / "home").mkdir()
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                self.write(name, content)
            else:
                # Executables of providers can be hundreds of megabytes.
                (folder / name).symlink_to(content)

    def run(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0) -> CommandResult:
        start = time.monotonic()
        process = subprocess.Popen(  # noqa: S603 - the developer's own provider
            argv,
            cwd=self.folder,
            env={**self.env, **(env or {})},
            # Terraform starts the provider as a child. The session makes them one group that can be killed together.
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        reason = ExitReason.FINISHED
        try:
            stdout, stderr = process.communicate(timeout=seconds or LIMITS.seconds)
        except subprocess.TimeoutExpired:
            _kill_group(process.pid)
            stdout, stderr = process.communicate()
            reason = ExitReason.TIMED_OUT
        _kill_group(process.pid)
        code = process.returncode if reason == ExitReason.FINISHED else None
        return CommandResult(reason, code, stdout, stderr, time.monotonic() - start, 0)

    def locate(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def write(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


def _kill_group(process_id: int) -> None:
    """Kill a process and its children."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process_id, signal.SIGKILL)


class UnsandboxedTestRunner(ProviderLifecycleTestRunner):
    """One test of a provider without a sandbox, with the permissions of this process."""

    @contextmanager
    def open_workspace(self, files: Mapping[str, bytes | Path]) -> Iterator[LocalWorkspace]:
        with tempfile.TemporaryDirectory(prefix="lifecycle-") as folder:
            yield LocalWorkspace(Path(folder), files)
