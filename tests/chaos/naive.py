"""The usual pattern, which loses emails: mark the row, and queue the email after the commit."""

from datetime import datetime
from functools import partial

from celery import shared_task
from django.core.mail import send_mail
from django.db import transaction

from integrations.sla.models import SlaBreach, SlaClock


def mark_due_clocks(now: datetime) -> None:
    """Mark each due clock, and queue its task after the commit."""
    for clock in SlaClock.objects.filter(next_at__lte=now).select_related("issue")[:500]:
        with transaction.atomic():
            if not SlaClock.objects.filter(pk=clock.pk, next_at__isnull=False).update(next_at=None, breached_at=now):
                continue
            assert clock.due_at is not None
            breach = SlaBreach.objects.create(
                clock=clock,
                issue=clock.issue,
                integration_id=clock.integration_id,
                target_type=clock.target_type,
                severity=clock.severity,
                due_at=clock.due_at,
                found_at=now,
            )
            transaction.on_commit(partial(send_breach_emails.delay, breach.pk))


@shared_task(acks_late=True, reject_on_worker_lost=True, autoretry_for=(OSError,), retry_backoff=1, max_retries=8)
def send_breach_emails(pk: int) -> None:
    """Email the owner and the program about one breach."""
    breach = SlaBreach.objects.select_related("issue__monitored_repository").get(pk=pk)
    for receiver in ("owner@chaos.example", "program@chaos.example"):
        send_mail("Past due", f"- {breach.issue} late\n", "portal@chaos.example", [receiver])
