"""Jobs that send emails."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from portal.jobs.definitions import Backoff, JobContext, PermanentFailure, ResourceBlocked, RetryLater, job
from portal.jobs.services import build_job, enqueue, enqueue_new_jobs
from portal.notifications.delivery import DeliveryError, deliver
from portal.notifications.models import EmailMessage

State = EmailMessage.State
SENDABLE_STATES = (State.HELD, State.QUEUED)
GIVE_UP_AFTER = timedelta(hours=72)
RETRY = Backoff(first=timedelta(seconds=10), maximum=timedelta(minutes=30), give_up_after=GIVE_UP_AFTER)
QUEUE_BATCH_SIZE = 500
MAIL_SERVER = "smtp"  # the resource of the jobs: during an outage one of them tries, and the others wait


def enqueue_email(email_message: EmailMessage, now: datetime) -> None:
    """Enqueue the job that sends an email when its hold ends."""
    run_after = email_message.held_until or now
    key = str(email_message.pk)
    enqueue(send_email, email_id=email_message.pk, dedup_key=key, resource=MAIL_SERVER, run_after=run_after)


def enqueue_new_emails(emails: Iterable[EmailMessage], now: datetime) -> None:
    """Enqueue, in one query, the jobs of emails that have none yet."""
    enqueue_new_jobs(
        build_job(
            send_email,
            dedup_key=str(each.pk),
            resource=MAIL_SERVER,
            run_after=each.held_until or now,
            payload={"email_id": each.pk},
        )
        for each in emails
    )


def _give_up(message: str, *, email_id: int) -> None:
    EmailMessage.objects.filter(pk=email_id, state__in=SENDABLE_STATES).update(state=State.FAILED)
    # The escalations in a failed digest were not delivered either, and must reach the next contact.
    parts = EmailMessage.objects.filter(digest=email_id, state=State.INCLUDED_IN_DIGEST).exclude(group_key="")
    parts.update(state=State.FAILED, last_error=message[:300])


@job("notifications.send_email", queue="email", retry=RETRY, on_failure=_give_up)
def send_email(context: JobContext, *, email_id: int) -> None:
    """Send an email, unless it was canceled.

    If the process dies after the server has accepted the email, it is sent again with the same Message-ID.
    """
    unsent = EmailMessage.objects.filter(pk=email_id, state__in=SENDABLE_STATES)
    if settings.EMAIL_STORED_ONLY:
        unsent.update(state=State.STORED)
        return
    email_message = unsent.first()
    if email_message is None:
        return
    if email_message.state == State.HELD and not unsent.update(state=State.QUEUED):  # no one can cancel it anymore
        return
    try:
        deliver(email_message)
    except DeliveryError as error:
        unsent.update(last_error=str(error)[:300])
        due_at = email_message.held_until or email_message.created_at
        if error.is_permanent or timezone.now() - due_at > GIVE_UP_AFTER:
            raise PermanentFailure("refused", str(error)) from error
        if error.is_outage:
            raise ResourceBlocked(reason=str(error)) from error
        raise RetryLater(str(error)) from error
    unsent.update(state=State.SENT, sent_at=timezone.now(), last_error="")


def queue_stored_emails(now: datetime) -> int:
    """Queue the emails that were stored before a mail server was set up. Return their number.

    Those older than GIVE_UP_AFTER stay in the email log, where staff can read them: their links have expired.
    """
    if settings.EMAIL_STORED_ONLY:
        return 0
    stored = EmailMessage.objects.filter(state=State.STORED, created_at__gt=now - GIVE_UP_AFTER).order_by("pk")
    with transaction.atomic():
        emails = list(stored.select_for_update()[:QUEUE_BATCH_SIZE])
        EmailMessage.objects.filter(pk__in=[each.pk for each in emails]).update(state=State.QUEUED)
        for each in emails:
            enqueue_email(each, now)
    return len(emails)
