"""The provider schema inspection as a kind of test run."""

import json
import logging
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from integrations.submissions.models import Integration
from portal.core.cli import build_usage_error
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject, NamedValues
from portal.jobs.definitions import Backoff, JobContext, RetryLater
from verification.checks import execution
from verification.checks.rules import provider_schema as checks
from verification.checks.services.runner import build_integration_sources
from verification.checks.types import Subject
from verification.outcomes import Outcome, get_worst_outcome
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.schemas import services
from verification.schemas.engine import quality
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import SchemaParseError
from verification.sources import Sources
from verification.sources.errors import SourceError
from verification.terraform.versions import InvalidVersionError, parse_version
from verification.testruns import releases
from verification.testruns.kinds.base import CommandOutput, ProgramFetcher, TestKind, build_run_subject
from verification.testruns.kinds.provider_schema.reader import build_target
from verification.testruns.kinds.sandbox_kind import get_executable
from verification.testruns.models import TestRun

logger = logging.getLogger(__name__)
OUTCOMES_WITHOUT_ADVICE = ("pass", "not_run", "error")
RETRY_DELAY = timedelta(minutes=10)
COMMAND_CHECK_KEYS = (checks.CHECK_KEY, *(f"schema.{rule.key}" for rule in checks.SCHEMA_RULES))


class ProviderSchemaInspection(TestKind):
    """Reading of a released provider's schema, directly and through Terraform. Its page is in the schemas app."""

    key = TestRun.Kind.PROVIDER_SCHEMA
    check_key = checks.CHECK_KEY
    observation_key = checks.OBSERVATION_KEY
    retry = Backoff(first=RETRY_DELAY, factor=1, max_attempts=3)

    def is_supported(self, integration: Integration) -> bool:
        return services.has_provider(integration)

    def prepare(self, run: TestRun, inputs: JsonObject) -> None:
        run.version = inputs.get("version", "")

    def execute(self, run: TestRun, context: JobContext | None, fetch: ProgramFetcher | None) -> None:
        """Inspect the schema. Outages are retried; what the release or the sandbox lacks is the result."""
        try:
            self._inspect(
                run, context, build_integration_sources(run.integration, background=run.requested_by_id is None)
            )
        # Another attempt would find the same release and the same machine.
        except (releases.UnverifiedReleaseError, SandboxUnavailable, ValueError) as error:
            self.finish(run, {"not_run": str(error)})
        except (SourceError, client.SandboxProtocolError) as outage:
            logger.warning("Test run %s is retried soon: %s", run.pk, outage)
            _store_progress_message(run, f"Retrying soon: {outage}")
            raise RetryLater(str(outage)) from outage

    def abandon(self, run: TestRun, message: str) -> None:
        self.finish(run, {"not_run": f"We couldn't read the schema: {message}"})

    def _inspect(self, run: TestRun, context: JobContext | None, sources: Sources) -> None:
        def report_progress(message: str) -> None:
            if context is not None:
                # Stops the attempt if the job now belongs to another process.
                context.renew_lease()
            _store_progress_message(run, message)

        subject = build_run_subject(run)
        report_progress("Verifying the release")
        report, platform = releases.verify_provider(subject, sources)
        # The version is blank if the newest release was requested.
        run.version = report.release.version
        with tempfile.TemporaryDirectory(prefix="provider-") as folder:
            report_progress("Downloading the executable")
            answer = client.run_job(
                "schema",
                {"source": f"{subject.namespace}/{subject.provider}", "version": run.version},
                releases.fetch_provider(platform, sources, Path(folder)),
                service=settings.SANDBOX_SOCKET,
                report=lambda progress: report_progress(progress["message"]),
            )
        now = timezone.now()
        observation = build_observation(answer, run.version, now)
        _store_schema(run, answer["schema"], observation, now)
        self.finish(run, observation)

    def load_records(self, run: TestRun) -> JsonObject:
        return dict(run.records)

    def serialize_records(self, run: TestRun, records: JsonObject) -> JsonObject:
        return records

    def evaluate(self, run: TestRun, records: JsonObject) -> tuple[list[JsonObject], str]:
        """Return the result of each schema check. That of the inspection itself is the outcome."""
        observation = {"version": run.version, "at": timezone.now().isoformat(), **records}
        subject = replace(build_run_subject(run), known={checks.OBSERVATION_KEY: observation})
        sources = build_integration_sources(run.integration, background=run.requested_by_id is None)
        results = [
            execution.serialize_result(key, execution.run_check(key, subject, sources))
            for key in checks.SCHEMA_CHECK_KEYS
        ]
        # A partner can do nothing about these outcomes.
        results = [each | ({"advice": ""} if each["outcome"] in OUTCOMES_WITHOUT_ADVICE else {}) for each in results]
        return results, results[0]["outcome"]

    def list_decisive_results(self, run: TestRun) -> list[JsonObject]:
        # Most providers have none of the features, which must not make every inspection undecided.
        return [each for each in run.results if each["id"] != checks.FEATURES_KEY or each["outcome"] != "not_run"]

    def summarize_outcome(self, run: TestRun) -> str:
        outcomes = [each["outcome"] for each in self.list_decisive_results(run)]
        return str(get_worst_outcome(outcomes)) if outcomes else run.outcome

    def build_observation(self, run: TestRun) -> JsonObject:
        return {"version": run.version, **run.records}

    def describe_records(self, records: JsonObject) -> JsonObject:
        return records

    def run_command(self, options: NamedValues, report_progress: Callable[[str], None]) -> CommandOutput:
        executable = get_executable(options)
        try:
            target = build_target(options["executable"], options["source"], options["as_version"])
            job_input = {
                "source": target.source,
                "version": target.version,
                "via": options["via"],
                "readable": [str(folder) for folder in options["readable"]],
            }
            answer = client.run_job("schema", job_input, executable, service=settings.SANDBOX_SOCKET)
        except (ValueError, client.SandboxProtocolError) as error:
            raise build_usage_error(error) from error
        except SandboxUnavailable as error:
            return _build_not_run_output(str(error))
        if not answer["readings"]:
            return _build_not_run_output("Terraform isn't installed.")
        observation = build_observation(answer, target.version, timezone.now())
        is_readable = all(reading["read"] for reading in observation["readings"]) and not observation["differences"]
        document = {"source": target.source, **observation, "schema": answer["schema"]}
        return CommandOutput(document, "\n".join(_format_lines(target.source, observation)), 0 if is_readable else 1)


