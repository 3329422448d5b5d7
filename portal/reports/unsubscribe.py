"""One-click unsubscribe links of reports (RFC 8058), which work without a sign-in."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core import signing

from portal.accounts.requests import AnyUser
from portal.core.site_urls import build_absolute_url
from portal.notifications.models import EmailMessage
from portal.reports.models import ReportSubscription

SALT = "report"


def build_unsubscribe_url(reader: AnyUser, scope: str) -> str:
    """Return the unsubscribe URL of a report and reader, which never expires."""
    return build_absolute_url("reports:stop", signing.dumps([reader.pk, scope], salt=SALT))


def parse_token(token: str) -> tuple[object, str] | None:
    """Return the reader and the scope of a token, or None if the token is invalid or the reader is gone."""
    try:
        pk, scope = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError):
        return None
    reader = get_user_model().objects.filter(pk=pk).first()
    return (reader, scope) if reader else None


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
