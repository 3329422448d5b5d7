"""Reads of emails for pages, exports, and the API."""

from datetime import datetime

from django.db.models import Q, QuerySet

from portal.core.compiled_queries import select_compiled
from portal.notifications.models import EmailMessage

HIDDEN_STATES = (EmailMessage.State.CANCELED, EmailMessage.State.HELD, EmailMessage.State.SUPPRESSED)
UNSENT_STATES = (
    EmailMessage.State.IN_APP_ONLY,
    EmailMessage.State.SUPPRESSED,
    EmailMessage.State.CANCELED,
    EmailMessage.State.FAILED,
)
MAX_UNSEEN_COUNT = 100  # more are shown as 99+
# Their links work without a password.
SECRET_TEMPLATES = frozenset(
    {"confirm_address", "reset_password", "invitation", "staff_invitation", "report_confirmation"}
)


def list_notified(stream: str, seq: int | None) -> list[int | str]:
    """Return who got the email of an event: people by ID, mailboxes by address. Without an event, no one did."""
    if seq is None:
        return []
    emails = EmailMessage.objects.filter(event__stream=stream, event__seq=seq).exclude(state__in=UNSENT_STATES)
    return [person_id or to for person_id, to in emails.values_list("person_id", "to")]


def filter_emails(state: str, query: str) -> QuerySet[EmailMessage]:
    """Return the emails that match, without their texts. An unknown state is ignored."""
    emails = EmailMessage.objects.defer("text", "html", "calendar")
    if state in EmailMessage.State.values:
        emails = emails.filter(state=state)
    if query:
        emails = emails.filter(subject__icontains=query) | emails.filter(to__icontains=query)
    return emails


def list_received_emails(person_id: int | None, now: datetime) -> QuerySet[EmailMessage]:
    """Return the notifications of a person, without their texts and those of decisions that aren't final."""
    is_visible = Q(visible_at=None) | Q(visible_at__lte=now)
    emails = EmailMessage.objects.filter(is_visible, person_id=person_id).exclude(state__in=HIDDEN_STATES)
    return emails.defer("text", "html", "calendar")


def _list_unseen_emails(person: int, now: datetime) -> QuerySet[EmailMessage, int]:
    return list_received_emails(person, now).filter(seen_at=None).order_by().values_list("pk", flat=True)


def count_unseen_emails(person_id: int, now: datetime) -> int:
    """Return the number of notifications that a person has not opened, at most MAX_UNSEEN_COUNT."""
    return len(select_compiled(_list_unseen_emails, person=person_id, now=now)[:MAX_UNSEEN_COUNT])
