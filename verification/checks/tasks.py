"""Which checks run in the background? Names for one call each."""

from celery import shared_task

from verification.checks.services import runs


@shared_task
def run_one(pk: int) -> None:
    runs.run_one(pk)
