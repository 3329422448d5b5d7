"""Base classes of the kinds of test runs."""

import logging
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from django import forms
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from integrations.submissions.models import Integration
from portal.core import crypto
from portal.core.errors import ActionRefused
from portal.core.json_text import clean_json
from portal.core.value_types import JsonObject
from portal.jobs import limits
from portal.jobs.context import JobContext
from portal.jobs.definitions import Backoff, Reschedule
from verification.checks.services import observations
from verification.checks.services.runs import request_check_run
from verification.sandbox.types import SandboxUnavailable
from verification.sources.errors import SourceError
from verification.testruns.kinds.provider_schema.artifacts import UnverifiedReleaseError
from verification.testruns.models import TestRun
from verification.testruns.rule_results import RuleCatalog

T = TypeVar("T")
ProgramFetcher = Callable[[TestRun, Path], Path]
log = logging.getLogger(__name__)
SANDBOX = "sandbox"
MAX_CONCURRENT_SANDBOX_JOBS = 2  # an acceptance test may take half an hour, and others should not wait for it
limits.declare_concurrency(SANDBOX, MAX_CONCURRENT_SANDBOX_JOBS)
INTERRUPTED_MESSAGE = "Our worker stopped before the test run ended."
INTERNAL_ERROR_MESSAGE = "An error on our side stopped the test run."
MAX_LOCK_ATTEMPTS, LOCK_PAUSE_SECONDS = 20, 0.05


def retry_while_locked(operation: Callable[[], T]) -> T:
    """Call an operation again while the database is locked. The operation must be idempotent.

    Without retries, a lost result would count against the partner.
    """
    for _ in range(MAX_LOCK_ATTEMPTS - 1):
        try:
            return operation()
        except OperationalError:
            if connection.in_atomic_block:
                raise
            time.sleep(LOCK_PAUSE_SECONDS)
    return operation()


@dataclass(frozen=True, slots=True)
class OutputRecord:
    """A command or call as the page shows it, with its output."""

    title: str
    line: str
    text: str
    state: tuple[str, ...] = ()


