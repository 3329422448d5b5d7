"""Runner of tests in the sandbox: a sequence of steps, each recorded and reported. No Django here."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from portal.core.value_types import JsonObject
from verification.sandbox.types import ExitReason, SandboxUnavailable
from verification.sources.http.client import OutboundClient
from verification.testruns.records import Record, SandboxTestRecords, StepRecord

TargetT = TypeVar("TargetT", bound=Record)
RecordsT = TypeVar("RecordsT", bound=SandboxTestRecords[Any])
ReportProgress = Callable[[JsonObject], None]


def build_job_input(target: Record, readable: tuple[Path, ...], outbound: OutboundClient) -> JsonObject:
    """Return the input of a sandbox job. It can contain credentials and must not be stored.

    Args:
        readable: Further folders that the executable can read.
        outbound: Client whose rules apply to the addresses of allowed hosts.
    """
    # The sandbox's process has no settings, so the rules for addresses travel with the job.
    rules = {"loopback": outbound.loopback, "blocked_networks": [*outbound.blocked_networks]}
    return {"target": target.as_dict(), "readable": [str(path) for path in readable], "outbound": rules}


class SandboxTestRunner(ABC, Generic[TargetT, RecordsT]):
    """One test of an executable. `report_progress` receives the records after each step."""

    target_class: type[TargetT]
    records_class: type[RecordsT]

    def __init__(
        self,
        target: TargetT,
        executable: Path,
        readable: tuple[Path, ...] = (),
        report_progress: Callable[[RecordsT], None] = lambda records: None,
        *,
        outbound: OutboundClient | None = None,
    ) -> None:
        self.target = target
        self.executable = executable
        self.readable = readable
        self.report_progress = report_progress
        self.outbound = outbound
        self.records = self.records_class.begin(target)

    @classmethod
    def run_job(cls, job_input: JsonObject, executable: Path, report_progress: ReportProgress) -> JsonObject:
        """Run the test in the sandbox's process. Returns and reports records as data.

        Args:
            job_input: From build_job_input().
        """
        runner = cls(
            cls.target_class.load(job_input["target"]),
            executable,
            tuple(map(Path, job_input["readable"])),
            lambda records: report_progress(records.as_dict()),
            outbound=OutboundClient(**job_input["outbound"]),
        )
        return runner.run().as_dict()

    @abstractmethod
    def run_steps(self) -> None:
        """Open the sandbox and run all steps. Raises SandboxUnavailable."""

    def run(self) -> RecordsT:
        """Run all steps. Errors on our side are recorded, not raised."""
        try:
            self.run_steps()
        except SandboxUnavailable as error:
            self.records = self.records.interrupt(str(error))
        self.records = replace(self.records, is_complete=True)
        return self.records

    def record_step(self, step: StepRecord) -> None:
        """Add a step to the records and report them. Raises SandboxUnavailable if the sandbox failed, not the step."""
        # Recorded as a step, our outage would fail the rules about it.
        if step.status == ExitReason.LOST:
            raise SandboxUnavailable(step.message)
        self.records = replace(self.records, steps=(*self.records.steps, step))
        self.report_progress(self.records)
