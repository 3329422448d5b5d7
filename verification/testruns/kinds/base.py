"""Base classes of the kinds of test runs."""

import time
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, ClassVar, ParamSpec, TypeVar

from django import forms
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from integrations.submissions.models import Integration
from portal.core.content_files import Content, load_content, require_keys
from portal.core.json_text import clean_json
from portal.core.value_types import JsonObject, NamedValues
from portal.jobs import limits
from portal.jobs.definitions import Backoff, JobContext, Reschedule
from verification.checks.services import observations
from verification.checks.services.runner import build_integration_subject
from verification.checks.services.runs import request_check_run
from verification.checks.types import Subject
from verification.testruns.models import TestRun
from verification.testruns.rules import RuleCatalog

P = ParamSpec("P")
T = TypeVar("T")
ProgramFetcher = Callable[[TestRun, Path], Path]
SANDBOX = "sandbox"
TEST_ENDED_REASON = "The test run ended"
MAX_CONCURRENT_SANDBOX_JOBS = 2  # an acceptance test may take half an hour, and others should not wait for it
limits.declare_concurrency(SANDBOX, MAX_CONCURRENT_SANDBOX_JOBS)
# A folder is absolute, because programs in the sandbox have another working directory.
ARGUMENT_TYPES = {"path": Path, "folder": lambda text: Path(text).resolve(), "number": float}
MAX_LOCK_ATTEMPTS = 20
LOCK_PAUSE_SECONDS = 0.05


def retry_while_locked(operation: Callable[P, T]) -> Callable[P, T]:
    """Decorate an idempotent function so that it is called again while the database is locked.

    Without retries, a lost result would count against the partner.
    """

    @wraps(operation)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(MAX_LOCK_ATTEMPTS - 1):
            try:
                return operation(*args, **kwargs)
            except OperationalError:
                # A transaction can't continue after an error, so only its owner can repeat it.
                if connection.in_atomic_block:
                    raise
                time.sleep(LOCK_PAUSE_SECONDS)
        return operation(*args, **kwargs)

    return call


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """The report of a test on the command line: as plain data and as text."""

    report: JsonObject
    text: str
    exit_code: int


class KindTexts(Content):
    """Texts of a kind in its content file.

    Attributes:
        command_help: The help of its command line.
        command_arguments: The arguments of its command line, as for argparse. `type`: see ARGUMENT_TYPES.
    """

    title: str
    plural: str
    unsupported_message: str
    command_help: str
    command_arguments: dict[str, JsonObject]
    introduction: str = ""
    instructions: str = ""
    step_unit: str = ""
    output_heading: str = ""
    output_label: str = ""
    interruption_advice: str = ""


class KindFile(Content):
    """Content of kinds.yaml: all kinds."""

    kinds: Annotated[dict[TestRun.Kind, KindTexts], require_keys(TestRun.Kind)]


TEXTS = load_content(Path(__file__).parent / "content" / "kinds.yaml", KindFile).kinds


def build_run_subject(run: TestRun) -> Subject:
    """Return the subject of the checks of the tested version."""
    tag = f"v{run.version}" if run.version else ""
    return replace(build_integration_subject(run.integration, timezone.now()), tag=tag)


