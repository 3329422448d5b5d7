"""How does a reader stop a report with one click, also one of their mail program? By a signed address.

RFC 8058: the mail names the address in List-Unsubscribe, a POST to it stops the report without a sign-in.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.urls import reverse

from portal.notifications.models import EmailMessage
from portal.reports.models import ReportSubscription

SALT = "report"


def build_unsubscribe_url(reader: Any, scope: str) -> str:
    """The address that stops this report for this reader. It stays good: a mail may be old."""
    return settings.SITE_URL + reverse("report_stop", args=[signing.dumps([reader.pk, scope], salt=SALT)])


def parse_token(token: str) -> tuple[Any, str] | None:
    """The reader and the scope that a token names; None for a token that is not ours or a reader that is gone."""
    try:
        pk, scope = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError):
        return None
    reader = get_user_model().objects.filter(pk=pk).first()
    return (reader, scope) if reader else None


def build_email_key_prefix(scope: str) -> str:
    """How the keys of the mails of a scope's reports begin."""
    return f"report:{scope}:"


def update_subscription(reader: Any, scope: str, frequency: str) -> ReportSubscription:
    """Keep what a reader wants of a scope; a copy that waits for their morning goes with it. Twice changes nothing."""
    if frequency == ReportSubscription.Frequency.NEVER:
        pending_emails = EmailMessage.objects.filter(
            person=reader, key__startswith=build_email_key_prefix(scope), state=EmailMessage.State.HELD
        )
        pending_emails.update(state=EmailMessage.State.CANCELLED)
    subscription, _ = ReportSubscription.objects.update_or_create(
        user=reader, scope=scope, defaults={"frequency": frequency}
    )
    return subscription