def build_observation(answer: JsonObject, version: str, at: datetime) -> JsonObject:
    """Return the input of the schema checks, without the schema. `answer`: see reader.run_job."""
    # Terraform doesn't print which protocol it negotiated, so only the direct reading knows it.
    protocol = next((reading["protocol"] for reading in answer["readings"] if reading["protocol"]), 0)
    observation: JsonObject = {key: answer[key] for key in ("readings", "differences")}
    observation |= {"version": version, "at": at.isoformat(), "protocol": protocol}
    observation |= {"rules": [], "offered": {}, "features": {}, "problem": ""}
    if answer["schema"] is None:
        return observation
    try:
        # Parsed as an uploaded schema is, so that the same limits apply.
        schema = parse_schema(json.dumps(answer["schema"]).encode())
    except SchemaParseError as error:
        failure = {"read": False, "problem": f"The schema can't be used: {error}", "key": "answer"}
        return observation | {"readings": [reading | failure for reading in answer["readings"]], "problem": str(error)}
    return observation | {
        "rules": quality.evaluate_quality(schema),
        "offered": quality.list_documented_names(schema),
        "features": quality.count_feature_items(schema),
    }


def _store_progress_message(run: TestRun, message: str) -> None:
    TestRun.objects.open().filter(pk=run.pk).update(records={"progress": message[:200]})


def _store_schema(run: TestRun, schema: JsonObject | None, observation: JsonObject, now: datetime) -> None:
    """Store a schema that every method has read."""
    if schema is None or any(not reading["read"] for reading in observation["readings"]):
        return
    try:
        body = json.dumps(schema).encode()
        services.store_schema(run.integration, parse_version(run.version), body, actor=None, now=now)
    except (SchemaParseError, ActionRefused, InvalidVersionError) as error:
        # The reading succeeded, so the page shows what the storage refused.
        observation["problem"] = str(error)


def _build_not_run_output(reason: str) -> CommandOutput:
    return CommandOutput({"not_run": reason}, f"Not run: {reason}", 2)


def _format_lines(source: str, observation: JsonObject) -> Iterator[str]:
    """Yield the result of each rule with its evidence."""
    subject = Subject("", "", "", "", known={checks.OBSERVATION_KEY: observation})
    yield f"{source} {observation['version']}"
    for key in COMMAND_CHECK_KEYS:
        result = execution.run_check(key, subject, None)
        yield f"{result.outcome.upper():8} {result.summary}"
        if result.outcome != Outcome.PASS or key == checks.CHECK_KEY:
            yield from (f"         {evidence.label}: {evidence.value}" for evidence in result.evidence[:5])
