"""Which schemas are to be read, and when? One open row an integration, claimed; a worker with a sandbox plays it."""

import json
import tempfile
import time
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

LEASE_DURATION = timedelta(minutes=15)
RETRY_DELAY = timedelta(minutes=10)
MAX_ATTEMPTS = 3
OUTCOMES_WITHOUT_ADVICE = ("pass", "not_run", "error")
ROUND_SECONDS = 60.0  # seconds after which a round begins no further one
REFUSAL_MESSAGE = gettext_noop("Only owners and editors of the company and people of the program may do this.")
REGISTRY_HOST = "registry.terraform.io"


def is_inspectable(integration: Integration) -> bool:
    """Whether it is a Terraform provider, by its repository's name."""
    return bool(file_names.REPOSITORY.fullmatch(integration.repository.partition("/")[2]))


def start_test_run(integration: Integration, *, actor: Any, now: datetime, version: str = "") -> SchemaReading:
    """Ask for the schema of a version to be read, of the newest where none is named. Raises ActionRefused."""
    if actor is not None and not can_request_check_run(integration, actor):
        raise ActionRefused(_(REFUSAL_MESSAGE), "forbidden")
    if not integration.is_open:
        raise ActionRefused(_("The integration has ended, so there is nothing to read."), "invalid-transition")
    row = SchemaReading(integration=integration, version=version, requested_by=actor, requested_at=now, due_at=now)
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise ActionRefused(_("The schema is being read already; wait for the end of it."), "conflict") from None
    return row


def run_due(now: datetime | None = None) -> int:
    """Read what is due, until a minute is gone. Returns how many were taken."""
    deadline, run_count = time.monotonic() + ROUND_SECONDS, 0
    for pk in list(SchemaReading.objects.due(now or timezone.now()).values_list("pk", flat=True)[:20]):
        if time.monotonic() < deadline:
            run_count += run_one(pk, now)
    return run_count


def run_one(pk: int, now: datetime | None = None) -> bool:
    """Read one, if it is due and in nobody's hands. Returns whether it was taken."""
    moment = now or timezone.now()
    if not SchemaReading.objects.due(moment).filter(pk=pk).update(claimed_until=moment + LEASE_DURATION):
        return False
    row = SchemaReading.objects.select_related("integration__partner").get(pk=pk)
    row.attempts += 1
    SchemaReading.objects.filter(pk=pk).update(attempts=row.attempts)
    try:
        _inspect(row, factory.build_sources(background=row.requested_by_id is None), moment)
    except (UnverifiedReleaseError, SandboxUnavailable, ValueError) as error:
        _finish(row, {"not_run": str(error)}, moment)
    except (SourceError, SandboxProtocolError, OSError) as outage:
        _reschedule(row, outage, moment)
    return True


def _inspect(row: SchemaReading, sources: Sources, now: datetime) -> None:
    subject = replace(build_integration_subject(row.integration, now), version=row.version)
    _report_progress(row, "The release is verified")
    report, platform = artifacts.verify_release(subject, sources)
    row.version = report.release.version
    with tempfile.TemporaryDirectory(prefix="provider-") as folder:
        _report_progress(row, "The executable is fetched")
        executable = artifacts.fetch_executable(platform, sources, Path(folder))
        job_input = {
            "source": f"{REGISTRY_HOST}/{subject.namespace}/{subject.provider}",
            "version": row.version,
            "via": "both",
        }
        files, service = {"provider": executable}, settings.SANDBOX_SOCKET
        answer = client.run_job("schema", job_input, files, service=service, report=_build_progress_callback(row))
    observation = summary.build_observation(answer, row.version, now.isoformat())
    _store_schema(row, answer["schema"], observation, now)
    _finish(row, observation, now, sources)


def _build_progress_callback(row: SchemaReading) -> Callable[[dict[str, Any]], None]:
    return lambda progress: _report_progress(row, str(progress.get("says", "")))


def _report_progress(row: SchemaReading, message: str) -> None:
    """How far it is, for the page; and the row stays in our hands."""
    SchemaReading.objects.filter(pk=row.pk).update(says=message[:200], claimed_until=timezone.now() + LEASE_DURATION)


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


def _reschedule(row: SchemaReading, error: Exception, now: datetime) -> None:
    """After an outage it is tried again, and given up after the third time."""
    if row.attempts >= MAX_ATTEMPTS:
        _finish(row, {"not_run": f"We could not read it: {error}"}, now)
        return
    SchemaReading.objects.open().filter(pk=row.pk).update(
        due_at=now + RETRY_DELAY, claimed_until=None, says=f"Tried again soon: {error}"[:200]
    )


def _finish(row: SchemaReading, observation: dict[str, Any], now: datetime, sources: Sources | None = None) -> None:
    """End it: what each check says of it, and the checks told."""
    observation = clean_json({"version": row.version, "at": now.isoformat()} | observation)
    results = clean_json(_evaluate_checks(row, observation, sources, now))
    with transaction.atomic():
        is_updated = SchemaReading.objects.open().filter(pk=row.pk).update(
            finished_at=now, claimed_until=None, says="", version=row.version, told=observation, results=results,
            outcome=results[0]["outcome"],
        )  # fmt: skip
        if is_updated:
            observations.store_observation(row.integration, CHECK_KEY, {OBSERVATION_KEY: observation}, now)
            request_check_run(row.integration, row.requested_by, now, "The schema was read")


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
