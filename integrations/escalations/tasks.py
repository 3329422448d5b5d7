"""Emails of escalations: a recipient gets one a day with all of them, unless a critical issue can't wait.

The first of a day is sent after 15 minutes, later ones the next morning, unless someone responds before. Each
escalation has a row of its own, which is its notification in the portal. One job per recipient sends what waits.

An undeliverable email to the program is forwarded to the next escalation recipient. For one to the partner, the program
is notified, so that it can find another way to reach them. Each happens once; the integration's page shows it for a
month.
"""

from collections.abc import Iterable
from datetime import datetime, time, timedelta
from functools import partial
from hashlib import sha256
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from integrations.escalations.models import Escalation
from integrations.escalations.selectors import is_answered
from integrations.partners import permissions
from integrations.partners.notices import get_address
from integrations.partners.selectors import select_all_memberships
from integrations.sla.engine.types import Severity
from integrations.submissions import notices
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock_integration
from portal.accounts.models import User
from portal.audit import services
from portal.audit.event_types import EMAILS
from portal.audit.models import AuditEvent
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import TemplateContext
from portal.jobs.batches import process_each
from portal.jobs.definitions import JobContext, job
from portal.jobs.services import enqueue
from portal.notifications import email
from portal.notifications.models import EmailMessage
from portal.notifications.preferences import DIGEST_TIME
from portal.notifications.tasks import enqueue_email

State = EmailMessage.State
# Escalations that follow each other within this time share one email.
MAX_WAIT = timedelta(minutes=15)
DIGEST_TEMPLATE = "escalation_digest"
SENT_STATES = (State.QUEUED, State.SENT, State.STORED)


def queue_escalation(event: AuditEvent, recipient: User | str, now: datetime) -> None:
    """Add an escalation to the next email to its recipient, which a critical issue sends immediately."""
    address = get_address(recipient)
    is_critical = any(issue["severity"] == Severity.CRITICAL for issue in event.data["issues"])
    send_after = now if is_critical else _calculate_send_time(recipient, address, now)
    email.queue(
        EMAILS[event.event_type].template,
        f"{event.stream}:{event.seq}:{address}",
        recipient,
        notices.add_reader(notices.build_context(event), for_program=True),
        hold_until=send_after,
        event=event,
        state=State.BATCHED,
        group_key=_build_group_key(address),
        now=now,
    )
    # A hash, because an address can be longer than the column.
    key = sha256(address.encode()).hexdigest()
    # A pending job of the recipient keeps the earlier of the two times.
    enqueue(send_escalations, address=address, dedup_key=key, run_after=send_after)


def _calculate_send_time(recipient: User | str, address: str, now: datetime) -> datetime:
    """Return the end of the wait, or the next morning if the recipient had an email of escalations today."""
    zone = ZoneInfo(getattr(recipient, "zone", "UTC"))
    today = now.astimezone(zone).date()
    was_sent = Q(name=DIGEST_TEMPLATE) | Q(group_key=_build_group_key(address), state__in=SENT_STATES)
    began_at = datetime.combine(today, time(), zone)
    # An escalation that waited for the morning was created the day before.
    is_of_today = Q(created_at__gte=began_at) | Q(sent_at__gte=began_at) | Q(held_until__gte=began_at)
    if EmailMessage.objects.filter(was_sent, is_of_today, to=address).exists():
        return datetime.combine(today + timedelta(days=1), DIGEST_TIME, zone)
    return now + MAX_WAIT


def _build_group_key(address: str) -> str:
    return f"escalations:{address}"


def _list_waiting(address: str) -> QuerySet[EmailMessage]:
    return EmailMessage.objects.filter(group_key=_build_group_key(address), state=State.BATCHED)


def _give_up(message: str, *, address: str) -> None:
    """Let `forward_due` notify the next recipient of what could not be sent."""
    _list_waiting(address).update(state=State.FAILED, last_error=message[:300])


