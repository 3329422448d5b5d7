"""Inspections of provider schemas: one open at a time for each integration, run as a job in the sandbox."""

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration
from portal.core.errors import ActionRefused
from portal.core.json_text import clean_json
from portal.jobs.context import JobContext
from portal.jobs.definitions import Backoff, RetryLater, job
from portal.jobs.services import enqueue
from verification.checks import execution
from verification.checks.rules.provider_schema import CHECK_KEY, OBSERVATION_KEY, SCHEMA_CHECK_KEYS
from verification.checks.runner import build_integration_subject
from verification.checks.services import observations
from verification.checks.services.runs import can_request_check_run, request_check_run
from verification.releases.artifacts import file_names
from verification.sandbox import client
from verification.sandbox.client import SandboxProtocolError
from verification.sandbox.types import SandboxUnavailable
from verification.schemas import services
from verification.schemas.engine import types as schemas
from verification.sources import Sources, factory
from verification.sources.errors import SourceError
from verification.terraform.versions import InvalidVersionError, parse_version
from verification.testruns.kinds.provider_schema import artifacts, summary
from verification.testruns.kinds.provider_schema.artifacts import UnverifiedReleaseError
from verification.testruns.models import SchemaReading
from verification.testruns.resources import SANDBOX

RETRY_DELAY = timedelta(minutes=10)
MAX_ATTEMPTS = 3
OUTCOMES_WITHOUT_ADVICE = ("pass", "not_run", "error")
REFUSAL_MESSAGE = gettext_noop("Only owners, editors, and program staff can do this.")
REGISTRY_HOST = "registry.terraform.io"


def is_inspectable(integration: Integration) -> bool:
    """Whether it is a Terraform provider, by its repository's name."""
    return bool(file_names.REPOSITORY.fullmatch(integration.repository.partition("/")[2]))


def start_test_run(integration: Integration, *, actor: Any, now: datetime, version: str = "") -> SchemaReading:
    """Ask for the schema of a version to be read, of the newest where none is named. Raises ActionRefused."""
    if actor is not None and not can_request_check_run(integration, actor):
        raise ActionRefused(_(REFUSAL_MESSAGE), "forbidden")
    if not integration.is_open:
        raise ActionRefused(_("The integration has ended, so we don't read its schema."), "invalid-transition")
    row = SchemaReading(integration=integration, version=version, requested_by=actor, requested_at=now)
    try:
        with transaction.atomic():
            row.save()
            enqueue(inspect_schema, inspection_id=row.pk, dedup_key=str(row.pk), resource=SANDBOX)
    except IntegrityError:
        raise ActionRefused(
            _("We are already reading the schema. Wait until the inspection ends."), "conflict"
        ) from None
    return row


def _abandon(message: str, *, inspection_id: int) -> None:
    """Finish an inspection whose job failed for good."""
    row = SchemaReading.objects.open().filter(pk=inspection_id).first()
    if row is not None:
        _finish(row, {"not_run": f"We couldn't read the schema: {message}"}, timezone.now())


@job(
    "testruns.provider_schema",
    queue="sandbox",
    retry=Backoff(first=RETRY_DELAY, factor=1, max_attempts=MAX_ATTEMPTS),
    on_failure=_abandon,
)
def inspect_schema(context: JobContext, *, inspection_id: int) -> None:
    """Inspect a schema. An outage is tried again; what the release or the sandbox lacks is the result."""
    row = SchemaReading.objects.open().select_related("integration__partner").filter(pk=inspection_id).first()
    if row is None:
        return  # deleted with its integration, or finished by an attempt that lost its lease
    now = timezone.now()
    try:
        _inspect(context, row, factory.build_sources(background=row.requested_by_id is None), now)
    except (UnverifiedReleaseError, SandboxUnavailable, ValueError) as error:
        _finish(row, {"not_run": str(error)}, now)
    except (SourceError, SandboxProtocolError, OSError) as outage:
        SchemaReading.objects.open().filter(pk=row.pk).update(says=f"Retrying soon: {outage}"[:200])
        raise RetryLater(str(outage)) from outage


def _inspect(context: JobContext, row: SchemaReading, sources: Sources, now: datetime) -> None:
    subject = replace(build_integration_subject(row.integration, now), version=row.version)
    _report_progress(context, row, "Verifying the release")
    report, platform = artifacts.verify_release(subject, sources)
    row.version = report.release.version
    with tempfile.TemporaryDirectory(prefix="provider-") as folder:
        _report_progress(context, row, "Downloading the executable")
        executable = artifacts.fetch_executable(platform, sources, Path(folder))
        job_input = {
            "source": f"{REGISTRY_HOST}/{subject.namespace}/{subject.provider}",
            "version": row.version,
            "via": "both",
        }
        files, service = {"provider": executable}, settings.SANDBOX_SOCKET
        answer = client.run_job(
            "schema", job_input, files, service=service, report=_build_progress_callback(context, row)
        )
    observation = summary.build_observation(answer, row.version, now.isoformat())
    _store_schema(row, answer["schema"], observation, now)
    _finish(row, observation, now, sources)


def _build_progress_callback(context: JobContext, row: SchemaReading) -> Callable[[dict[str, Any]], None]:
    return lambda progress: _report_progress(context, row, str(progress.get("says", "")))


def _report_progress(context: JobContext, row: SchemaReading, message: str) -> None:
    """Show the progress on the page, if the job still belongs to this process."""
    context.renew_lease()
    SchemaReading.objects.filter(pk=row.pk).update(says=message[:200])


def _store_schema(
    row: SchemaReading, schema: dict[str, Any] | None, observation: dict[str, Any], now: datetime
) -> None:
    """The schema takes its place among those of other versions."""
    if schema is None or any(not reading["read"] for reading in observation["readings"]):
        return
    try:
        services.store_schema(
            row.integration, parse_version(row.version), json.dumps(schema).encode(), actor=None, now=now
        )
    except (schemas.SchemaParseError, ActionRefused, InvalidVersionError) as error:
        observation["problem"] = str(error)


def _finish(row: SchemaReading, observation: dict[str, Any], now: datetime, sources: Sources | None = None) -> None:
    """End it: what each check says of it, and the checks told."""
    observation = clean_json({"version": row.version, "at": now.isoformat()} | observation)
    results = clean_json(_evaluate_checks(row, observation, sources, now))
    with transaction.atomic():
        is_updated = SchemaReading.objects.open().filter(pk=row.pk).update(
            finished_at=now, says="", version=row.version, told=observation, results=results,
            outcome=results[0]["outcome"],
        )  # fmt: skip
        if is_updated:
            observations.store_observation(row.integration, CHECK_KEY, {OBSERVATION_KEY: observation}, now)
            request_check_run(row.integration, row.requested_by, now, "The schema inspection ended")


def _evaluate_checks(
    row: SchemaReading, observation: dict[str, Any], sources: Sources | None, now: datetime
) -> list[dict[str, Any]]:
    """What every check of a schema makes of the reading, the one of the reading itself first."""
    subject = replace(
        build_integration_subject(row.integration, now), version=row.version, known={OBSERVATION_KEY: observation}
    )
    clients = sources or factory.build_sources()
    results = [execution.serialize_result(key, execution.run_check(key, subject, clients)) for key in SCHEMA_CHECK_KEYS]
    return [result | ({"advice": ""} if result["outcome"] in OUTCOMES_WITHOUT_ADVICE else {}) for result in results]
