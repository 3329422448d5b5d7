"""Subscriptions of readers, and the one-click links that end them (RFC 8058)."""

from functools import partial
from typing import Any

from django.core import signing

from portal.core.site_urls import build_absolute_url
from portal.notifications.models import EmailMessage
from portal.notifications.unsubscribe import build_url
from portal.reports.models import OutsideRecipient, ReportSubscription

SALT = "report"
OUTSIDE_SALT = "report-recipient"
build_unsubscribe_url = partial(build_url, page="reports:stop", salt=SALT)


def build_email_key_prefix(scope: str) -> str:
    """Return the prefix of the email keys of a scope."""
    return f"report:{scope}:"


def update_subscription(reader: Any, scope: str, frequency: str) -> ReportSubscription:
    """Set the report frequency of a reader. Never also cancels a pending email."""
    if frequency == ReportSubscription.Frequency.NEVER:
        pending_emails = EmailMessage.objects.filter(
            person=reader, key__startswith=build_email_key_prefix(scope), state=EmailMessage.State.HELD
        )
        pending_emails.update(state=EmailMessage.State.CANCELED)
    subscription, _ = ReportSubscription.objects.update_or_create(
        user=reader, scope=scope, defaults={"frequency": frequency}
    )
    return subscription


def build_outside_url(recipient: OutsideRecipient, page: str = "reports:stop_outside") -> str:
    """Return the URL with which a recipient without an account confirms or unsubscribes."""
    return build_absolute_url(page, signing.dumps(recipient.pk, salt=OUTSIDE_SALT))


def find_outside_recipient(token: str) -> OutsideRecipient | None:
    """Return the recipient of a token, or None if it is invalid or the recipient was removed."""
    try:
        pk = signing.loads(token, salt=OUTSIDE_SALT)
    except signing.BadSignature:
        return None
    return OutsideRecipient.objects.filter(pk=pk, ended_at=None).first()
