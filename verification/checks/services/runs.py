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
from portal.core.errors import NotAllowed
from portal.jobs.publishing import nudge
from verification.checks.models import CheckRun
from verification.checks.runner import Ran, checked, retry_at, run
from verification.outcomes import Outcome
from verification.sources import factory

log = logging.getLogger(__name__)
CLAIM = timedelta(minutes=5)
SECONDS = 20.0  # that one round of due runs may take before others have their turn


def enqueue(integration: Integration, by: Any = None, now: datetime | None = None, reason: str = "") -> CheckRun | None:
    """Ask for the checks of an integration, at once. None where its edition has nothing to check.

    A run that is open already is brought forward; one that is just at work will be run once more.
    """
    now = now or timezone.now()
    if not checked(integration) or not integration.is_open:
        return None
    job = _bring_forward(integration, by, now, reason) or open_run(integration, by, now, due_at=now, reason=reason)
    transaction.on_commit(lambda: nudge("verification.checks.tasks.run_one", job.pk))
    return job


def look_again(integration: Integration, now: datetime, reason: str) -> CheckRun | None:
    """Run the checks at once although nobody waits for them, as after a webhook: people's runs and requests go first.

    A run that somebody waits for stays theirs; one that is just at work will be run once more.
    """
    if not checked(integration) or not integration.is_open:
        return None
    mine = CheckRun.objects.open().filter(integration=integration)
    mine.filter(nightly=True).update(requested_at=now, due_at=now, attempts=0, reason=reason[:120], done=[])
    mine.filter(nightly=False).update(requested_at=now, due_at=Least("due_at", Value(now)))
    job = mine.first() or open_run(integration, None, now, due_at=now, nightly=True, reason=reason)
    transaction.on_commit(lambda: nudge("verification.checks.tasks.run_one", job.pk))
    return job


def _bring_forward(integration: Integration, by: Any, now: datetime, reason: str) -> CheckRun | None:
    mine = CheckRun.objects.open().filter(integration=integration)
    mine.update(requested_by=by, requested_at=now, due_at=now, attempts=0, nightly=False, reason=reason[:120], done=[])
    return mine.first()


def open_run(
    integration: Integration, by: Any, now: datetime, *, due_at: datetime, nightly: bool = False, reason: str = ""
) -> CheckRun:
    """The integration's open run: a new one, or the one that somebody opened at the same moment."""
    try:
        with transaction.atomic():
            return CheckRun.objects.create(
                integration=integration, requested_by=by, requested_at=now, due_at=due_at, nightly=nightly,
                reason=reason[:120],
            )  # fmt: skip
    except IntegrityError:
        return CheckRun.objects.open().get(integration=integration)


def run_due(now: datetime | None = None, limit: int = 50, seconds: float = SECONDS) -> int:
    """Run what is due, until so many were taken or so much time is gone. Returns how many runs were taken."""
    until = time.monotonic() + seconds
    taken = 0
    for pk in list(CheckRun.objects.due(now or timezone.now()).values_list("pk", flat=True)[:limit]):
        if time.monotonic() > until:
            break
        taken += run_one(pk, now)
    return taken


def run_one(pk: int, now: datetime | None = None) -> bool:
    """Take one run, if it is due and in nobody's hands. Returns whether it was taken."""
    moment = now or timezone.now()
    job = _claim(pk, moment)
    if job is None:
        return False
    ran = Ran(Outcome.PASS)
    if job.integration.is_open:
        read = factory.sources(background=job.nightly)
        ran = run(
            job.integration, now=moment, sources=read, attempt=job.attempts, progress=partial(_progress, job, now)
        )
    _settle(job, ran, now or timezone.now())
    return True


def _claim(pk: int, now: datetime) -> CheckRun | None:
    """Take the run in hand. It is due again after a pause, should whoever has it die with it."""
    with transaction.atomic():
        job = CheckRun.objects.due(now).select_for_update(of=("self",), skip_locked=True).filter(pk=pk).first()
        if job is None:
            return None
        job.attempts += 1
        job.claimed_until, job.due_at, job.done = now + CLAIM, max(retry_at(job.attempts, now), now + CLAIM), []
        job.save(update_fields=["attempts", "claimed_until", "due_at", "done"])
    return CheckRun.objects.select_related("integration__partner").get(pk=pk)


def _progress(job: CheckRun, now: datetime | None, key: str) -> None:
    """One check is done: pages may show it, and the run stays in our hands."""
    job.done = [*job.done, key]
    mine = CheckRun.objects.filter(pk=job.pk, requested_at=job.requested_at)
    mine.update(done=job.done, claimed_until=(now or timezone.now()) + CLAIM)


def _settle(job: CheckRun, ran: Ran, now: datetime) -> None:
    """Close the run, or leave it open until the outage is tried again. One asked for anew meanwhile stays due."""
    as_asked = CheckRun.objects.filter(pk=job.pk, requested_at=job.requested_at)
    if ran.retry_at is not None:
        settled = as_asked.update(due_at=ran.retry_at + _spread(job), claimed_until=None)
    else:
        settled = as_asked.update(finished_at=now, claimed_until=None)
    if not settled:
        CheckRun.objects.filter(pk=job.pk).update(claimed_until=None)


def _spread(job: CheckRun) -> timedelta:
    """After a limit not all of the night's runs begin at the same moment."""
    return timedelta(seconds=job.integration_id * 37 % 1800) if job.nightly else timedelta(0)


def may_ask(integration: Integration, user: Any) -> bool:
    """Who may have the checks run again: those who edit it, and the program."""
    return permissions.may_edit(integration, user) or permissions.works_for_program(user)


def ask(integration: Integration, by: Any, now: datetime) -> CheckRun | None:
    """A person has the checks run again. Raises NotAllowed."""
    if not may_ask(integration, by):
        raise NotAllowed(permissions.refusal("may_edit"), "may")
    if not integration.is_open:
        raise NotAllowed("The integration has ended, so there is nothing to look at again.", "gone")
    return enqueue(integration, by, now, "Asked for")
