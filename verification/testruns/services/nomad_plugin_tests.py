"""Tests of Nomad plugins: one open at a time for each integration, run as a job in the sandbox."""

import logging
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
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
from portal.jobs.definitions import Backoff, job
from portal.jobs.services import enqueue
from verification.checks.rules.nomad_plugin import CHECK_KEY, OBSERVATION_KEY
from verification.checks.runner import build_integration_subject
from verification.checks.services import observations
from verification.checks.services.runs import can_request_check_run, request_check_run
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.sources.errors import SourceError
from verification.sources.factory import build_sources
from verification.testruns import artifacts
from verification.testruns.kinds.nomad_plugin import worker
from verification.testruns.kinds.nomad_plugin.config import parse_config
from verification.testruns.kinds.nomad_plugin.driver import NomadPluginTarget
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, load_records
from verification.testruns.kinds.nomad_plugin.rules import catalog
from verification.testruns.kinds.provider_schema.artifacts import UnverifiedReleaseError
from verification.testruns.kinds.run_task.callback_store import retry_while_locked
from verification.testruns.models import NomadRehearsal
from verification.testruns.resources import SANDBOX

ProgramFetcher = Callable[[NomadRehearsal, Path], Path]
log = logging.getLogger(__name__)
TIMEOUT_SECONDS = 180.0
MAX_ATTEMPTS = 2
READABLE_FOLDERS: tuple[Path, ...] = ()  # further folders that a plugin may see: for tests, whose plugins are scripts
REFUSAL_MESSAGE = gettext_noop("Only owners, editors, and program staff can do this.")
INTERRUPTED_MESSAGE = "Our worker stopped twice before the test run ended."


def start_test_run(integration: Integration, inputs: dict[str, Any], *, actor: Any, now: datetime) -> NomadRehearsal:
    """Ask for a rehearsal. `inputs`: name, version, config (JSON as text). Raises ActionRefused."""
    if not can_request_check_run(integration, actor):
        raise ActionRefused(_(REFUSAL_MESSAGE), "forbidden")
    if not integration.is_open:
        raise ActionRefused(_("The integration has ended, so you can't start a test run."), "invalid-transition")
    row = NomadRehearsal(
        integration=integration, type=integration.plugin, name=inputs["name"], version=inputs["version"],
        config=inputs["config"], requested_by=actor, requested_at=now,
    )  # fmt: skip
    row.seen = NomadPluginRecords(_build_target(row, Path()).claims).as_dict()
    try:
        with transaction.atomic():
            row.save()
            enqueue(run_nomad_plugin_test, test_run_id=row.pk, dedup_key=str(row.pk), resource=SANDBOX)
    except IntegrityError:
        raise ActionRefused(_("A test run is in progress. Wait until it ends."), "conflict") from None
    return row


def _abandon(message: str, *, test_run_id: int) -> None:
    """Finish a test run whose job failed for good."""
    row = NomadRehearsal.objects.open().filter(pk=test_run_id).first()
    if row is not None:
        _finish(row, replace(load_records(row.seen), broken=INTERRUPTED_MESSAGE, over=True))


@job("testruns.nomad_plugin", queue="sandbox", retry=Backoff(max_attempts=MAX_ATTEMPTS), on_failure=_abandon)
def run_nomad_plugin_test(context: JobContext, *, test_run_id: int) -> None:
    """Test a plugin. What was cut off is run once more: a plugin leaves nothing behind."""
    execute_test_run(test_run_id)


def execute_test_run(test_run_id: int, program_fetcher: ProgramFetcher | None = None) -> None:
    """Execute an open test run to its end. `program_fetcher` gives the executable; None: that of the release."""
    row = NomadRehearsal.objects.open().select_related("integration__partner").filter(pk=test_run_id).first()
    if row is not None:
        _finish(row, _execute(row, program_fetcher or fetch_program))


def _execute(row: NomadRehearsal, program_fetcher: ProgramFetcher) -> NomadPluginRecords:
    """The whole of what was seen. Raises nothing: what goes wrong on our side is said as that."""
    try:
        with tempfile.TemporaryDirectory(prefix="release-") as folder:
            return _run_in_sandbox(row, _build_target(row, program_fetcher(row, Path(folder))))
    except (SandboxUnavailable, UnverifiedReleaseError, ValueError) as error:
        return replace(load_records(row.seen), unavailable=f"Not run: {error}", over=True)
    except (SourceError, client.SandboxProtocolError) as error:
        return replace(load_records(row.seen), broken=str(error), over=True)
    except Exception:
        log.exception("A rehearsal of a Nomad plugin broke")
        return replace(load_records(row.seen), broken="An error on our side stopped the test run.", over=True)


def fetch_program(row: NomadRehearsal, folder: Path) -> Path:
    """The executable of the release. Raises NotAuthentic and Unreadable."""
    subject = replace(build_integration_subject(row.integration, timezone.now()), version=row.version)
    return artifacts.fetch_executable(subject, build_sources(), folder)


def _build_target(row: NomadRehearsal, executable: Path) -> NomadPluginTarget:
    """Raises Unfit, which the form has ruled out."""
    return NomadPluginTarget(executable, row.type, row.name, row.version, parse_config(row.config), READABLE_FOLDERS)


def _run_in_sandbox(row: NomadRehearsal, target: NomadPluginTarget) -> NomadPluginRecords:
    """Have it played, and keep each answer as it comes. Raise what run_job raises."""
    result = client.run_job(
        "nomad",
        worker.build_job_input(target),
        {"plugin": target.executable},
        service=settings.SANDBOX_SOCKET,
        seconds=TIMEOUT_SECONDS,
        report=lambda progress: retry_while_locked(lambda: _store_records(row, load_records(progress["seen"]))),
    )
    return load_records(result)


def _store_records(row: NomadRehearsal, records: NomadPluginRecords) -> None:
    """What was seen so far, with its verdicts."""
    row.seen = clean_json(records.as_dict())
    row.verdicts = clean_json([each.as_dict() for each in catalog.judge(records)])
    NomadRehearsal.objects.open().filter(pk=row.pk).update(seen=row.seen, verdicts=row.verdicts)


def _finish(row: NomadRehearsal, records: NomadPluginRecords) -> None:
    """End it: the last verdicts, and the check told."""
    outcome = str(catalog.compute_outcome(catalog.judge(records)))
    retry_while_locked(lambda: _store_records(row, records))
    retry_while_locked(lambda: _mark_finished(row, outcome, timezone.now()))


@transaction.atomic
def _mark_finished(row: NomadRehearsal, outcome: str, now: datetime) -> None:
    changes = {"finished_at": now, "outcome": outcome}
    if not NomadRehearsal.objects.open().filter(pk=row.pk).update(**changes):
        return
    observation = {"type": row.type, "version": row.version, "outcome": outcome, "verdicts": row.verdicts,
            "at": now.isoformat()}  # fmt: skip
    observations.store_observation(row.integration, CHECK_KEY, {OBSERVATION_KEY: observation}, now)
    request_check_run(row.integration, row.requested_by, now, "The test run ended")
