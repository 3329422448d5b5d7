"""Which checks run in the background? Names for one call each."""

from celery import shared_task
from django.utils import timezone

from verification import jobs
from verification.support import reading, reconcile


@shared_task
def run_due() -> None:
    jobs.run_due()


@shared_task
def run_one(pk: int) -> None:
    jobs.run_one(pk)


@shared_task
def read_deliveries() -> None:
    reading.read_due(timezone.now())


@shared_task
def poll_repositories() -> None:
    reconcile.poll_due(timezone.now())
