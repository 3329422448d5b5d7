"""How does a mail come to be, and how does it leave? A row in the caller's transaction, sent later.

The row is the truth: a crash between the server's acceptance and our commit sends the same mail again with
the same Message-ID; nothing is ever lost.
"""

import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from email.utils import parseaddr
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException
from time import monotonic
from typing import Any
from zoneinfo import ZoneInfo

from anymail.exceptions import AnymailError, AnymailRecipientsRefused
from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.text import Truncator

from integrations.partners.models import Partner
from portal.audit.models import AuditEvent
from portal.notifications.models import EmailMessage

BLANK_LINES = re.compile(r"\n[ \t]*(\n[ \t]*)+\n")  # what absent parts of a text leave behind
LEASE = timedelta(seconds=90)
BATCH_SIZE = 100
ROUND_SECONDS = 60
RETRY_SECONDS = (10, 60, 120, 300, 600, 1200, 1800)
GIVE_UP_AFTER = timedelta(hours=72)
PERMANENT_FAILURE_STATUSES = (400, 422)  # statuses by which a provider refuses a mail; others are about us, or pass


@dataclass(frozen=True, slots=True)
class RenderedEmail:
    """A mail as it will be sent."""

    subject: str
    text: str
    html: str


def render(name: str, context: Mapping[str, Any]) -> RenderedEmail:
    """Render templates/notifications/email/NAME/{subject.txt,body.txt,body.html}.

    Previews and mails both come from here.

    Moments are said in the zone of the person that it goes to, never in that of whoever caused it; words in the
    portal's own language, since nobody says which one they read.
    """
    full = {"site": settings.SITE_URL, "mail_from": settings.DEFAULT_FROM_EMAIL, **context}
    zone = ZoneInfo(getattr(full.get("person"), "zone", "UTC"))
    with timezone.override(zone), translation.override(settings.LANGUAGE_CODE):
        return RenderedEmail(
            subject=Truncator(flatten_text(render_to_string(f"notifications/email/{name}/subject.txt", full))).chars(
                240
            ),
            text=BLANK_LINES.sub("\n\n", render_to_string(f"notifications/email/{name}/body.txt", full)).strip() + "\n",
            html=render_to_string(f"notifications/email/{name}/body.html", full),
        )


def flatten_text(text: str) -> str:
    """A text that is fit for a header: no line ends, no control characters, nothing that turns the writing round."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def queue(
    name: str,
    key: str,
    to: Any,
    context: Mapping[str, Any],
    *,
    hold_until: datetime | None = None,
    event: AuditEvent | None = None,
    calendar: str = "",
    unsubscribe: str = "",
    state: str = "",
    now: datetime | None = None,
) -> EmailMessage | None:
    """Render a mail into a row of the caller's transaction. `to` is a person or an address.

    `state`: where its receiver chose something else than a mail of its own. Returns None when a mail of that key is
    there already. Raises RuntimeError outside a transaction: a mail must never leave for work that was rolled back.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("Mail is queued in the transaction of what it tells.")
    now = now or timezone.now()
    person = to if hasattr(to, "email") else None
    content = render(name, {"person": person, **context})
    due_at = max(hold_until or now, now)
    columns = asdict(content) | {"calendar": calendar, "unsubscribe": unsubscribe}
    email_message, is_new = EmailMessage.objects.get_or_create(
        key=key,
        defaults={
            **columns,
            "name": name,
            "to": person.email if person else str(to),
            "person": person,
            "event": event,
            "integration": event.integration if event else None,
            "state": state or (EmailMessage.State.HELD if due_at > now else EmailMessage.State.QUEUED),
            "due_at": due_at,
            "created_at": now,
        },
    )
    return email_message if is_new else None


def cancel_held_emails(event: AuditEvent) -> int:
    """Stop the mails of a decision that was undone. Returns how many."""
    held_emails = EmailMessage.objects.filter(
        event=event, state__in=(EmailMessage.State.HELD, EmailMessage.State.BATCHED)
    )
    return held_emails.update(state=EmailMessage.State.CANCELLED)


def silence_person(person: int, partner: Partner) -> int:
    """Stop what waits to be told to a person about a company's integrations. Returns how many."""
    waiting = EmailMessage.objects.filter(person_id=person, integration__partner=partner)
    return waiting.filter(state__in=(EmailMessage.State.HELD, EmailMessage.State.BATCHED)).update(
        state=EmailMessage.State.SUPPRESSED
    )


def queue_kept_mails(now: datetime | None = None) -> int:
    """Queue the mails that were kept while no mail server was set up, once there is one. Return how many.

    Mails older than GIVE_UP stay in the outbox, where staff read them: their news is old and their links have ended.
    """
    if settings.EMAIL_STORED_ONLY:
        return 0
    now = now or timezone.now()
    kept = EmailMessage.objects.filter(state=EmailMessage.State.STORED, created_at__gt=now - GIVE_UP_AFTER)
    return kept.update(state=EmailMessage.State.QUEUED, due_at=now)


