"""Subscriptions of readers, and the one-click links that end them (RFC 8058)."""

from functools import partial
from typing import Any

from portal.notifications.models import EmailMessage
from portal.notifications.unsubscribe import build_url
from portal.reports.models import ReportSubscription

SALT = "report"
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
