"""The usual pattern, to see that it fails: the row is marked, and the news is handed to a worker after the commit."""

from datetime import datetime

from celery import shared_task
from django.core.mail import send_mail
from django.db import transaction

from integrations.sla.models import SlaBreach, SlaClock


def sweep(now: datetime) -> None:
    """Mark each clock that is due and send its task once the mark is committed."""
    for clock in SlaClock.objects.filter(next_at__lte=now).select_related("issue")[:500]:
        with transaction.atomic():
            if not SlaClock.objects.filter(pk=clock.pk, next_at__isnull=False).update(next_at=None, breached_at=now):
                continue
            breach = SlaBreach.objects.create(
                clock=clock,
                issue=clock.issue,
                integration_id=clock.integration_id,
                target_type=clock.target_type,
                severity=clock.severity,
                due_at=clock.due_at,
                found_at=now,
            )
            transaction.on_commit(lambda pk=breach.pk: tell.delay(pk))


@shared_task(acks_late=True, reject_on_worker_lost=True, autoretry_for=(OSError,), retry_backoff=1, max_retries=8)
def tell(pk: int) -> None:
    """Send the mail of one breach."""
    breach = SlaBreach.objects.select_related("issue__watch").get(pk=pk)
    for receiver in ("owner@chaos.example", "program@chaos.example"):
        send_mail("Past due", f"- {breach.issue} late\n", "portal@chaos.example", [receiver])