class TestKind(ABC):
    """A kind of test run: its input, its execution, and its evaluation.

    `check_key` and `observation_key`: the check that reports the newest run, blank without one. `has_secrets`: errors
    can contain what a partner entered, so they are not logged.
    """

    __test__ = False  # pytest collects classes named Test…

    key: ClassVar[TestRun.Kind]
    rules: ClassVar[RuleCatalog]
    form_class: ClassVar[type[forms.Form]]
    has_secrets: ClassVar[bool] = False
    check_key: ClassVar[str] = ""
    observation_key: ClassVar[str] = ""
    queue: ClassVar[str] = SANDBOX
    resource: ClassVar[str] = SANDBOX
    retry: ClassVar[Backoff] = Backoff()
    at_most_once: ClassVar[bool] = False
    can_cancel: ClassVar[bool] = False

    @property
    def texts(self) -> KindTexts:
        return TEXTS[self.key]

    @property
    def slug(self) -> str:
        return self.key.replace("_", "-")

    @abstractmethod
    def is_supported(self, integration: Integration) -> bool: ...

    def build_form(
        self, integration: Integration, data: Mapping[str, object] | None = None, last: TestRun | None = None
    ) -> forms.Form:
        initial = None if data is not None else self.get_initial_values(integration, last)
        return self.form_class(data=data, initial=initial, **self.get_form_options(integration))

    def get_form_options(self, integration: Integration) -> JsonObject:
        """Return further arguments of the form."""
        return {}

    def get_initial_values(self, integration: Integration, last: TestRun | None) -> JsonObject:
        """Return the initial form values: those of the last run, or known facts."""
        return {}

    @abstractmethod
    def prepare(self, run: TestRun, inputs: JsonObject) -> None:
        """Set the inputs, secrets, and initial records of a new run."""

    @abstractmethod
    def execute(self, run: TestRun, context: JobContext | None, fetch: ProgramFetcher | None) -> Reschedule | None:
        """Execute an open run. `fetch` replaces the download of the released executable."""

    @abstractmethod
    def abandon(self, run: TestRun, message: str) -> None:
        """Finish a run whose job failed permanently."""

    @abstractmethod
    def load_records(self, run: TestRun) -> Any: ...

    def serialize_records(self, run: TestRun, records: Any) -> JsonObject:
        return dict(records.as_dict())

    def evaluate(self, run: TestRun, records: Any) -> tuple[list[JsonObject], str]:
        """Return the result of each rule, and the overall outcome."""
        report = self.rules.build_report(records)
        return report["results"], report["outcome"]

    def list_decisive_results(self, run: TestRun) -> list[JsonObject]:
        """Return the results that reviewers see."""
        return list(run.results)

    def summarize_outcome(self, run: TestRun) -> str:
        """Return the outcome that reviewers see."""
        return run.outcome

    def build_report(self, run: TestRun) -> JsonObject:
        """Return the report, as the command prints it."""
        return {"version": run.version, **self.describe_records(self.load_records(run))}

    def describe_records(self, records: Any) -> JsonObject:
        """Return the results and the records as plain data."""
        return {**self.rules.build_report(records), **records.as_dict()}

    def build_observation(self, run: TestRun) -> JsonObject:
        """Return the summary that the check reads."""
        return {"version": run.version, "outcome": run.outcome, "verdicts": run.results}

    def build_context(self, run: TestRun) -> JsonObject:
        """Return the kind's part of the page context."""
        return {}

    def list_details(self, run: TestRun) -> Iterable[tuple[str, str]]:
        """Yield labels and values of the run's inputs."""
        return ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments of the command line."""
        for name in self.texts.command_arguments:
            self.add_argument(parser, name)

    def add_argument(self, parser: ArgumentParser, name: str) -> None:
        settings = self.texts.command_arguments[name]
        converter = {"type": ARGUMENT_TYPES[settings["type"]]} if "type" in settings else {}
        parser.add_argument(name, **settings | converter)

    @abstractmethod
    def run_command(self, options: NamedValues, report_progress: Callable[[str], None]) -> CommandOutput:
        """Run the test on local software, without a database. Raises CommandError."""

    @retry_while_locked
    def store_progress(self, run: TestRun, records: Any) -> bool:
        """Store the records and results so far. Return whether the run was still open."""
        run.records = clean_json(self.serialize_records(run, records))
        run.results = clean_json(self.evaluate(run, records)[0])
        # Only while it is open: a run that was canceled in the meantime keeps its final results.
        return bool(TestRun.objects.open().filter(pk=run.pk).update(records=run.records, results=run.results))

    def finish(self, run: TestRun, records: object) -> None:
        """Store the final results, delete the secrets, and report to the check."""
        results, run.outcome = self.evaluate(run, records)
        run.records = clean_json(self.serialize_records(run, records))
        run.results = clean_json(results)
        run.finished_at = timezone.now()
        run.encrypted_secrets = b""
        self._save_finished(run)

    @retry_while_locked
    @transaction.atomic
    def _save_finished(self, run: TestRun) -> None:
        names = ("version", "outcome", "records", "results", "finished_at", "encrypted_secrets")
        fields = {name: getattr(run, name) for name in names}
        # A cancellation and the job can finish a run at the same time. Only the first one may report to the check.
        if TestRun.objects.open().filter(pk=run.pk).update(**fields) and self.check_key:
            self.report_to_check(run)

    def report_to_check(self, run: TestRun) -> None:
        """Store the observation of the newest run, and request a check run."""
        # A late callback can reevaluate an old run, which must not replace the observation of a newer one.
        newest = TestRun.objects.filter(integration=run.integration_id, kind=self.key).exclude(finished_at=None).first()
        if newest is None or newest.pk != run.pk:
            return
        self.store_observation(run)
        request_check_run(run.integration, run.requested_by, run.finished_at, TEST_ENDED_REASON)

    def store_observation(self, run: TestRun) -> None:
        """Store the summary that the check reads."""
        at = run.finished_at or timezone.now()
        observation = {"at": at.isoformat(), **self.build_observation(run)}
        observations.store_observation(run.integration, self.check_key, {self.observation_key: observation}, at)
