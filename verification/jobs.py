"""Which checks are to be run, and when? One open row an integration, claimed by a conditional update."""

import logging
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from integrations import rules
from integrations.models import Integration
from integrations.workflow import NotAllowed
from verification.base import Outcome
from verification.models import CheckRun
from verification.runner import checked, retry_at, run

log = logging.getLogger(__name__)
CLAIM = timedelta(minutes=5)


def enqueue(integration: Integration, by: Any, now: datetime) -> CheckRun | None:
    """Ask for the checks of an integration, at once. None where its edition has nothing to check.

    A run that is open already is brought forward; one that is just at work will be run once more.
    """
    if not checked(integration) or not integration.is_open:
        return None
    job = _bring_forward(integration, by, now) or _open(integration, by, now)
    transaction.on_commit(lambda: _nudge(job.pk))
    return job


def _bring_forward(integration: Integration, by: Any, now: datetime) -> CheckRun | None:
    mine = CheckRun.objects.open().filter(integration=integration)
    mine.update(requested_by=by, requested_at=now, due_at=now, attempts=0)
    return mine.first()


def _open(integration: Integration, by: Any, now: datetime) -> CheckRun:
    try:
        with transaction.atomic():
            return CheckRun.objects.create(integration=integration, requested_by=by, requested_at=now, due_at=now)
    except IntegrityError:  # somebody asked at the same moment
        return CheckRun.objects.open().get(integration=integration)


def _nudge(pk: int) -> None:
    """Tell a worker where there are workers. Only speed: the sweep finds the row without it."""
    if not settings.REDIS_URL:
        return
    try:
        current_app.send_task("verification.tasks.run_one", [pk])
    except Exception:
        log.warning("no worker was told of run %s; the sweep will find it", pk)


def run_due(now: datetime | None = None, limit: int = 50) -> int:
    """Run what is due. Returns how many runs were taken."""
    due = list(CheckRun.objects.due(now or timezone.now()).values_list("pk", flat=True)[:limit])
    return sum(run_one(pk, now) for pk in due)


def run_one(pk: int, now: datetime | None = None) -> bool:
    """Take one run, if it is due and in nobody's hands. Returns whether it was taken."""
    moment = now or timezone.now()
    if not CheckRun.objects.due(moment).filter(pk=pk).update(claimed_until=moment + CLAIM):
        return False
    job = CheckRun.objects.select_related("integration__partner").get(pk=pk)
    attempt = job.attempts + 1
    outcome = run(job.integration, now=moment, attempt=attempt) if job.integration.is_open else Outcome.PASS
    _settle(job, outcome, attempt, now or timezone.now())
    return True


def _settle(job: CheckRun, outcome: Outcome, attempt: int, now: datetime) -> None:
    """Close the run, or leave it open until the outage is tried again. One asked for anew meanwhile stays due."""
    as_asked = CheckRun.objects.filter(pk=job.pk, requested_at=job.requested_at)
    if outcome == Outcome.ERROR:
        settled = as_asked.update(attempts=attempt, due_at=retry_at(attempt, now), claimed_until=None)
    else:
        settled = as_asked.update(attempts=attempt, finished_at=now, claimed_until=None)
    if not settled:
        CheckRun.objects.filter(pk=job.pk).update(claimed_until=None)


def may_ask(integration: Integration, user: Any) -> bool:
    """Who may have the checks run again: those who edit it, and the program."""
    return rules.may_edit(integration, user) or rules.works_for_program(user)


def ask(integration: Integration, by: Any, now: datetime) -> CheckRun | None:
    """A person has the checks run again. Raises NotAllowed."""
    if not may_ask(integration, by):
        raise NotAllowed(rules.REFUSALS["may_edit"], "may")
    if not integration.is_open:
        raise NotAllowed("The integration has ended, so there is nothing to look at again.", "gone")
    return enqueue(integration, by, now)