def deliver_due(now: datetime | None = None) -> int:
    """Deliver every mail that is due, also those whose worker died. Return how many were handled.

    A round that does not keep up with a slow server ends after a minute; the next one goes on with the oldest.
    """
    now = now or timezone.now()
    states = (EmailMessage.State.HELD, EmailMessage.State.QUEUED, EmailMessage.State.SENDING)
    due = EmailMessage.objects.filter(state__in=states, due_at__lte=now).order_by("due_at").values_list("pk", flat=True)
    round_started_at = monotonic()  # a slow server makes a long round: each lease counts from its own beginning
    handled_count = 0
    with closing(get_connection()) as connection:
        while monotonic() - round_started_at < ROUND_SECONDS:
            results = [
                deliver(pk, now + timedelta(seconds=monotonic() - round_started_at), connection)
                for pk in list(due[:BATCH_SIZE])
            ]
            handled_count += sum(results)
            if len(results) < BATCH_SIZE or not any(results):
                break
    return handled_count


def deliver(pk: int, now: datetime, connection: BaseEmailBackend | None = None) -> bool:
    """Send one mail if it is due and nobody else is sending it. Returns whether this call had it."""
    if connection is None:
        with closing(get_connection()) as own_connection:
            return deliver(pk, now, own_connection)
    if not _claim(pk, now):
        return False
    email_message = EmailMessage.objects.get(pk=pk)
    if settings.EMAIL_STORED_ONLY:
        return _settle(email_message, EmailMessage.State.STORED, now)
    try:
        _send(email_message, connection)
    except SMTPRecipientsRefused as refusal:
        code = next(iter(refusal.recipients.values()))[0]
        return _schedule_retry(email_message, f"The address was refused ({code}).", code >= 500, now)
    except SMTPResponseException as response_error:
        return _schedule_retry(
            email_message, f"The mail server said {response_error.smtp_code}.", response_error.smtp_code >= 550, now
        )
    except AnymailError as error:
        return _schedule_retry(email_message, *_describe_provider_error(error), now)
    except (SMTPException, OSError) as error:
        return _schedule_retry(
            email_message, f"The mail server could not be reached ({type(error).__name__}).", False, now
        )
    return _settle(email_message, EmailMessage.State.SENT, now)


def _send(email_message: EmailMessage, connection: BaseEmailBackend) -> None:
    """Over a connection that the first mail opens, and that is given up where one is not taken."""
    message = _build_message(email_message)
    message.connection = connection
    try:
        connection.open()  # greeting a server for each mail would take longer than the mail; nothing if it is open
        message.send()
    except Exception:
        connection.close()
        raise


def _claim(pk: int, now: datetime) -> bool:
    """Take a due mail: a conditional update, so that one of any number of workers wins."""
    waiting = EmailMessage.objects.filter(
        pk=pk, due_at__lte=now, state__in=(EmailMessage.State.HELD, EmailMessage.State.QUEUED)
    )
    abandoned_emails = EmailMessage.objects.filter(pk=pk, state=EmailMessage.State.SENDING, claimed_until__lt=now)
    values = {"state": EmailMessage.State.SENDING, "claimed_until": now + LEASE}
    return bool(waiting.update(**values) or abandoned_emails.update(**values))


def _settle(email_message: EmailMessage, state: str, now: datetime) -> bool:
    sent_at = now if state == EmailMessage.State.SENT else None
    EmailMessage.objects.filter(pk=email_message.pk).update(
        state=state, sent_at=sent_at, claimed_until=None, last_error=""
    )
    return True


def _describe_provider_error(error: AnymailError) -> tuple[str, bool]:
    """Why a provider did not take a mail, and whether trying again is useless: it refused the mail, not the portal."""
    if isinstance(error, AnymailRecipientsRefused):
        return "The mail provider refused the address.", True
    status = getattr(error, "status_code", None)
    if status is None:
        return f"The mail provider could not be reached ({type(error).__name__}).", False
    return f"The mail provider said {status}.", status in PERMANENT_FAILURE_STATUSES


def _schedule_retry(email_message: EmailMessage, error: str, is_final: bool, now: datetime) -> bool:
    wait = RETRY_SECONDS[min(email_message.attempts, len(RETRY_SECONDS) - 1)]
    is_failed = is_final or now - email_message.created_at > GIVE_UP_AFTER
    EmailMessage.objects.filter(pk=email_message.pk).update(
        state=EmailMessage.State.FAILED if is_failed else EmailMessage.State.QUEUED,
        due_at=now + timedelta(seconds=wait),
        attempts=email_message.attempts + 1,
        claimed_until=None,
        last_error=error[:300],
    )
    return True


def _build_message(email_message: EmailMessage) -> EmailMultiAlternatives:
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    headers = {"Message-ID": f"<{email_message.uuid}@{domain}>"}
    if email_message.unsubscribe:  # RFC 8058: one click in the reader's mail program
        headers |= {
            "List-Unsubscribe": f"<{email_message.unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }
    message = EmailMultiAlternatives(
        email_message.subject, email_message.text, settings.DEFAULT_FROM_EMAIL, [email_message.to], headers=headers
    )
    message.attach_alternative(email_message.html, "text/html")
    if email_message.calendar:
        method = "CANCEL" if "METHOD:CANCEL" in email_message.calendar else "REQUEST"
        message.attach("meeting.ics", email_message.calendar, f"text/calendar; method={method}")
    return message
