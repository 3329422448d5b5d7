"""Tests of queueing and sending emails."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email import message_from_bytes
from functools import partial
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP
from django.db import transaction
from django.utils import timezone

from integrations.submissions import notices
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.jobs.execution import claim, run_due_jobs
from portal.jobs.models import Job, ResourceLimit
from portal.notifications import delivery, email as mail, rendering
from portal.notifications.models import EmailMessage
from portal.notifications.tasks import GIVE_UP_AFTER, SENDABLE_STATES, enqueue_email, queue_stored_emails
from tests.conftest import fulfill_requirements
from tests.servers.base import find_free_port

OTHER_RECIPIENTS = "00000000-0000-0000-0000-000000000000"


class MailServer:
    """Mail server on loopback that stores accepted emails and gives the configured response."""

    def __init__(self) -> None:
        self.accepted: list[Any] = []
        self.answers: list[str] = []
        self.sessions: set[Any] = set()

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:
        self.sessions.add(session)
        answer = self.answers.pop(0) if self.answers else "250 accepted"
        if answer.startswith("250"):
            self.accepted.append(envelope)
        return answer


@pytest.fixture
def mail_server(settings: Any) -> Iterator[MailServer]:
    handler = MailServer()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = find_free_port()
    controller = Controller(handler, hostname="127.0.0.1", port=settings.EMAIL_PORT)
    controller.start()
    settings.EMAIL_USE_TLS = False
    settings.EMAIL_STORED_ONLY = False
    yield handler
    controller.stop()


@pytest.fixture(autouse=True)
def clock(time_machine: Any, now: datetime) -> Any:
    time_machine.move_to(now, tick=False)
    return time_machine


def queue_email(now: datetime, key: str = "k", **fields: Any) -> EmailMessage:
    texts = {"subject": "Hello", "text": "Hi.\n", "html": "<p>Hi.</p>"}
    email_fields = texts | {"name": "message", "to": "alice@acme.example"} | fields
    row = EmailMessage.objects.create(key=key, created_at=now, **email_fields)
    if row.state in SENDABLE_STATES:
        enqueue_email(row, now)
    return row


def send_due_emails() -> int:
    return run_due_jobs("email", timezone.now()).get("notifications.send_email", 0)


def test_email_is_refused_outside_a_transaction(transactional_db: None) -> None:
    with pytest.raises(RuntimeError, match="in the transaction"):
        mail.queue("message", "k", "a@b.example", {})


def test_due_email_is_sent_once(db: None, mail_server: MailServer, now: datetime) -> None:
    row = queue_email(now)
    assert [send_due_emails(), send_due_emails()] == [1, 0]
    row.refresh_from_db()
    assert (row.state, row.sent_at, len(mail_server.accepted)) == ("sent", now, 1)
    assert f"Message-ID: <{row.uuid}@localhost>" in mail_server.accepted[0].content.decode()


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


def test_email_of_a_dead_worker_is_sent_after_its_lease(
    db: None, mail_server: MailServer, now: datetime, clock: Any
) -> None:
    row = queue_email(now)
    assert claim(Job.objects.all(), now)
    clock.shift(59)
    assert send_due_emails() == 0
    clock.shift(1)
    assert send_due_emails() == 1
    row.refresh_from_db()
    assert row.state == "sent"


def test_email_sent_by_a_dead_worker_is_not_sent_again(db: None, mail_server: MailServer, now: datetime) -> None:
    row = queue_email(now)
    send_due_emails()
    enqueue_email(row, now)
    assert (send_due_emails(), len(mail_server.accepted)) == (1, 1)


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


def test_user_text_adds_no_header(db: None, mail_server: MailServer, now: datetime) -> None:
    title = "Crash\r\nBcc: eve@example.org\r\n\r\n<b>Pay\x00\x1b[31m \u202etxt.exe\u2028 é\x85"
    issue = {"share": 90, "name": title, "issue": OTHER_RECIPIENTS}
    message = rendering.render("issues_warned", {"issues": [issue], "issues_page": "https://portal.example/"})
    assert message.subject == "Due soon: Crash Bcc: eve@example.org <b>Pay [31m txt.exe é (90% of SLA time used)"
    queue_email(now, subject=message.subject)
    send_due_emails()
    (envelope,) = mail_server.accepted
    parsed_message = message_from_bytes(envelope.content)
    assert (envelope.rcpt_tos, parsed_message["Bcc"], parsed_message["To"]) == (
        ["alice@acme.example"],
        None,
        "alice@acme.example",
    )


def test_kept_email_is_sent_once_there_is_a_mail_server(
    db: None, settings: Any, mail_server: MailServer, now: datetime, clock: Any
) -> None:
    settings.EMAIL_STORED_ONLY = True
    queue_email(now, "kept")
    send_due_emails()
    assert (queue_stored_emails(now), EmailMessage.objects.get().state) == (0, "stored")
    settings.EMAIL_STORED_ONLY = False
    clock.move_to(later := now + timedelta(hours=71), tick=False)
    assert queue_stored_emails(later) == 1
    send_due_emails()
    assert (EmailMessage.objects.get().state, len(mail_server.accepted)) == ("sent", 1)
    assert queue_stored_emails(later) == 0


def test_kept_email_that_is_too_old_stays_in_the_email_log(db: None, now: datetime, client: Any, rita: Any) -> None:
    queue_email(now, "kept", state="stored")
    assert queue_stored_emails(now + GIVE_UP_AFTER) == 0
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    assert "Hello" in client.get("/emails/?state=stored").text


def test_without_a_mail_server_emails_are_stored_and_marked(db: None, settings: Any, now: datetime) -> None:
    settings.EMAIL_STORED_ONLY = True
    row = queue_email(now)
    send_due_emails()
    row.refresh_from_db()
    assert (row.state, row.sent_at) == ("stored", None)


def test_email_of_a_decision_waits_and_is_canceled_by_undoing(
    integration_at: Any, alice: Any, rita: Any, now: datetime, clock: Any
) -> None:
    row = integration_at("review")
    fulfill_requirements(row, alice, now)
    event = perform_transition(row, "approve", actor=rita, now=now)
    email = event.emails.get()
    assert (email.to, email.state, email.held_until) == (alice.email, "held", now + timedelta(minutes=10))
    Job.objects.exclude(dedup_key=str(email.pk)).delete()
    clock.shift(9 * 60)
    assert send_due_emails() == 0
    perform_transition(row, "undo_decision", actor=rita, now=now + timedelta(minutes=9))
    email.refresh_from_db()
    assert email.state == "canceled"
    clock.shift(2 * 60)
    send_due_emails()
    email.refresh_from_db()
    assert (email.state, email.sent_at) == ("canceled", None)


def test_preview_equals_the_email_byte_for_byte(
    integration_at: Any, alice: Any, bob: Any, rita: Any, now: datetime
) -> None:
    row = integration_at("review")
    findings.raise_finding(row, "NO-3", "Add tests.", actor=rita, now=now)
    version = Integration.objects.get(pk=row.pk).version
    decide = partial(perform_transition, row, "request_changes", actor=rita, note="Two things.", now=now)
    previewed_emails = notices.preview_emails(decide, rita).emails
    assert Integration.objects.get(pk=row.pk).version == version
    sent_emails = decide().emails.order_by("pk")
    assert [(m.to, m.subject, m.text, m.html) for m in previewed_emails] == [
        (m.to, m.subject, m.text, m.html) for m in sent_emails
    ]
    assert [m.to for m in previewed_emails] == [alice.email, bob.email]


def test_repeated_notification_is_one_email(rocket: Integration, alice: Any, now: datetime) -> None:
    context = notices.build_context(rocket.events.get())
    with transaction.atomic():
        first = mail.queue("integration_created", "key", alice, context, now=now)
        again = mail.queue("integration_created", "key", alice, context, now=now)
    assert (first is not None, again) == (True, None)


def test_rolled_back_transition_sends_no_email(integration_at: Any, rita: Any, now: datetime) -> None:
    row = integration_at("review")
    before = EmailMessage.objects.count()
    with transaction.atomic():
        perform_transition(row, "decline", actor=rita, note="No.", now=now)
        transaction.set_rollback(True)
    assert EmailMessage.objects.count() == before
