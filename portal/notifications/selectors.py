"""Reads of emails for pages, exports, and the API."""

from datetime import datetime

from django.db.models import BigIntegerField, DateTimeField, Q, QuerySet

from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.notifications.models import EmailMessage

HIDDEN_STATES = (EmailMessage.State.CANCELED, EmailMessage.State.HELD, EmailMessage.State.SUPPRESSED)
MAX_UNSEEN_COUNT = 100  # more are shown as 99+
# Their links work without a password.
SECRET_TEMPLATES = frozenset(
    {"confirm_address", "reset_password", "invitation", "staff_invitation", "report_confirmation"}
)


def filter_emails(state: str, query: str) -> QuerySet[EmailMessage]:
    """Return the emails that match, without their texts. An unknown state is ignored."""
    mails = EmailMessage.objects.defer("text", "html", "calendar")
    if state in EmailMessage.State.values:
        mails = mails.filter(state=state)
    if query:
        mails = mails.filter(subject__icontains=query) | mails.filter(to__icontains=query)
    return mails


def list_received_emails(person_id: int | None, now: datetime) -> QuerySet[EmailMessage]:
    """Return the notifications of a person, without their texts and those of decisions that aren't final."""
    is_visible = Q(visible_at=None) | Q(visible_at__lte=now)
    emails = EmailMessage.objects.filter(is_visible, person_id=person_id).exclude(state__in=HIDDEN_STATES)
    return emails.defer("text", "html", "calendar")


UNSEEN_EMAILS = CompiledQuery(
    lambda: (
        EmailMessage.objects.filter(
            Q(visible_at=None) | Q(visible_at__lte=Parameter("now", DateTimeField())),
            person=Parameter("person", BigIntegerField()),
            seen_at=None,
        )
        .exclude(state__in=HIDDEN_STATES)
        .order_by()
        .values_list("pk")[:MAX_UNSEEN_COUNT]
    )
)


def count_unseen_emails(person_id: int, now: datetime) -> int:
    """Return the number of notifications that a person has not opened, at most MAX_UNSEEN_COUNT."""
    return len(UNSEEN_EMAILS.fetch(person=person_id, now=now))
