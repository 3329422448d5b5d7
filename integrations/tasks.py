"""What changes with time alone? Names for one call each."""

from celery import shared_task

from integrations import sweep


@shared_task
def refresh_due() -> None:
    sweep.refresh_due()
