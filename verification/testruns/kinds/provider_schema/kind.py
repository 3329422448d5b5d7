"""The provider schema inspection as a kind of test run."""

import json
import tempfile
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject
from portal.jobs.context import JobContext
from portal.jobs.definitions import Backoff, RetryLater
from verification.checks import execution
from verification.checks.rules.provider_schema import CHECK_KEY, OBSERVATION_KEY, SCHEMA_CHECK_KEYS
from verification.checks.runner import build_integration_subject
from verification.outcomes import get_worst_outcome
from verification.releases.artifacts import file_names
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.schemas import services
from verification.schemas.engine.types import SchemaParseError
from verification.sources import Sources, factory
from verification.sources.errors import SourceError
from verification.terraform.versions import InvalidVersionError, parse_version
from verification.testruns.kinds.base import ProgramFetcher, TestKind
from verification.testruns.kinds.provider_schema import artifacts, summary
from verification.testruns.models import TestRun

OUTCOMES_WITHOUT_ADVICE = ("pass", "not_run", "error")
REGISTRY_HOST = "registry.terraform.io"
RETRY_DELAY = timedelta(minutes=10)


class ProviderSchemaInspection(TestKind):
    """Reading of a released provider's schema, directly and through Terraform. Its page is in the schemas app."""

    key = TestRun.Kind.PROVIDER_SCHEMA
    title, plural = gettext_noop("Provider schema inspection"), gettext_noop("Provider schema inspections")
    unsupported_message = gettext_noop("Only Terraform providers have schemas.")
    check_key, observation_key = CHECK_KEY, OBSERVATION_KEY
    retry = Backoff(first=RETRY_DELAY, factor=1, max_attempts=3)

    def is_supported(self, integration: Integration) -> bool:
        return bool(file_names.REPOSITORY.fullmatch(integration.repository.partition("/")[2]))

    def prepare(self, run: TestRun, inputs: JsonObject) -> None:
        run.version = inputs.get("version", "")

    def execute(self, run: TestRun, context: JobContext | None, fetch: ProgramFetcher | None) -> None:
        """Inspect the schema. Outages are retried; what the release or the sandbox lacks is the result."""
        try:
            self._inspect(run, context, factory.build_sources(background=run.requested_by_id is None))
        except (artifacts.UnverifiedReleaseError, SandboxUnavailable, ValueError) as error:
            self.finish(run, {"not_run": str(error)})
        except (SourceError, client.SandboxProtocolError, OSError) as outage:
            _store_progress_message(run, f"Retrying soon: {outage}")
            raise RetryLater(str(outage)) from outage

    def abandon(self, run: TestRun, message: str) -> None:
        self.finish(run, {"not_run": f"We couldn't read the schema: {message}"})

    def _inspect(self, run: TestRun, context: JobContext | None, sources: Sources) -> None:
        def report_progress(message: str) -> None:
            if context is not None:
                context.renew_lease()
            _store_progress_message(run, message)

        subject = replace(build_integration_subject(run.integration, timezone.now()), version=run.version)
        report_progress("Verifying the release")
        report, platform = artifacts.verify_release(subject, sources)
        run.version = report.release.version
        source = f"{REGISTRY_HOST}/{subject.namespace}/{subject.provider}"
        with tempfile.TemporaryDirectory(prefix="provider-") as folder:
            report_progress("Downloading the executable")
            answer = client.run_job(
                "schema",
                {"source": source, "version": run.version, "via": "both"},
                {"provider": artifacts.fetch_executable(platform, sources, Path(folder))},
                service=settings.SANDBOX_SOCKET,
                report=lambda progress: report_progress(str(progress.get("says", ""))),
            )
        now = timezone.now()
        observation = summary.build_observation(answer, run.version, now.isoformat())
        _store_schema(run, answer["schema"], observation, now)
        self.finish(run, observation)

    def load_records(self, run: TestRun) -> JsonObject:
        return dict(run.records)

    def serialize_records(self, run: TestRun, records: JsonObject) -> JsonObject:
        return records

    def evaluate(self, run: TestRun, records: JsonObject) -> tuple[list[JsonObject], str]:
        """Return the result of each schema check. That of the inspection itself is the outcome."""
        now = timezone.now()
        records |= {"version": run.version, "at": records.get("at", now.isoformat())}
        subject = replace(
            build_integration_subject(run.integration, now), version=run.version, known={OBSERVATION_KEY: records}
        )
        sources = factory.build_sources(background=run.requested_by_id is None)
        results = [
            execution.serialize_result(key, execution.run_check(key, subject, sources)) for key in SCHEMA_CHECK_KEYS
        ]
        results = [each | ({"advice": ""} if each["outcome"] in OUTCOMES_WITHOUT_ADVICE else {}) for each in results]
        return results, results[0]["outcome"]

    def summarize_outcome(self, run: TestRun) -> str:
        return str(get_worst_outcome(each["outcome"] for each in run.results)) if run.results else run.outcome

    def build_observation(self, run: TestRun) -> JsonObject:
        return dict(run.records)

    def build_report(self, run: TestRun) -> JsonObject:
        return {"version": run.version, **run.records}


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
        observation["problem"] = str(error)
