"""Acceptance tests of providers: one open at a time for each integration, run as a job in the sandbox.

One that was cut off is not started again: what it had made would be made twice. It ends as an error of ours.
"""

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
from django.views.decorators.debug import sensitive_variables

from integrations.submissions.models import Integration, TestCredential
from integrations.submissions.services import credentials
from portal.core import crypto
from portal.core.errors import ActionRefused
from portal.core.repository_urls import get_product_name
from portal.jobs.context import JobContext
from portal.jobs.definitions import Backoff, job
from portal.jobs.services import enqueue
from verification.checks.runner import build_integration_subject
from verification.checks.services.runs import can_request_check_run
from verification.sandbox import client
from verification.sandbox.types import SandboxUnavailable
from verification.sources.errors import SourceError
from verification.sources.factory import build_sources
from verification.testruns.kinds.provider_lifecycle import worker
from verification.testruns.kinds.provider_lifecycle.config import ProviderLifecycleTarget, parse_environment
from verification.testruns.kinds.provider_lifecycle.driver import build_initial_records
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords, load_command, load_records
from verification.testruns.kinds.provider_lifecycle.rules import catalog
from verification.testruns.kinds.provider_schema import artifacts
from verification.testruns.kinds.provider_schema.artifacts import UnverifiedReleaseError
from verification.testruns.kinds.run_task.callback_store import retry_while_locked
from verification.testruns.models import LifecycleRehearsal
from verification.testruns.resources import SANDBOX

ProgramFetcher = Callable[[LifecycleRehearsal, Path], Path]
log = logging.getLogger(__name__)
TIMEOUT_SECONDS = 1800.0
READABLE_FOLDERS: tuple[
    Path, ...
] = ()  # further folders that a provider may see: for tests, whose providers are scripts
REFUSAL_MESSAGE = gettext_noop("Only owners, editors, and program staff can do this.")
INTERRUPTED_MESSAGE = "Our worker stopped before the test run ended."
CREDENTIAL_USE_REASON = "Provider acceptance test"


@sensitive_variables("inputs")
def start_test_run(
    integration: Integration, inputs: dict[str, Any], *, actor: Any, now: datetime
) -> LifecycleRehearsal:
    """Ask for a rehearsal. `inputs`: version, base, changed, refused, partial, hosts, secret (lines), account (uuid).

    Raises ActionRefused.
    """
    if not can_request_check_run(integration, actor):
        raise ActionRefused(_(REFUSAL_MESSAGE), "forbidden")
    if not integration.is_open:
        raise ActionRefused(_("The integration has ended, so you can't start a test run."), "invalid-transition")
    texts = {name: inputs[name] for name in ("version", "base", "changed", "refused", "partial")}
    row = LifecycleRehearsal(
        integration=integration, hosts=list(inputs["hosts"]), account=inputs["account"] or None, requested_by=actor,
        requested_at=now, **texts,
    )  # fmt: skip
    if inputs["secret"]:
        row.names = list(parse_environment(inputs["secret"]))
        row.encrypted_environment = crypto.encrypt(crypto.Secret(inputs["secret"]), row.context())
    records = build_initial_records(_build_target(row, Path(), {}))
    row.seen = replace(records, has_secrets=bool(row.encrypted_environment or row.account)).as_dict()
    try:
        with transaction.atomic():
            row.save()
            enqueue(run_provider_lifecycle_test, test_run_id=row.pk, dedup_key=str(row.pk), resource=SANDBOX)
    except IntegrityError:
        raise ActionRefused(_("A test run is in progress. Wait until it ends."), "conflict") from None
    return row


def _abandon(message: str, *, test_run_id: int) -> None:
    """Finish a test run whose job failed for good."""
    row = LifecycleRehearsal.objects.open().filter(pk=test_run_id).first()
    if row is not None:
        _finish(row, replace(load_records(row.seen), broken=INTERRUPTED_MESSAGE, over=True))


@job(
    "testruns.provider_lifecycle",
    queue="sandbox",
    retry=Backoff(max_attempts=1),
    at_most_once=True,
    on_failure=_abandon,
)
def run_provider_lifecycle_test(context: JobContext, *, test_run_id: int) -> None:
    """Test a provider, once at most."""
    execute_test_run(test_run_id)


def execute_test_run(test_run_id: int, program_fetcher: ProgramFetcher | None = None) -> None:
    """Execute an open test run to its end. `program_fetcher` gives the executable; None: that of the release."""
    row = LifecycleRehearsal.objects.open().select_related("integration__partner").filter(pk=test_run_id).first()
    if row is not None:
        _finish(row, _execute(row, program_fetcher or fetch_program))


