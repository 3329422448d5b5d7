"""Emails: rendered into a row of the caller's transaction, and sent by a job."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from portal.audit.models import AuditEvent
from portal.notifications.models import EmailMessage
from portal.notifications.rendering import EmailDraft, render
from portal.notifications.tasks import SENDABLE_STATES, enqueue_new_emails

State = EmailMessage.State
WAITING_STATES = (State.HELD, State.BATCHED)
UNDELIVERED_STATES = (*WAITING_STATES, State.IN_APP_ONLY)  # of a decision, before it is final


@dataclass(frozen=True, slots=True)
class EmailRequest:
    """Email to a person or an address."""

    key: str
    to: Any
    context: Mapping[str, object]
    hold_until: datetime | None = None
    unsubscribe: str = ""


def queue(
    name: str,
    key: str,
    to: Any,  # a person or an address
    context: Mapping[str, object],
    *,
    hold_until: datetime | None = None,
    event: AuditEvent | None = None,
    draft: EmailDraft | None = None,  # instead of the template's text
    calendar: str = "",
    unsubscribe: str = "",
    state: str = "",  # of a notification that is no email of its own
    visible_at: datetime | None = None,
    group_key: str = "",
    now: datetime | None = None,
) -> EmailMessage | None:
    """Render an email in the caller's transaction and enqueue it. Return None if there is one with this key."""
    # An email must never report a change that was rolled back.
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("Queue emails in the transaction of the change that they report.")
    now = now or timezone.now()
    request = EmailRequest(key, to, context, hold_until=hold_until, unsubscribe=unsubscribe)
    values = _render_values(name, request, now, draft) | {
        "calendar": calendar,
        "group_key": group_key,
        "visible_at": visible_at,
        "event": event,
        "integration": event.integration if event else None,
    }
    if state:
        values["state"] = state
    email_message, is_new = EmailMessage.objects.get_or_create(key=key, defaults=values)
    if is_new and email_message.state in SENDABLE_STATES:
        enqueue_new_emails([email_message], now)
    return email_message if is_new else None


def queue_batch(name: str, requests: Sequence[EmailRequest], now: datetime) -> int:
    """Render emails of a template and enqueue those whose key is new, in four queries. Return their number.

    The caller's transaction holds a lock, so that no one else queues emails with these keys.
    """
    keys = [each.key for each in requests]
    known = set(EmailMessage.objects.filter(key__in=keys).values_list("key", flat=True))
    emails = EmailMessage.objects.bulk_create(
        EmailMessage(key=each.key, **_render_values(name, each, now)) for each in requests if each.key not in known
    )
    enqueue_new_emails(emails, now)
    return len(emails)


def _render_values(
    name: str, request: EmailRequest, now: datetime, draft: EmailDraft | None = None
) -> dict[str, object]:
    """Render an email and return the values of its row."""
    person = request.to if hasattr(request.to, "email") else None
    return asdict(render(name, {"person": person, **request.context}, draft)) | {
        "unsubscribe": request.unsubscribe,
        "name": name,
        "to": person.email if person else str(request.to),
        "person": person,
        "state": State.HELD if request.hold_until and request.hold_until > now else State.QUEUED,
        "held_until": request.hold_until,
        "created_at": now,
    }


def cancel_decision_emails(event: AuditEvent) -> bool:
    """Cancel the emails and notifications of a decision that isn't final. Return whether none was sent."""
    emails = EmailMessage.objects.filter(event=event)
    emails.filter(state__in=UNDELIVERED_STATES).update(state=State.CANCELED)
    return not emails.exclude(state__in=(State.CANCELED, State.SUPPRESSED)).exists()


def silence_person(person: int, partner_id: int | None = None) -> None:
    """Suppress a person's held and batched emails, by default all, or only those about a partner's integrations."""
    emails = EmailMessage.objects.filter(person_id=person, state__in=WAITING_STATES)
    if partner_id is not None:
        emails = emails.filter(integration__partner_id=partner_id)
    emails.update(state=State.SUPPRESSED)


def silence_former_staff(person: int) -> None:
    """Suppress a person's held and batched emails, except those about their own companies and their integrations."""
    emails = EmailMessage.objects.filter(person_id=person, state__in=WAITING_STATES)
    of_own_integrations = emails.filter(
        integration__partner__memberships__user=person, integration__partner__memberships__ended_at=None
    )
    of_own_companies = emails.filter(
        event__partner__memberships__user=person, event__partner__memberships__ended_at=None
    )
    own = {*of_own_integrations.values_list("pk", flat=True), *of_own_companies.values_list("pk", flat=True)}
    emails.exclude(pk__in=own).update(state=State.SUPPRESSED)


def mark_as_seen(emails: QuerySet[EmailMessage], now: datetime) -> None:
    """Record that their recipient has read these notifications."""
    emails.filter(seen_at=None).update(seen_at=now)
