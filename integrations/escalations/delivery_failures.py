"""Handling of undeliverable emails: notify the next recipient and show the failure on pages.

An email to the program is forwarded to the next escalation recipient. For one to the partner, the program is notified,
so that it can find another way to reach them. Each happens once; the integration's page shows it for a month.
"""

from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from integrations.escalations import tasks
from integrations.partners import permissions
from integrations.submissions import notices
from integrations.submissions.models import Integration
from integrations.submissions.notices import get_address, list_program_contacts
from integrations.submissions.services.transitions import lock_integration
from portal.audit import services
from portal.jobs.batches import process_each
from portal.notifications import email
from portal.notifications.models import EmailMessage

DISPLAY_PERIOD = timedelta(days=30)


def forward_due(now: datetime, limit: int = 200) -> int:
    """Handle each undeliverable email about an integration. Return how many."""
    failed = EmailMessage.objects.filter(state=EmailMessage.State.FAILED, failure_handled_at=None)
    pks = list(failed.order_by("pk").values_list("pk", flat=True)[:limit])
    return process_each(pks, partial(forward_email, now=now), "handle undeliverable email")


@transaction.atomic
def forward_email(pk: int, now: datetime) -> bool:
    """Handle an undeliverable email, only once. Return whether someone was notified."""
    failed_email = EmailMessage.objects.select_related("event", "person").get(pk=pk)
    integration = lock_integration(failed_email.integration_id) if failed_email.integration_id else None
    if not EmailMessage.objects.filter(pk=pk, failure_handled_at=None).update(failure_handled_at=now):
        return False  # another process has handled it
    if integration is None or failed_email.event is None:
        return False
    # Of the recipients of emails about an integration, only the program's mailbox has no account.
    if failed_email.person is None or permissions.can_act_for_program(integration, failed_email.person):
        return _notify_next_recipient(failed_email, integration, now)
    return _notify_program(failed_email, integration, now)


def _notify_next_recipient(failed_email: EmailMessage, integration: Integration, now: datetime) -> bool:
    """Send the same notification to the next recipient who has not received it."""
    assert failed_email.event
    notified_addresses = set(EmailMessage.objects.filter(event=failed_email.event).values_list("to", flat=True))
    remaining = [each for each in list_program_contacts(integration) if get_address(each) not in notified_addresses]
    if not remaining:
        return False
    # Escalations are batched for each recipient, so this one joins the batch of the next recipient.
    if failed_email.group_key:
        tasks.queue_escalation(failed_email.event, remaining[0], now)
        return True
    context = notices.add_reader(notices.build_context(failed_email.event), for_program=True)
    key = f"{failed_email.event.pk}:instead:{get_address(remaining[0])}"
    email.queue(failed_email.name, key, remaining[0], context, event=failed_email.event, now=now)
    return True


def _notify_program(failed_email: EmailMessage, integration: Integration, now: datetime) -> bool:
    event = services.record_event(
        integration,
        "program.email_delivery_failed",
        actor=None,
        now=now,
        recipient=failed_email.to,
        subject=failed_email.subject,
        reason=failed_email.last_error,
    )
    notices.queue_email(event, list_program_contacts(integration)[0], notices.build_context(event))
    return True


def list_undelivered_emails(integration: Integration, *, for_program: bool, now: datetime) -> QuerySet[EmailMessage]:
    """Return the undeliverable emails of the last month. Partners see only their own."""
    failed = EmailMessage.objects.filter(
        integration=integration, state=EmailMessage.State.FAILED, created_at__gte=now - DISPLAY_PERIOD
    )
    if not for_program:
        failed = failed.filter(person__memberships__partner=integration.partner_id, person__memberships__ended_at=None)
    return failed.only("subject", "to", "created_at").order_by("-created_at")[:5]