class TestKind(ABC):
    """A kind of test run: its input, its execution, and its evaluation.

    `check_key` and `observation_key`: the check that reports the newest run, blank without one. `has_secrets`: errors
    can contain what a partner entered, so they are not logged.
    """

    __test__ = False  # pytest collects classes named Test…

    key: ClassVar[TestRun.Kind]
    title: ClassVar[str]
    plural: ClassVar[str]
    unsupported_message: ClassVar[str]
    introduction: ClassVar[str] = ""
    instructions: ClassVar[str] = ""
    step_unit: ClassVar[str] = ""
    output_heading: ClassVar[str] = ""
    output_label: ClassVar[str] = ""
    interruption_advice: ClassVar[str] = ""
    rule_catalog: ClassVar[RuleCatalog]
    form_class: ClassVar[type[forms.Form]]
    has_secrets: ClassVar[bool] = False
    check_key: ClassVar[str] = ""
    observation_key: ClassVar[str] = ""
    queue: ClassVar[str] = "sandbox"
    resource: ClassVar[str] = SANDBOX
    retry: ClassVar[Backoff] = Backoff()
    at_most_once: ClassVar[bool] = False
    can_cancel: ClassVar[bool] = False

    @property
    def slug(self) -> str:
        return self.key.replace("_", "-")

    @abstractmethod
    def is_supported(self, integration: Integration) -> bool: ...

    def build_form(
        self, integration: Integration, data: Mapping[str, object] | None = None, last: TestRun | None = None
    ) -> forms.Form:
        initial = None if data is not None else self.get_initial_values(integration, last)
        return self.form_class(data, initial=initial)

    def get_initial_values(self, integration: Integration, last: TestRun | None) -> JsonObject:
        """Return the initial form values: those of the last run, or known facts."""
        return {}

    @abstractmethod
    def prepare(self, run: TestRun, inputs: JsonObject) -> None:
        """Set the inputs, secrets, and initial records of a new run."""

    @abstractmethod
    def execute(self, run: TestRun, context: JobContext | None, fetch: ProgramFetcher | None) -> Reschedule | None:
        """Execute an open run. `fetch` replaces the download of the released executable."""

    def abandon(self, run: TestRun, message: str) -> None:
        """Finish a run whose job failed permanently."""
        self.finish(run, replace(self.load_records(run), broken=INTERRUPTED_MESSAGE, over=True))

    @abstractmethod
    def load_records(self, run: TestRun) -> Any: ...

    def serialize_records(self, run: TestRun, records: Any) -> JsonObject:
        return dict(records.as_dict())

    def evaluate(self, run: TestRun, records: Any) -> tuple[list[JsonObject], str]:
        """Return the result of each rule, and the overall outcome."""
        results = self.rule_catalog.judge(records)
        return [each.as_dict() for each in results], str(self.rule_catalog.compute_outcome(results))

    def summarize_outcome(self, run: TestRun) -> str:
        """Return the outcome that reviewers see."""
        return run.outcome

    @abstractmethod
    def build_report(self, run: TestRun) -> JsonObject:
        """Return the report, as the command prints it."""

    def build_observation(self, run: TestRun) -> JsonObject:
        """Return the summary that the check reads."""
        return {"version": run.version, "outcome": run.outcome, "verdicts": run.results}

    def build_context(self, run: TestRun) -> JsonObject:
        """Return the kind's part of the page context."""
        return {}

    def list_details(self, run: TestRun) -> Iterable[tuple[str, str]]:
        """Yield labels and values of the run's inputs."""
        return ()

    def store_progress(self, run: TestRun, records: Any) -> None:
        """Store the records and results so far."""
        run.records = clean_json(self.serialize_records(run, records))
        run.results = clean_json(self.evaluate(run, records)[0])
        TestRun.objects.open().filter(pk=run.pk).update(records=run.records, results=run.results)

    def finish(self, run: TestRun, records: object) -> None:
        """Store the final results, delete the secrets, and report to the check."""
        results, run.outcome = self.evaluate(run, records)
        run.records, run.results = clean_json(self.serialize_records(run, records)), clean_json(results)
        run.finished_at, run.encrypted_secrets = timezone.now(), b""
        retry_while_locked(lambda: self._save_finished(run))

    @transaction.atomic
    def _save_finished(self, run: TestRun) -> None:
        names = ("version", "outcome", "records", "results", "finished_at", "encrypted_secrets")
        fields = {name: getattr(run, name) for name in names}
        if TestRun.objects.open().filter(pk=run.pk).update(**fields) and self.check_key:
            self.report_to_check(run)

    def report_to_check(self, run: TestRun) -> None:
        """Store the observation of the newest run, and request a check run."""
        newest = TestRun.objects.filter(integration=run.integration_id, kind=self.key).exclude(finished_at=None).first()
        if newest is None or newest.pk != run.pk:
            return
        self.store_observation(run)
        request_check_run(run.integration, run.requested_by, run.finished_at, "The test run ended")

    def store_observation(self, run: TestRun) -> None:
        """Store the summary that the check reads."""
        at = run.finished_at or timezone.now()
        observation = {"at": at.isoformat(), **self.build_observation(run)}
        observations.store_observation(run.integration, self.check_key, {self.observation_key: observation}, at)


class SandboxTestKind(TestKind):
    """A kind that runs a released executable in the sandbox once."""

    safe_errors: ClassVar[tuple[type[Exception], ...]] = (SourceError, crypto.DecryptionError)
    retry = Backoff(max_attempts=1)

    @abstractmethod
    def fetch_program(self, run: TestRun, folder: Path) -> Path:
        """Download the executable of the release. Raises UnverifiedReleaseError and SourceError."""

    @abstractmethod
    def run_in_sandbox(self, run: TestRun, executable: Path) -> Any:
        """Run the test and store its progress. Returns the records."""

    def execute(self, run: TestRun, context: JobContext | None, fetch: ProgramFetcher | None) -> None:
        self.finish(run, self._collect_records(run, fetch or self.fetch_program))

    def _collect_records(self, run: TestRun, fetch: ProgramFetcher) -> object:
        """Return all records. Errors on our side become records, too."""
        try:
            with tempfile.TemporaryDirectory(prefix="release-") as folder:
                return self.run_in_sandbox(run, fetch(run, Path(folder)))
        except (SandboxUnavailable, UnverifiedReleaseError, ActionRefused, ValueError) as error:
            return replace(self.load_records(run), unavailable=f"Not run: {error}", over=True)
        except self.safe_errors as error:
            return replace(self.load_records(run), broken=str(error), over=True)
        except Exception as error:  # the message can contain credentials
            log.error("A %s failed: %s", self.title, type(error).__name__, exc_info=not self.has_secrets)
            return replace(self.load_records(run), broken=INTERNAL_ERROR_MESSAGE, over=True)
