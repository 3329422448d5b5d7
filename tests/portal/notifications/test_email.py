"""Tests of queueing and sending emails."""

from datetime import datetime, timedelta
from email import message_from_bytes
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from integrations.submissions import notices
from integrations.submissions.email_previews import preview_emails
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.jobs.execution import claim, run_due_jobs
from portal.jobs.models import Job
from portal.notifications import email as mail, rendering
from portal.notifications.models import EmailMessage
from portal.notifications.tasks import GIVE_UP_AFTER, SENDABLE_STATES, enqueue_email, queue_stored_emails
from tests.conftest import fulfill_requirements
from tests.portal.notifications.conftest import MailServer

OTHER_RECIPIENTS = "00000000-0000-0000-0000-000000000000"


pytestmark = pytest.mark.usefixtures("clock")


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
    previewed_emails = preview_emails(decide, rita).emails
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
