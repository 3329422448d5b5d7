"""Security log of accounts, with an email for each sensitive change."""

import secrets
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_noop

from portal.accounts.models import SecurityEvent, User
from portal.core.client_ip import get_client_ip
from portal.core.content_files import Content, load_content
from portal.notifications import email as mail

RETENTION = timedelta(days=400)
UNKNOWN_ADDRESS_RETENTION = timedelta(days=30)  # sign-in attempts with addresses that have no account


class SecurityEventKind(Content):
    """Label of an event in the log, and the email subject if this module sends an email."""

    label: str
    subject: str = ""


class AccountEmail(Content):
    """What the portal sends instead of an email of django-allauth: its template, and the change it is about."""

    subject: str = gettext_noop("Your account was changed")
    template: str = "account_changed"


class SecurityTexts(Content):
    """Content of security_events.yaml."""

    events: dict[str, SecurityEventKind]
    emails: dict[str, AccountEmail]


TEXTS = load_content("portal/accounts/content/security_events.yaml", SecurityTexts)


def record_security_event(
    user: User | None,
    kind: str,
    *,
    request: HttpRequest | None = None,
    detail: str = "",
    address: str = "",
    actor: object = None,
    now: datetime | None = None,
) -> SecurityEvent:
    """Append an entry and queue its email. Raises KeyError for an unknown kind."""
    subject = TEXTS.events[kind].subject
    ip, user_agent = describe_client(request)
    with transaction.atomic():
        event = SecurityEvent.objects.create(
            user=user,
            kind=kind,
            at=now or timezone.now(),
            detail=detail[:200],
            address=address[:254],
            actor=str(actor or "")[:150],
            ip=ip,
            user_agent=user_agent,
        )
        if subject and user is not None:
            notify_owner(user, event, subject)
    return event


def record_failed_sign_in(request: HttpRequest, address: str) -> None:
    """Append a failed sign-in. Known and unknown addresses take the same time: one query and one row."""
    # Each address of an account signs in. One that its owner has verified counts before the same one elsewhere. An
    # additional one that isn't verified can belong to someone else, whose client the log must not show.
    rows = EmailAddress.objects.filter(Q(verified=True) | Q(primary=True), email=address.lower())
    row = rows.order_by("-verified", "pk").select_related("user").first()
    record_security_event(row.user if row else None, "sign_in_failed", request=request, address=address)


def notify_owner(user: User, event: SecurityEvent, subject: str) -> None:
    """Queue the email about a change for the primary address, regardless of notification preferences."""
    recipient = EmailAddress.objects.get_primary_email(user) or user.email
    context = {
        "address": recipient,
        "change": subject,
        "detail": event.detail,
        "actor": event.actor,
        "at": event.at,
        "ip": event.ip,
        "user_agent": event.user_agent,
    }
    # A random key, because the same change can happen again.
    mail.queue("account_changed", f"account_changed:{secrets.token_hex(12)}", recipient, context, now=event.at)


def describe_client(request: HttpRequest | None) -> tuple[str | None, str]:
    """Return the IP address and the user agent of a request. Empty for the command line."""
    if request is None:
        return None, ""
    # The client controls this header, and PostgreSQL refuses NUL.
    user_agent = "".join(filter(str.isprintable, request.headers.get("User-Agent", "")))
    return get_client_ip(request) or None, user_agent[:200]


def delete_expired_events(now: datetime) -> int:
    """Delete entries older than their retention period. Return the number of entries."""
    expired_count = SecurityEvent.objects.filter(at__lt=now - RETENTION).delete()[0]
    # These addresses are typos, or belong to people who have no account here.
    unknown_count = SecurityEvent.objects.filter(user=None, at__lt=now - UNKNOWN_ADDRESS_RETENTION).delete()[0]
    return expired_count + unknown_count
