"""Services for check runs: one open run for each integration, executed by a job."""

from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues
from portal.jobs.definitions import Backoff, JobContext, ResourceBlocked, RetryLater, job
from portal.jobs.services import enqueue
from verification.checks.models import CHECK_RUN_JOB, CheckRun
from verification.checks.services import facts
from verification.checks.services.runner import (
    RETRY_DELAYS,
    build_integration_sources,
    list_checked_requirements,
    run_integration_checks,
)
from verification.sources import factory

# Never gives up: the run stays open until the source answers, however long the outage lasts.
RETRY = Backoff(first=RETRY_DELAYS[0], factor=3, maximum=RETRY_DELAYS[-1], give_up_after=None)
REQUESTED_PRIORITY = 1  # someone waits for it


@transaction.atomic
def request_check_run(
    integration: Integration, actor: User | None = None, now: datetime | None = None, reason: str = ""
) -> CheckRun | None:
    """Request an immediate run of the checks of an integration. Return None if its edition has nothing to check.

    A planned run is brought forward, and one that is already running is run once more.
    """
    now = now or timezone.now()
    if not list_checked_requirements(integration) or not integration.is_open:
        return None
    request = _build_request(now, reason, requested_by=actor, nightly=False)
    check_run = _update_open_run(integration, request) or _open_run(integration, request)
    key = str(integration.pk)
    enqueue(run_checks, integration_id=integration.pk, dedup_key=key, run_after=now, priority=REQUESTED_PRIORITY)
    return check_run


@transaction.atomic
def request_background_check_run(integration: Integration, now: datetime, reason: str) -> CheckRun | None:
    """Request a run with background priority, as after a webhook; runs that people request go first.

    An open run that a person requested keeps its priority. One that is running is run once more.
    """
    if not list_checked_requirements(integration) or not integration.is_open:
        return None
    request = _build_request(now, reason, requested_by=None, nightly=True)
    if not _update_open_run(integration, request, nightly=True):
        _update_open_run(integration, {"requested_at": now}, nightly=False)
    check_run = _open_run(integration, request)
    _enqueue_background_run(integration, now)
    return check_run


@transaction.atomic
def plan_check_run(integration: Integration, now: datetime, run_at: datetime, reason: str) -> None:
    """Open a run that starts later and that no one waits for."""
    _open_run(integration, _build_request(now, reason, requested_by=None, nightly=True))
    _enqueue_background_run(integration, run_at)


def _build_request(now: datetime, reason: str, *, requested_by: User | None, nightly: bool) -> NamedValues:
    return {"requested_by": requested_by, "requested_at": now, "nightly": nightly, "reason": reason[:120]}


def _update_open_run(integration: Integration, fields: Mapping[str, object], **conditions: bool) -> CheckRun | None:
    open_runs = CheckRun.objects.open().filter(integration=integration, **conditions)
    return open_runs.first() if open_runs.update(**fields) else None


def _open_run(integration: Integration, fields: Mapping[str, object]) -> CheckRun:
    """Return the integration's open run: a new one, or one that was opened concurrently."""
    open_runs = CheckRun.objects.open()
    try:
        return open_runs.get_or_create(fields, integration=integration)[0]
    except IntegrityError:  # the run that prevented a new one has just finished
        return open_runs.get_or_create(fields, integration=integration)[0]


def _enqueue_background_run(integration: Integration, run_after: datetime) -> None:
    """Enqueue the job of an open run that no one waits for. A limit of GitHub holds up all of these."""
    resource = factory.get_background_resource()
    key = str(integration.pk)
    enqueue(run_checks, integration_id=integration.pk, dedup_key=key, run_after=run_after, resource=resource)


@job(CHECK_RUN_JOB, queue="checks", retry=RETRY)
def run_checks(context: JobContext, *, integration_id: int) -> None:
    """Execute an open run. After an outage it stays open and is tried again, however long that lasts."""
    open_runs = CheckRun.objects.open().select_related("integration__partner")
    check_run = open_runs.filter(integration=integration_id).first()
    if check_run is None:
        return
    now = timezone.now()
    retry_at = None
    finished_checks = list[str]()

    def report_progress(key: str) -> None:
        finished_checks.append(key)
        context.report_progress(finished_checks=finished_checks)

    if check_run.integration.is_open:
        sources = build_integration_sources(check_run.integration, background=check_run.nightly)
        retry_at = run_integration_checks(
            check_run.integration,
            now=now,
            requested_at=check_run.requested_at,
            sources=sources,
            attempt=context.attempt,
            report_progress=report_progress,
        )
        facts.refresh_facts(check_run.integration, sources, now)
    if retry_at is not None:
        # The first job that finds the limit holds up all background jobs, so that they don't all try in vain.
        limit_end = factory.get_background_limit_end() if check_run.nightly else None
        if limit_end is not None:
            raise ResourceBlocked(limit_end, "GitHub's rate limit is reached.")
        raise RetryLater("A source did not answer.", after=retry_at - now)
    # A run that has been requested again meanwhile stays open, and its job runs once more.
    unchanged = CheckRun.objects.filter(pk=check_run.pk, requested_at=check_run.requested_at)
    unchanged.update(finished_at=timezone.now())


def can_request_check_run(integration: Integration, user: AnyUser | None) -> bool:
    """Return whether the user can run the checks again: editors of the integration and program staff."""
    return permissions.can_edit(integration, user) or permissions.can_write_for_programs(user)


def request_check_run_as_user(integration: Integration, actor: User, now: datetime) -> CheckRun | None:
    """Run the checks again at a person's request. Raises ActionRefused."""
    if not can_request_check_run(integration, actor):
        raise ActionRefused(refusals.get_refusal("can_edit"), "forbidden")
    if not integration.is_open:
        raise ActionRefused(_("The integration has ended, so you can't run its checks."), "invalid-transition")
    return request_check_run(integration, actor, now)
