"""Services for test runs: start, cancel, and execute."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _, gettext_noop
from django.views.decorators.debug import sensitive_variables

from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.jobs.definitions import JobContext, JobDefinition, Reschedule, job
from portal.jobs.models import Job
from portal.jobs.services import cancel_job, enqueue
from verification.checks.services.runs import can_request_check_run
from verification.testruns.kinds.base import ProgramFetcher
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS

REFUSAL_MESSAGE = gettext_noop("Only owners, editors, and program staff can do this.")


@sensitive_variables("inputs")
def start_test_run(
    kind: str, integration: Integration, inputs: dict[str, object], *, actor: User | None, now: datetime
) -> TestRun:
    """Start a test run in the background. Without an actor, the portal starts it.

    Args:
        inputs: The cleaned data of the kind's form.

    Raises:
        ActionRefused: The actor has no permission, the integration has ended, or a run of this kind is in progress.
    """
    if actor is not None:
        require_permission(integration, actor)
    if not integration.is_open:
        raise ActionRefused(_("The integration has ended, so you can't start a test run."), "invalid-transition")
    definition = KINDS[kind]
    run = TestRun(integration=integration, kind=kind, requested_by=actor, requested_at=now)
    definition.prepare(run, inputs)
    try:
        with transaction.atomic():
            # Both rows or none: a run without a job would stay open forever and block the next one.
            run.save()
            enqueue(JOBS[kind], test_run_id=run.pk, dedup_key=str(run.pk), resource=definition.resource)
    # The unique constraint decides between two requests at the same moment.
    except IntegrityError:
        message = _("A test run is in progress. Wait until it ends.")
        if definition.can_cancel:
            message = _("A test run is in progress. Wait until it ends, or cancel it.")
        raise ActionRefused(message, "conflict") from None
    return run


def cancel_test_run(run: TestRun, *, actor: User) -> None:
    """Finish a test run with its results so far, if it is open. Raises ActionRefused."""
    require_permission(run.integration, actor)
    if not KINDS[run.kind].can_cancel:
        raise ActionRefused(_("This test can't be canceled. Wait until it ends."), "invalid-transition")
    if run.is_running:
        # The run ends first, so that a job that is just starting finds nothing to execute.
        KINDS[run.kind].abandon(run, "")
        job_of_run = Job.objects.find_unfinished(JOBS[run.kind].kind, str(run.pk))
        if job_of_run is not None:
            cancel_job(job_of_run)


def require_permission(integration: Integration, actor: User | None) -> None:
    """Raise ActionRefused unless the actor can start and cancel test runs."""
    if not can_request_check_run(integration, actor):
        raise ActionRefused(_(REFUSAL_MESSAGE), "forbidden")


def execute_test_run(
    test_run_id: int, context: JobContext | None = None, program_fetcher: ProgramFetcher | None = None
) -> Reschedule | None:
    """Execute a test run if it is open. `program_fetcher` replaces the download of the released executable."""
    run = TestRun.objects.open().select_related("integration__partner").filter(pk=test_run_id).first()
    if run is None:
        return None  # canceled, deleted with its integration, or finished by an attempt that lost its lease
    return KINDS[run.kind].execute(run, context, program_fetcher)


def _run_job(context: JobContext, *, test_run_id: int) -> Reschedule | None:
    return execute_test_run(test_run_id, context)


def _abandon(message: str, *, test_run_id: int) -> None:
    """Finish a test run whose job failed permanently."""
    run = TestRun.objects.open().filter(pk=test_run_id).first()
    if run is not None:
        KINDS[run.kind].abandon(run, message)


JOBS: dict[str, JobDefinition] = {
    kind.key: job(
        f"testruns.{kind.key}", queue=kind.queue, retry=kind.retry, at_most_once=kind.at_most_once, on_failure=_abandon
    )(_run_job)
    for kind in KINDS.values()
}
