"""Which checks are to be run, and when? One open row an integration, claimed by a conditional update."""

import logging
import time
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Value
from django.db.models.functions import Least
from django.utils import timezone

from integrations.partners import permissions
from integrations.submissions.models import Integration
from portal.core.errors import ActionRefused
from portal.jobs.publishing import publish_task
from verification.checks.models import CheckRun
from verification.checks.runner import RunSummary, calculate_retry_at, list_checked_requirements, run_integration_checks
from verification.outcomes import Outcome
from verification.sources import factory

log = logging.getLogger(__name__)
CLAIM_DURATION = timedelta(minutes=5)
ROUND_SECONDS = 20.0  # that one round of due runs may take before others have their turn


def request_check_run(
    integration: Integration, actor: Any = None, now: datetime | None = None, reason: str = ""
) -> CheckRun | None:
    """Ask for the checks of an integration, at once. None where its edition has nothing to check.

    A run that is open already is brought forward; one that is just at work will be run once more.
    """
    now = now or timezone.now()
    if not list_checked_requirements(integration) or not integration.is_open:
        return None
    check_run = _bring_forward(integration, actor, now, reason) or open_run(
        integration, actor, now, due_at=now, reason=reason
    )
    transaction.on_commit(lambda: publish_task("verification.checks.tasks.run_one", check_run.pk))
    return check_run


def request_background_check_run(integration: Integration, now: datetime, reason: str) -> CheckRun | None:
    """Run the checks at once although nobody waits for them, as after a webhook: people's runs and requests go first.

    A run that somebody waits for stays theirs; one that is just at work will be run once more.
    """
    if not list_checked_requirements(integration) or not integration.is_open:
        return None
    open_runs = CheckRun.objects.open().filter(integration=integration)
    open_runs.filter(nightly=True).update(requested_at=now, due_at=now, attempts=0, reason=reason[:120], done=[])
    open_runs.filter(nightly=False).update(requested_at=now, due_at=Least("due_at", Value(now)))
    check_run = open_runs.first() or open_run(integration, None, now, due_at=now, nightly=True, reason=reason)
    transaction.on_commit(lambda: publish_task("verification.checks.tasks.run_one", check_run.pk))
    return check_run


def _bring_forward(integration: Integration, actor: Any, now: datetime, reason: str) -> CheckRun | None:
    open_runs = CheckRun.objects.open().filter(integration=integration)
    open_runs.update(
        requested_by=actor, requested_at=now, due_at=now, attempts=0, nightly=False, reason=reason[:120], done=[]
    )
    return open_runs.first()


def open_run(
    integration: Integration, actor: Any, now: datetime, *, due_at: datetime, nightly: bool = False, reason: str = ""
) -> CheckRun:
    """The integration's open run: a new one, or the one that somebody opened at the same moment."""
    try:
        with transaction.atomic():
            return CheckRun.objects.create(
                integration=integration, requested_by=actor, requested_at=now, due_at=due_at, nightly=nightly,
                reason=reason[:120],
            )  # fmt: skip
    except IntegrityError:
        return CheckRun.objects.open().get(integration=integration)


def run_due(now: datetime | None = None, limit: int = 50, seconds: float = ROUND_SECONDS) -> int:
    """Run what is due, until so many were taken or so much time is gone. Returns how many runs were taken."""
    deadline = time.monotonic() + seconds
    taken_count = 0
    for pk in list(CheckRun.objects.due(now or timezone.now()).values_list("pk", flat=True)[:limit]):
        if time.monotonic() > deadline:
            break
        taken_count += run_one(pk, now)
    return taken_count


def run_one(pk: int, now: datetime | None = None) -> bool:
    """Take one run, if it is due and in nobody's hands. Returns whether it was taken."""
    moment = now or timezone.now()
    check_run = _claim(pk, moment)
    if check_run is None:
        return False
    run_summary = RunSummary(Outcome.PASS)
    if check_run.integration.is_open:
        sources = factory.build_sources(background=check_run.nightly)
        run_summary = run_integration_checks(
            check_run.integration,
            now=moment,
            sources=sources,
            attempt=check_run.attempts,
            report_progress=partial(_record_progress, check_run, now),
        )
    _close_run(check_run, run_summary, now or timezone.now())
    return True


def _claim(pk: int, now: datetime) -> CheckRun | None:
    """Take the run in hand. It is due again after a pause, should whoever has it die with it."""
    with transaction.atomic():
        check_run = CheckRun.objects.due(now).select_for_update(of=("self",), skip_locked=True).filter(pk=pk).first()
        if check_run is None:
            return None
        check_run.attempts += 1
        check_run.claimed_until, check_run.due_at, check_run.done = (
            now + CLAIM_DURATION,
            max(calculate_retry_at(check_run.attempts, now), now + CLAIM_DURATION),
            [],
        )
        check_run.save(update_fields=["attempts", "claimed_until", "due_at", "done"])
    return CheckRun.objects.select_related("integration__partner").get(pk=pk)


def _record_progress(check_run: CheckRun, now: datetime | None, key: str) -> None:
    """One check is done: pages may show it, and the run stays in our hands."""
    check_run.done = [*check_run.done, key]
    current_run = CheckRun.objects.filter(pk=check_run.pk, requested_at=check_run.requested_at)
    current_run.update(done=check_run.done, claimed_until=(now or timezone.now()) + CLAIM_DURATION)


def _close_run(check_run: CheckRun, run_summary: RunSummary, now: datetime) -> None:
    """Close the run, or leave it open until the outage is tried again. One asked for anew meanwhile stays due."""
    unchanged_run = CheckRun.objects.filter(pk=check_run.pk, requested_at=check_run.requested_at)
    if run_summary.retry_at is not None:
        updated_count = unchanged_run.update(
            due_at=run_summary.retry_at + _calculate_delay(check_run), claimed_until=None
        )
    else:
        updated_count = unchanged_run.update(finished_at=now, claimed_until=None)
    if not updated_count:
        CheckRun.objects.filter(pk=check_run.pk).update(claimed_until=None)


def _calculate_delay(check_run: CheckRun) -> timedelta:
    """After a limit not all of the night's runs begin at the same moment."""
    return timedelta(seconds=check_run.integration_id * 37 % 1800) if check_run.nightly else timedelta(0)


def can_request_check_run(integration: Integration, user: Any) -> bool:
    """Who may have the checks run again: those who edit it, and the program."""
    return permissions.can_edit(integration, user) or permissions.is_program_staff(user)


def request_check_run_as_user(integration: Integration, actor: Any, now: datetime) -> CheckRun | None:
    """A person has the checks run again. Raises ActionRefused."""
    if not can_request_check_run(integration, actor):
        raise ActionRefused(permissions.get_refusal("can_edit"), "forbidden")
    if not integration.is_open:
        raise ActionRefused("The integration has ended, so there is nothing to look at again.", "invalid-transition")
    return request_check_run(integration, actor, now, "Asked for")
