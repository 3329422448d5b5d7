"""Base class of the kinds that run an executable in the sandbox and record its steps."""

import logging
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from django.conf import settings

from portal.core import crypto
from portal.core.cli import build_usage_error
from portal.core.errors import ActionRefused
from portal.core.terminal import sanitize
from portal.core.value_types import JsonObject, NamedValues
from portal.jobs.definitions import Backoff, JobContext
from verification.outcomes import get_exit_code
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.sources import build_outbound_client
from verification.sources.errors import SourceError
from verification.testruns.kinds.base import CommandOutput, ProgramFetcher, TestKind
from verification.testruns.models import TestRun
from verification.testruns.records import Record, SandboxTestRecords, StepRecord
from verification.testruns.releases import UnverifiedReleaseError
from verification.testruns.rules import render_report
from verification.testruns.sandbox_jobs import SandboxTestRunner, build_job_input

RecordsT = TypeVar("RecordsT", bound=SandboxTestRecords[Any])
logger = logging.getLogger(__name__)
INTERRUPTED_MESSAGE = "Our worker stopped before the test run ended."
INTERNAL_ERROR_MESSAGE = "An error on our side stopped the test run."
READABLE_FOLDERS: tuple[Path, ...] = ()  # further folders that an executable can read: for tests with scripts


def get_executable(options: NamedValues) -> Path:
    """Return the absolute path of the executable. Raises CommandError."""
    executable: Path = options["executable"]
    if not executable.is_file():
        raise build_usage_error(f"{executable} isn't a file.")
    return executable.resolve()


class SandboxTestKind(TestKind, Generic[RecordsT]):
    """A kind that runs an executable in the sandbox once. `job`: its key in verification.sandbox.worker.

    `unsandboxed_runner`: the runner for the option --unsandboxed of the command, None without the option.
    """

    job: ClassVar[str]
    records_class: type[RecordsT]
    timeout_seconds: ClassVar[float]
    unsandboxed_runner: type[SandboxTestRunner[Any, RecordsT]] | None = None
    # A program can have effects that a second attempt would repeat. Kinds without such effects allow more attempts.
    retry = Backoff(max_attempts=1)

    @abstractmethod
    def fetch_program(self, run: TestRun, folder: Path) -> Path:
        """Download the executable of the release. Raises UnverifiedReleaseError and SourceError."""

    @abstractmethod
    def build_target(self, run: TestRun) -> Record:
        """Return the input of the test. Raises ActionRefused, ValueError, and DecryptionError."""

    @abstractmethod
    def parse_options(self, executable: Path, options: NamedValues) -> Record:
        """Return the input of a test on the command line. Raises ValueError and CommandError."""

    def load_records(self, run: TestRun) -> RecordsT:
        return self.records_class.load(run.records)

    def execute(self, run: TestRun, context: JobContext | None, fetch: ProgramFetcher | None) -> None:
        self.finish(run, self._collect_records(run, fetch or self.fetch_program))

    def abandon(self, run: TestRun, message: str) -> None:
        # The message of the job can quote an exception and therefore credentials.
        self.finish(run, replace(self.load_records(run), broken=INTERRUPTED_MESSAGE, is_complete=True))

    def _collect_records(self, run: TestRun, fetch: ProgramFetcher) -> object:
        """Return all records. Errors on our side become records, too."""

        def report(records: RecordsT) -> None:
            self.store_progress(run, records)

        try:
            with tempfile.TemporaryDirectory(prefix="release-") as folder:
                executable = fetch(run, Path(folder))
                return self.run_in_sandbox(self.build_target(run), executable, READABLE_FOLDERS, report)
        # Usually, nothing was started, so no rule has a result. An outage, below, is an error of ours.
        except (SandboxUnavailable, UnverifiedReleaseError, ActionRefused, ValueError) as error:
            return self.load_records(run).interrupt(str(error))
        except (SourceError, crypto.DecryptionError) as error:
            return replace(self.load_records(run), broken=str(error), is_complete=True)
        except Exception as error:  # its message and its cause can contain credentials
            logger.error("A %s failed: %s", self.texts.title, type(error).__name__, exc_info=not self.has_secrets)
            return replace(self.load_records(run), broken=INTERNAL_ERROR_MESSAGE, is_complete=True)

    def run_in_sandbox(
        self, target: Record, executable: Path, readable: Iterable[Path], report: Callable[[RecordsT], None]
    ) -> RecordsT:
        """Run the test. Raises SandboxUnavailable, ValueError, and SandboxProtocolError."""
        result = client.run_job(
            self.job,
            build_job_input(target, tuple(readable), build_outbound_client()),
            executable,
            service=settings.SANDBOX_SOCKET,
            seconds=self.timeout_seconds,
            report=lambda progress: report(self.records_class.load(progress)),
        )
        return self.records_class.load(result)

    def run_command(self, options: NamedValues, report_progress: Callable[[str], None]) -> CommandOutput:
        def report_step(records: RecordsT) -> None:
            report_progress(f"{records.steps[-1].title}: {records.steps[-1].line}")

        executable = get_executable(options)
        try:
            target = self.parse_options(executable, options)
            # Decision 0040: only this command, for a developer's own program, can leave the sandbox.
            if self.unsandboxed_runner is not None and options["unsandboxed"]:
                records = self.unsandboxed_runner(target, executable, report_progress=report_step).run()
            else:
                records = self.run_in_sandbox(target, executable, options["readable"], report_step)
        except (ValueError, client.SandboxProtocolError) as error:
            raise build_usage_error(sanitize(str(error))) from error
        except SandboxUnavailable as error:
            records = self.records_class.begin(target).interrupt(str(error))
        report = self.describe_records(records)
        text = render_report(records.title, report, (f"{step.title}: {step.line}" for step in records.steps))
        return CommandOutput(report, text, get_exit_code(report["outcome"]))

    def build_context(self, run: TestRun) -> JsonObject:
        records = self.load_records(run)
        steps = records.list_steps()
        return {
            "done": len(records.steps),
            "total": len(steps),
            "next_step": next((step.title for step in steps if records.get_step(step.key) is None), ""),
            "not_run": records.unavailable,
            "broken": records.broken,
            "outputs": records.steps,
            "select_outputs": lambda result: self.select_outputs(records, result["rule"]),
        }

    def select_outputs(self, records: RecordsT, rule_key: str) -> list[StepRecord]:
        """Return the step that shows why a rule did not pass, none if the rule no longer exists."""
        keys = [key for rule in self.rules.file.rules if rule.key == rule_key for key in rule.steps[-1:]]
        return [step for key in keys if (step := records.get_step(key)) is not None]
