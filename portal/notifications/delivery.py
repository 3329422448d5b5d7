"""Delivery of one email to the mail server or provider, and what its errors mean."""

import threading
from email.utils import parseaddr
from smtplib import (
    SMTPAuthenticationError,
    SMTPConnectError,
    SMTPException,
    SMTPHeloError,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPSenderRefused,
)
from time import monotonic

from anymail.exceptions import AnymailAPIError, AnymailError, AnymailRecipientsRefused
from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from portal.notifications.models import EmailMessage

PERMANENT_FAILURE_STATUSES = (400, 422)  # of a refused email; other statuses concern the portal or are temporary
MESSAGE_TOO_LARGE = 552  # also the answer to MAIL FROM, which states the size (RFC 1870)
SERVICE_NOT_AVAILABLE = 421  # the answer of an SMTP server that closes the connection (RFC 5321)
# These refuse the portal and so every email, whatever their code, unless it concerns the size of the email.
PORTAL_REFUSALS = (SMTPConnectError, SMTPHeloError, SMTPAuthenticationError, SMTPSenderRefused)
MAX_IDLE_SECONDS = 5.0  # a connection that waited longer may have been closed by the server


class DeliveryError(Exception):
    """The email was not accepted.

    `is_permanent`: no further attempt can change that. `is_outage`: the server accepts no other email either.
    """

    def __init__(self, message: str, *, is_permanent: bool = False, is_outage: bool = False) -> None:
        super().__init__(message)
        self.is_permanent = is_permanent
        self.is_outage = is_outage


class _OpenConnection(threading.local):
    """Open connection of a thread. Connecting for each email would take longer than sending it."""

    backend: BaseEmailBackend | None = None
    used_at = 0.0


_open_connection = _OpenConnection()


def deliver(email_message: EmailMessage) -> None:
    """Send an email. Raises DeliveryError if the server doesn't accept it."""
    try:
        _send(email_message)
    except SMTPRecipientsRefused as refusal:
        code = next(iter(refusal.recipients.values()))[0]
        if code == SERVICE_NOT_AVAILABLE:  # smtplib reports the end of the connection as a refused recipient
            raise DeliveryError(f"The mail server responded with {code}.", is_outage=True) from refusal
        raise DeliveryError(f"The address was refused ({code}).", is_permanent=code >= 500) from refusal
    except SMTPResponseException as error:
        code = error.smtp_code
        is_outage = code == SERVICE_NOT_AVAILABLE or (isinstance(error, PORTAL_REFUSALS) and code != MESSAGE_TOO_LARGE)
        message = f"The mail server responded with {code}."
        raise DeliveryError(message, is_permanent=code >= 550 and not is_outage, is_outage=is_outage) from error
    except AnymailError as error:
        raise _describe_provider_error(error) from error
    except (SMTPException, OSError) as error:
        message = f"The mail server could not be reached ({type(error).__name__})."
        raise DeliveryError(message, is_outage=True) from error


def close_connection() -> None:
    """Close the connection of this thread."""
    backend = _open_connection.backend
    _open_connection.backend = None
    if backend is not None:
        backend.close()


def _send(email_message: EmailMessage) -> None:
    message = _build_message(email_message)
    connection = message.connection = _get_connection()
    try:
        connection.open()  # nothing if it is open
        message.send()
    except Exception:
        close_connection()
        raise
    _open_connection.used_at = monotonic()


def _get_connection() -> BaseEmailBackend:
    if monotonic() - _open_connection.used_at > MAX_IDLE_SECONDS:
        close_connection()
    if _open_connection.backend is None:
        _open_connection.backend = get_connection()
    return _open_connection.backend


def _describe_provider_error(error: AnymailError) -> DeliveryError:
    """Return why a provider did not accept an email, and whether another attempt can succeed."""
    if isinstance(error, AnymailRecipientsRefused):
        return DeliveryError("The mail provider refused the address.", is_permanent=True)
    if not isinstance(error, AnymailAPIError):  # nothing was sent, because anymail can't represent the email
        message = f"The mail provider can't send this email ({type(error).__name__})."
        return DeliveryError(message, is_permanent=True)
    status = getattr(error, "status_code", None)
    if status is None:
        message = f"The mail provider could not be reached ({type(error).__name__})."
        return DeliveryError(message, is_outage=True)
    is_permanent = status in PERMANENT_FAILURE_STATUSES
    message = f"The mail provider responded with {status}."
    return DeliveryError(message, is_permanent=is_permanent, is_outage=not is_permanent)


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
