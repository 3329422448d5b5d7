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
from portal.core.errors import NotAllowed
from portal.core.json_text import clean
from verification.checks import execution
from verification.checks.rules.provider_schema import CHECKS_OF, KEY, KNOWN
from verification.checks.runner import subject_of
from verification.checks.services import observations
from verification.checks.services.runs import enqueue, may_ask
from verification.releases.artifacts import file_names
from verification.sandbox import client
from verification.sandbox.client import SandboxProtocolError
from verification.sandbox.types import SandboxUnavailable
from verification.schemas import services
from verification.schemas.engine import types as schemas
from verification.sources import Sources, factory
from verification.sources.errors import Unreadable
from verification.terraform.versions import BadVersion, parse
from verification.testruns.kinds.provider_schema import artifacts, summary
from verification.testruns.kinds.provider_schema.artifacts import NotAuthentic
from verification.testruns.models import SchemaReading

CLAIM = timedelta(minutes=15)
PAUSE = timedelta(minutes=10)
TRIES = 3
NOTHING_TO_DO = ("pass", "not_run", "error")
ROUND = 60.0  # seconds after which a round begins no further one
REFUSAL = gettext_noop("Only owners and editors of the company and people of the program may do this.")
HOST = "registry.terraform.io"


def is_read(integration: Integration) -> bool:
    """Whether it is a Terraform provider, by its repository's name."""
    return bool(file_names.REPOSITORY.fullmatch(integration.repository.partition("/")[2]))


def begin(integration: Integration, *, by: Any, now: datetime, version: str = "") -> SchemaReading:
    """Ask for the schema of a version to be read, of the newest where none is named. Raises NotAllowed."""
    if by is not None and not may_ask(integration, by):
        raise NotAllowed(_(REFUSAL), "may")
    if not integration.is_open:
        raise NotAllowed(_("The integration has ended, so there is nothing to read."), "gone")
    row = SchemaReading(integration=integration, version=version, requested_by=by, requested_at=now, due_at=now)
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise NotAllowed(_("The schema is being read already; wait for the end of it."), "busy") from None
    return row


def run_due(now: datetime | None = None) -> int:
    """Read what is due, until a minute is gone. Returns how many were taken."""
    until, taken = time.monotonic() + ROUND, 0
    for pk in list(SchemaReading.objects.due(now or timezone.now()).values_list("pk", flat=True)[:20]):
        if time.monotonic() < until:
            taken += run_one(pk, now)
    return taken


def run_one(pk: int, now: datetime | None = None) -> bool:
    """Read one, if it is due and in nobody's hands. Returns whether it was taken."""
    moment = now or timezone.now()
    if not SchemaReading.objects.due(moment).filter(pk=pk).update(claimed_until=moment + CLAIM):
        return False
    row = SchemaReading.objects.select_related("integration__partner").get(pk=pk)
    row.attempts += 1
    SchemaReading.objects.filter(pk=pk).update(attempts=row.attempts)
    try:
        _read(row, factory.sources(background=row.requested_by_id is None), moment)
    except (NotAuthentic, SandboxUnavailable, ValueError) as why:
        _finish(row, {"not_run": str(why)}, moment)
    except (Unreadable, SandboxProtocolError, OSError) as outage:
        _put_off(row, outage, moment)
    return True


def _read(row: SchemaReading, sources: Sources, now: datetime) -> None:
    subject = replace(subject_of(row.integration, now), version=row.version)
    _tell(row, "The release is verified")
    report, platform = artifacts.authentic(subject, sources)
    row.version = report.release.version
    with tempfile.TemporaryDirectory(prefix="provider-") as folder:
        _tell(row, "The executable is fetched")
        executable = artifacts.fetched(platform, sources, Path(folder))
        given = {"source": f"{HOST}/{subject.namespace}/{subject.provider}", "version": row.version, "via": "both"}
        files, service = {"provider": executable}, settings.SANDBOX_SOCKET
        answer = client.run_job("schema", given, files, service=service, report=_hears(row))
    told = summary.told(answer, row.version, now.isoformat())
    _keep(row, answer["schema"], told, now)
    _finish(row, told, now, sources)


def _hears(row: SchemaReading) -> Callable[[dict[str, Any]], None]:
    return lambda progress: _tell(row, str(progress.get("says", "")))


def _tell(row: SchemaReading, says: str) -> None:
    """How far it is, for the page; and the row stays in our hands."""
    SchemaReading.objects.filter(pk=row.pk).update(says=says[:200], claimed_until=timezone.now() + CLAIM)


def _keep(row: SchemaReading, schema: dict[str, Any] | None, told: dict[str, Any], now: datetime) -> None:
    """The schema takes its place among those of other versions."""
    if schema is None or any(not one["read"] for one in told["readings"]):
        return
    try:
        services.store(row.integration, parse(row.version), json.dumps(schema).encode(), by=None, now=now)
    except (schemas.Unreadable, NotAllowed, BadVersion) as sentence:
        told["problem"] = str(sentence)


def _put_off(row: SchemaReading, outage: Exception, now: datetime) -> None:
    """After an outage it is tried again, and given up after the third time."""
    if row.attempts >= TRIES:
        _finish(row, {"not_run": f"We could not read it: {outage}"}, now)
        return
    SchemaReading.objects.open().filter(pk=row.pk).update(
        due_at=now + PAUSE, claimed_until=None, says=f"Tried again soon: {outage}"[:200]
    )


def _finish(row: SchemaReading, told: dict[str, Any], now: datetime, sources: Sources | None = None) -> None:
    """End it: what each check says of it, and the checks told."""
    told = clean({"version": row.version, "at": now.isoformat()} | told)
    results = clean(_results(row, told, sources, now))
    with transaction.atomic():
        ended = SchemaReading.objects.open().filter(pk=row.pk).update(
            finished_at=now, claimed_until=None, says="", version=row.version, told=told, results=results,
            outcome=results[0]["outcome"],
        )  # fmt: skip
        if ended:
            observations.remember(row.integration, KEY, {KNOWN: told}, now)
            enqueue(row.integration, row.requested_by, now, "The schema was read")


def _results(row: SchemaReading, told: dict[str, Any], sources: Sources | None, now: datetime) -> list[dict[str, Any]]:
    """What every check of a schema makes of the reading, the one of the reading itself first."""
    subject = replace(subject_of(row.integration, now), version=row.version, known={KNOWN: told})
    read = sources or factory.sources()
    found = [execution.as_dict(key, execution.safely(key, subject, read)) for key in CHECKS_OF]
    return [one | ({"advice": ""} if one["outcome"] in NOTHING_TO_DO else {}) for one in found]