def _execute(row: LifecycleRehearsal, program_fetcher: ProgramFetcher) -> ProviderLifecycleRecords:
    """The whole of what was seen. Raises nothing: what goes wrong on our side is said as that."""
    records = load_records(row.seen)
    try:
        with tempfile.TemporaryDirectory(prefix="release-") as folder:
            executable = program_fetcher(row, Path(folder))
            return _run_in_sandbox(row, _build_target(row, executable, _load_environment(row)))
    except (SandboxUnavailable, UnverifiedReleaseError, ActionRefused, ValueError) as error:
        return replace(records, unavailable=f"Not run: {error}", over=True)
    except (SourceError, crypto.DecryptionError) as error:
        return replace(records, broken=str(error), over=True)
    except Exception as fault:
        log.error("A lifecycle rehearsal broke: %s", type(fault).__name__)  # its text could hold what was typed
        return replace(load_records(row.seen), broken="An error on our side stopped the test run.", over=True)


def fetch_program(row: LifecycleRehearsal, folder: Path) -> Path:
    """The executable of the release, which is authentic. Raises NotAuthentic and Unreadable."""
    clients = build_sources()
    subject = replace(build_integration_subject(row.integration, timezone.now()), version=row.version)
    return artifacts.fetch_executable(artifacts.verify_release(subject, clients)[1], clients, folder)


@sensitive_variables()
def _load_environment(row: LifecycleRehearsal) -> dict[str, str]:
    """The credentials, for the sandbox alone. Raises CannotOpen, ActionRefused and Unfit."""
    text = ""
    if row.account is not None:
        credential = TestCredential.objects.filter(integration=row.integration, uuid=row.account).first()
        if credential is None:
            raise ActionRefused(
                _("This test account was replaced or withdrawn. Select another one."), "invalid-transition"
            )
        text = (
            credentials.open_for_sandbox(credential, actor=None, reason=CREDENTIAL_USE_REASON, now=timezone.now())
            + "\n"
        )
    if row.encrypted_environment:
        text += crypto.decrypt(bytes(row.encrypted_environment), row.context()).value
    return parse_environment(text)


def _build_target(row: LifecycleRehearsal, executable: Path, environment: dict[str, str]) -> ProviderLifecycleTarget:
    namespace, _, name = row.integration.repository.partition("/")
    return ProviderLifecycleTarget(
        executable,
        Path(),
        f"{namespace.lower()}/{get_product_name(name)}",
        row.version,
        row.base,
        row.changed,
        row.refused,
        row.partial,
        tuple(row.hosts),
        environment,
    )


@sensitive_variables("target")
def _run_in_sandbox(row: LifecycleRehearsal, target: ProviderLifecycleTarget) -> ProviderLifecycleRecords:
    """Have it played, and keep each step as it comes. Raise what run_job raises."""

    def report_progress(progress: dict[str, Any]) -> None:
        records = load_records(row.seen).with_command(load_command(progress["ran"]))
        retry_while_locked(lambda: _store_records(row, records))

    job_input = worker.build_job_input(target, READABLE_FOLDERS, loopback=settings.ALLOW_LOOPBACK_HTTP)
    files = {"provider": target.executable}
    result = client.run_job(
        "lifecycle", job_input, files, service=settings.SANDBOX_SOCKET, seconds=TIMEOUT_SECONDS, report=report_progress
    )
    return load_records(result)


def _store_records(row: LifecycleRehearsal, records: ProviderLifecycleRecords) -> None:
    """What was seen so far, with its verdicts."""
    row.seen = records.as_dict()
    row.verdicts = [each.as_dict() for each in catalog.judge(records)]
    LifecycleRehearsal.objects.open().filter(pk=row.pk).update(seen=row.seen, verdicts=row.verdicts)


def _finish(row: LifecycleRehearsal, records: ProviderLifecycleRecords) -> None:
    """End it: the last verdicts, the credentials forgotten."""
    outcome = str(catalog.compute_outcome(catalog.judge(records)))
    retry_while_locked(lambda: _store_records(row, records))
    changes = {"finished_at": timezone.now(), "encrypted_environment": b"", "outcome": outcome}
    retry_while_locked(lambda: LifecycleRehearsal.objects.open().filter(pk=row.pk).update(**changes))
