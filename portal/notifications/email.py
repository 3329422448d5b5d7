"""Emails: rendered into a row of the caller's transaction, and sent by a job."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from portal.audit.models import AuditEvent
from portal.notifications.models import EmailMessage
from portal.notifications.rendering import EmailDraft, render
from portal.notifications.tasks import SENDABLE_STATES, enqueue_email

State = EmailMessage.State


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
    group_key: str = "",
    now: datetime | None = None,
) -> EmailMessage | None:
    """Render an email in the caller's transaction and enqueue it. Return None if there is one with this key."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("Queue emails in the transaction of the change that they report.")
    now = now or timezone.now()
    person = to if hasattr(to, "email") else None
    email_message, is_new = EmailMessage.objects.get_or_create(
        key=key,
        defaults={
            **asdict(render(name, {"person": person, **context}, draft)),
            "calendar": calendar,
            "unsubscribe": unsubscribe,
            "group_key": group_key,
            "name": name,
            "to": person.email if person else str(to),
            "person": person,
            "event": event,
            "integration": event.integration if event else None,
            "state": state or (State.HELD if hold_until and hold_until > now else State.QUEUED),
            "held_until": hold_until,
            "created_at": now,
        },
    )
    if is_new and email_message.state in SENDABLE_STATES:
        enqueue_email(email_message, now)
    return email_message if is_new else None


def cancel_held_emails(event: AuditEvent) -> int:
    """Cancel the held and batched emails of a decision that was undone. Return their number."""
    held_emails = EmailMessage.objects.filter(
        event=event, state__in=(EmailMessage.State.HELD, EmailMessage.State.BATCHED)
    )
    return held_emails.update(state=EmailMessage.State.CANCELED)


def silence_person(person: int, partner_id: int) -> int:
    """Suppress a person's held and batched emails about a partner's integrations. Return their number."""
    waiting = EmailMessage.objects.filter(person_id=person, integration__partner_id=partner_id)
    return waiting.filter(state__in=(EmailMessage.State.HELD, EmailMessage.State.BATCHED)).update(
        state=EmailMessage.State.SUPPRESSED
    )


def mark_as_seen(emails: QuerySet[EmailMessage], now: datetime) -> None:
    """Record that their recipient has read these notifications."""
    emails.filter(seen_at=None).update(seen_at=now)