@job("escalations.send_escalations", queue="email", on_failure=_give_up)
@transaction.atomic
def send_escalations(context: JobContext, *, address: str) -> None:
    """Send what waits for a recipient: one escalation as its own email, several as one digest."""
    waiting = _list_waiting(address).select_for_update(of=("self",)).order_by("pk")
    escalations = _cancel_answered(waiting.select_related("event", "integration__partner", "person"))
    if len(escalations) == 1:
        (escalation,) = escalations
        EmailMessage.objects.filter(pk=escalation.pk).update(state=State.QUEUED)
        enqueue_email(escalation, escalation.created_at)
    elif escalations:
        first = escalations[0]
        last = escalations[-1]
        # The same batch has the same key, so a job that is repeated after a crash sends no second digest.
        key = f"{first.group_key}:{first.pk}-{last.pk}"
        digest = email.queue(DIGEST_TEMPLATE, key, first.person or address, build_digest_context(escalations))
        emails = EmailMessage.objects.filter(pk__in=[each.pk for each in escalations])
        emails.update(state=State.INCLUDED_IN_DIGEST, digest=digest)


def _cancel_answered(emails: Iterable[EmailMessage]) -> list[EmailMessage]:
    """Cancel the escalations to which someone responded while they waited. Return the others."""
    unanswered = []
    for escalation_email in emails:
        if is_no_longer_needed(escalation_email):
            EmailMessage.objects.filter(pk=escalation_email.pk).update(state=State.CANCELED)
        else:
            unanswered.append(escalation_email)
    return unanswered


def is_no_longer_needed(escalation_email: EmailMessage) -> bool:
    """Return whether someone responded to an escalation that waits, so that its email will be canceled."""
    event = escalation_email.event
    integration = escalation_email.integration
    assert event
    assert integration
    kind = Escalation.Kind.BREACHES if event.data["issues"] else Escalation.Kind.ACTION
    escalation = Escalation.objects.filter(integration=integration, kind=kind, due_at=event.data["due"]).first()
    # An undo restores the action, and the recipient gets no other email about it.
    can_undo = integration.undo_until is not None and integration.undo_until > timezone.now()
    return escalation is not None and not can_undo and is_answered(escalation, integration)


def build_digest_context(escalations: Iterable[EmailMessage]) -> TemplateContext:
    """Return when the action or first issue of each was due, its subject, and its page, the earliest first."""
    items = []
    names = []
    for escalation in escalations:
        assert escalation.event
        assert escalation.integration
        data = escalation.event.data
        integration = escalation.integration
        due_times = [issue["due"] for issue in data["issues"]] or [data["due"]]
        page = build_absolute_url("reviews:review", integration.uuid)
        items.append((min(map(datetime.fromisoformat, due_times)), escalation.subject, page))
        names.append(integration.name)
    return {"items": sorted(items), "names": ", ".join(dict.fromkeys(names))}


def forward_due(now: datetime, limit: int = 200) -> int:
    """Handle each undeliverable email about an integration. Return how many."""
    failed = EmailMessage.objects.filter(state=State.FAILED, failure_handled_at=None)
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
    if _is_for_program(failed_email, integration):
        return _notify_next_recipient(failed_email, integration, now)
    return _notify_program(failed_email, integration, now)


def _is_for_program(failed_email: EmailMessage, integration: Integration) -> bool:
    """Return whether an email about an integration was sent to the program's mailbox or to program staff."""
    person = failed_email.person
    if person is None or permissions.can_act_for_program(integration, person):  # the mailbox has no account
        return True
    # Not the role alone: staff can have lost it since, and were never members of the company.
    return not select_all_memberships(integration.partner).filter(user=person).exists()


def _notify_next_recipient(failed_email: EmailMessage, integration: Integration, now: datetime) -> bool:
    """Send the same notification to the next recipient who has not received it."""
    assert failed_email.event
    notified_addresses = set(EmailMessage.objects.filter(event=failed_email.event).values_list("to", flat=True))
    remaining = notices.list_remaining_contacts(integration, notified_addresses)
    if not remaining:
        return False
    # Escalations are batched for each recipient, so this one joins the batch of the next recipient.
    if failed_email.group_key:
        queue_escalation(failed_email.event, remaining[0], now)
        return True
    context = notices.add_reader(notices.build_context(failed_email.event), for_program=True)
    key = f"{failed_email.event.pk}:instead:{get_address(remaining[0])}"
    calendar = failed_email.calendar
    email.queue(failed_email.name, key, remaining[0], context, event=failed_email.event, calendar=calendar, now=now)
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
    notices.queue_email(event, notices.list_program_contacts(integration)[0], notices.build_context(event))
    return True
