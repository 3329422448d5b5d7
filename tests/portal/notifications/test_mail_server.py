"""Tests of the responses and outages of the mail server."""

from datetime import datetime
from socketserver import StreamRequestHandler, TCPServer
from threading import Thread
from typing import Any

import pytest

from portal.jobs.models import ResourceLimit
from portal.notifications import delivery
from portal.notifications.tasks import GIVE_UP_AFTER
from tests.portal.notifications.conftest import MailServer
from tests.portal.notifications.test_email import queue_email, send_due_emails

pytestmark = pytest.mark.usefixtures("clock")


def test_email_deferred_by_the_server_is_retried(db: None, mail_server: MailServer, now: datetime, clock: Any) -> None:
    mail_server.answers = ["451 try later"]
    row = queue_email(now)
    send_due_emails()
    row.refresh_from_db()
    assert (row.state, row.last_error) == ("queued", "The mail server responded with 451.")
    clock.shift(9)
    assert send_due_emails() == 0
    clock.shift(2)
    assert send_due_emails() == 1
    row.refresh_from_db()
    assert (row.state, row.last_error, len(mail_server.accepted)) == ("sent", "", 1)


def test_permanently_refused_email_is_shown_as_failed(db: None, mail_server: MailServer, now: datetime) -> None:
    mail_server.answers = ["554 no such person"]
    row = queue_email(now)
    send_due_emails()
    row.refresh_from_db()
    assert (row.state, row.last_error) == ("failed", "The mail server responded with 554.")


def test_mail_server_outage_loses_no_email(
    db: None, mail_server: MailServer, settings: Any, now: datetime, clock: Any
) -> None:
    port = settings.EMAIL_PORT
    settings.EMAIL_PORT = 9
    row = queue_email(now)
    send_due_emails()
    row.refresh_from_db()
    assert (row.state, row.last_error) == ("queued", "The mail server could not be reached (ConnectionRefusedError).")
    settings.EMAIL_PORT = port
    clock.shift(120)
    assert send_due_emails() == 1
    assert len(mail_server.accepted) == 1


def test_outage_stops_all_emails_until_one_is_sent(
    db: None, mail_server: MailServer, settings: Any, now: datetime, clock: Any
) -> None:
    port = settings.EMAIL_PORT
    settings.EMAIL_PORT = 9
    for number in range(3):
        queue_email(now, str(number))
    assert [send_due_emails(), send_due_emails()] == [1, 0]
    clock.shift(9)
    assert send_due_emails() == 0
    clock.shift(2)
    assert send_due_emails() == 1
    clock.shift(19)
    assert send_due_emails() == 0
    settings.EMAIL_PORT = port
    clock.shift(4)
    assert (send_due_emails(), len(mail_server.accepted)) == (3, 3)
    assert ResourceLimit.objects.get().failure_count == 0


def test_server_that_closes_the_connection_is_an_outage(db: None, mail_server: MailServer, now: datetime) -> None:
    mail_server.answers = ["421 closing"]
    for number in range(2):
        queue_email(now, str(number))
    assert (send_due_emails(), len(mail_server.accepted)) == (1, 0)


def test_server_that_closes_the_connection_at_the_recipient_is_an_outage(
    db: None, mail_server: MailServer, now: datetime
) -> None:
    mail_server.recipient_answer = "421 closing"
    row = queue_email(now)
    queue_email(now, "second")
    assert send_due_emails() == 1
    row.refresh_from_db()
    assert (row.state, row.last_error) == ("queued", "The mail server responded with 421.")


def test_refused_address_does_not_delay_other_emails(db: None, mail_server: MailServer, now: datetime) -> None:
    mail_server.recipient_answer = "450 mailbox busy"
    row = queue_email(now)
    queue_email(now, "second")
    assert send_due_emails() == 2
    row.refresh_from_db()
    assert (row.state, row.last_error) == ("queued", "The address was refused (450).")


def test_server_that_refuses_the_portal_is_an_outage(db: None, mail_server: MailServer, now: datetime) -> None:
    """Such a refusal says nothing about the recipient."""
    mail_server.sender_answer = "550 sender rejected"
    row = queue_email(now)
    queue_email(now, "second")
    assert send_due_emails() == 1
    row.refresh_from_db()
    assert (row.state, row.last_error) == ("queued", "The mail server responded with 550.")


def test_email_that_is_too_large_does_not_delay_others(db: None, mail_server: MailServer, now: datetime) -> None:
    """The server can refuse the size before it reads the email (RFC 1870)."""
    mail_server.sender_answer = "552 message too large"
    row = queue_email(now)
    queue_email(now, "second")
    assert send_due_emails() == 2
    row.refresh_from_db()
    assert (row.state, row.last_error) == ("failed", "The mail server responded with 552.")


def test_server_that_refuses_the_connection_is_an_outage(
    db: None, mail_server: MailServer, settings: Any, now: datetime
) -> None:
    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"554 No SMTP service here\r\n")

    delivery.close_connection()
    with TCPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.handle_request, daemon=True).start()
        settings.EMAIL_PORT = server.server_address[1]
        row = queue_email(now)
        send_due_emails()
    row.refresh_from_db()
    assert (row.state, row.last_error) == ("queued", "The mail server responded with 554.")


def test_email_fails_after_an_outage_of_three_days(
    db: None, mail_server: MailServer, settings: Any, now: datetime, clock: Any
) -> None:
    settings.EMAIL_PORT = 9
    row = queue_email(now)
    send_due_emails()
    clock.shift(GIVE_UP_AFTER.total_seconds() + 1)
    send_due_emails()
    row.refresh_from_db()
    assert row.state == "failed"


def test_emails_share_a_connection_even_if_the_server_closes_it(
    db: None, mail_server: MailServer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    for idle_seconds, expected in ((5.0, 1), (-1.0, 4)):
        mail_server.sessions.clear()
        monkeypatch.setattr(delivery, "MAX_IDLE_SECONDS", idle_seconds)
        delivery.close_connection()
        for number in range(4):
            queue_email(now, f"{idle_seconds}:{number}")
        assert (send_due_emails(), len(mail_server.sessions)) == (4, expected)
