"""Subscriptions of readers, the one-click links that end them (RFC 8058), and links without a sign-in."""

from functools import partial
from typing import Any

from django.core import signing
from django.db import transaction

from portal.core.site_urls import build_absolute_url
from portal.notifications.models import EmailMessage
from portal.notifications.unsubscribe import build_url
from portal.reports.models import ExternalRecipient, Frequency, ReportSnapshot, ReportSubscription
from portal.reports.recipients import is_wanted, lock_report

SALT = "report"
# A token for one purpose is invalid for another: who may read a file can't unsubscribe its recipient.
EXTERNAL_SALT = "report-recipient"
FILE_SALT = "report-file"
build_unsubscribe_url = partial(build_url, page="reports:stop", salt=SALT)


def build_email_key_prefix(scope: str) -> str:
    """Return the prefix of the email keys of a scope."""
    return f"report:{scope}:"


@transaction.atomic
def update_subscription(reader: Any, scope: str, frequency: str) -> None:
    """Set the report frequency of a reader, and cancel the scheduled emails that no longer match it."""
    # Without the lock, a delivery that has not been committed would add an email that nothing cancels.
    lock_report(scope)
    prefix = build_email_key_prefix(scope)
    scheduled = EmailMessage.objects.filter(person=reader, key__startswith=prefix, state=EmailMessage.State.HELD)
    periods = [key.removeprefix(prefix).partition(":")[0] for key in scheduled.values_list("key", flat=True)]
    for snapshot in ReportSnapshot.objects.filter(scope=scope, period__in=periods):
        if not is_wanted(snapshot, Frequency(frequency)):
            emails = scheduled.filter(key__startswith=f"{prefix}{snapshot.period}:")
            emails.update(state=EmailMessage.State.CANCELED)
    ReportSubscription.objects.update_or_create(user=reader, scope=scope, defaults={"frequency": frequency})


def cancel_scheduled_emails(reader_id: int, scope: str) -> None:
    """Cancel the scheduled emails of a report to a person who can no longer read it."""
    lock_report(scope)
    scheduled = EmailMessage.objects.filter(person=reader_id, state=EmailMessage.State.HELD)
    scheduled.filter(key__startswith=build_email_key_prefix(scope)).update(state=EmailMessage.State.CANCELED)


def build_external_url(recipient: ExternalRecipient, page: str = "reports:stop_external") -> str:
    """Return the URL with which a recipient without an account confirms or unsubscribes."""
    return build_absolute_url(page, signing.dumps(recipient.pk, salt=EXTERNAL_SALT))


def find_external_recipient(token: str) -> ExternalRecipient | None:
    """Return the recipient of a token, or None if it is invalid or the recipient was removed."""
    try:
        pk = signing.loads(token, salt=EXTERNAL_SALT)
    except signing.BadSignature:
        return None
    return ExternalRecipient.objects.filter(pk=pk, ended_at=None).first()


def build_shared_url(recipient: ExternalRecipient, snapshot: ReportSnapshot, form: str) -> str:
    """Return the URL of a report as a file for a recipient without an account."""
    return build_absolute_url(f"reports:shared_{form}", signing.dumps([recipient.pk, snapshot.pk], salt=FILE_SALT))


def find_shared_report(token: str) -> ReportSnapshot | None:
    """Return the report of a token, or None if it is invalid or the recipient no longer gets reports."""
    try:
        recipient_id, snapshot_id = signing.loads(token, salt=FILE_SALT)
    except signing.BadSignature:
        return None
    # Signatures don't expire, so the link works as long as its recipient gets reports.
    recipient = ExternalRecipient.objects.filter(pk=recipient_id, ended_at=None).exclude(confirmed_at=None).first()
    return ReportSnapshot.objects.filter(pk=snapshot_id, scope=recipient.scope).first() if recipient else None
