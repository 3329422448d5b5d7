"""What does the background do with mail? Names for one call each."""

from celery import shared_task

from portal import mail


@shared_task
def deliver_due() -> None:
    mail.deliver_due()
