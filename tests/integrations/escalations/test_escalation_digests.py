"""Tests of escalations that are combined into one email per recipient."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connection, transaction
from django.utils import timezone

from integrations.escalations.models import Escalation
from integrations.escalations.tasks import forward_due, queue_escalation
from integrations.submissions import digests
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.jobs.execution import run_due_jobs
from portal.jobs.models import Job
from portal.notifications.delivery import DeliveryError
from portal.notifications.models import EmailMessage
from tests.concurrency import list_errors

MINUTE = timedelta(minutes=1)
DUE = "2026-04-16T10:00:00+00:00"


@pytest.fixture(autouse=True)
def clock(time_machine: Any, now: datetime, settings: Any) -> Any:
    settings.EMAIL_STORED_ONLY = False
    time_machine.move_to(now, tick=False)
    return time_machine


@pytest.fixture
def row(integration_at: Any, rob: User) -> Integration:
    """Acme's integration in review, with Rob as Alliances manager."""
    row: Integration = integration_at("review")
    row.partner.alliances_manager = rob
    row.partner.save()
    EmailMessage.objects.all().delete()
    Job.objects.all().delete()
    return row


def escalate(row: Integration, recipient: User | str, *, due: str = DUE, severity: str = "") -> None:
    """Escalate an action of the program, or an issue of a severity."""
    issue = {"name": "acme/rocket#7", "title": "It fails", "url": "https://github.com/acme/rocket/issues/7"}
    issue |= {"issue": "00000000-0000-4000-8000-000000000000", "target_type": "resolve", "severity": severity}
    data = {"recipient": str(recipient), "due": due, "issues": [issue | {"due": due}] if severity else []}
    event_type = "program.breach_escalated" if severity else "program.action_overdue"
    with transaction.atomic():
        event = record_event(row, event_type, actor=None, now=timezone.now(), share=100, **data)
        queue_escalation(event, recipient, timezone.now())


def send_due_emails() -> list[str]:
    """Send the emails that are due. Return their subjects."""
    before = len(mail.outbox)
    run_due_jobs("email", timezone.now())
    return [str(message.subject) for message in mail.outbox[before:]]


def test_single_escalation_is_sent_unchanged_after_15_minutes(row: Integration, rita: User, clock: Any) -> None:
    escalate(row, rita)
    clock.shift(15 * MINUTE - timedelta(seconds=1))
    assert send_due_emails() == []
    clock.shift(timedelta(seconds=1))
    assert send_due_emails() == ["Overdue: Rocket by Acme is waiting for the program"]
    assert EmailMessage.objects.get().state == "sent"


@pytest.mark.every_database
def test_recipient_can_have_a_long_address(row: Integration, rita: User, clock: Any) -> None:
    User.objects.filter(pk=rita.pk).update(email=f"rita@{'a' * 60}.{'b' * 60}.{'c' * 60}.example")
    escalate(row, User.objects.get(pk=rita.pk))
    clock.shift(15 * MINUTE)
    assert send_due_emails() == ["Overdue: Rocket by Acme is waiting for the program"]


@pytest.mark.parametrize(
    ("responsible_party", "undo_minutes", "state"),
    [("program", 0, "sent"), ("partner", 0, "canceled"), ("partner", 60, "sent")],
)
def test_escalation_that_was_answered_while_it_waited_is_not_sent(
    row: Integration, rita: User, clock: Any, responsible_party: str, undo_minutes: int, state: str
) -> None:
    Escalation.objects.create(integration=row, kind="action", due_at=DUE, began_at=timezone.now())
    escalate(row, rita)
    undo_until = timezone.now() + undo_minutes * MINUTE
    Integration.objects.filter(pk=row.pk).update(
        responsible_party=responsible_party, action_due_at=DUE, undo_until=undo_until
    )
    clock.shift(15 * MINUTE)
    assert len(send_due_emails()) == (1 if state == "sent" else 0)
    assert EmailMessage.objects.get().state == state


def test_escalation_sent_in_the_morning_uses_up_the_email_of_that_day(row: Integration, rita: User, clock: Any) -> None:
    escalate(row, rita)
    clock.shift(15 * MINUTE)
    assert len(send_due_emails()) == 1
    escalate(row, rita)
    morning = EmailMessage.objects.latest("pk").held_until
    clock.move_to(morning, tick=False)
    assert len(send_due_emails()) == 1
    escalate(row, rita)
    clock.shift(15 * MINUTE)
    assert send_due_emails() == []
    clock.move_to(morning + timedelta(days=1), tick=False)
    assert len(send_due_emails()) == 1


def test_escalations_within_15_minutes_are_one_email_that_lists_each(
    row: Integration, rita: User, sign_in: Any, clock: Any
) -> None:
    escalate(row, rita, due="2026-04-16T12:00:00+00:00")
    clock.shift(14 * MINUTE)
    escalate(row, rita, due="2026-04-16T10:00:00+00:00", severity="high")
    escalate(row, row.edition.mailbox)
    clock.shift(MINUTE)
    assert send_due_emails() == ["2 escalations: Rocket"]
    text = str(mail.outbox[-1].body)
    page = f"/integrations/{row.uuid}/review/"
    first, second = (line for line in text.split("- ") if page in line)
    assert first.startswith("Escalated: 1 overdue issue in Rocket: ")
    assert "Due Thu, Apr 16, 10:00 AM UTC" in first
    assert second.startswith("Overdue: Rocket by Acme is waiting for the program: ")
    assert "Due Thu, Apr 16, 12:00 PM UTC" in second
    parts = EmailMessage.objects.filter(person=rita, name="escalated")
    assert set(parts.values_list("state", "digest__name")) == {("included_in_digest", "escalation_digest")}
    notifications = sign_in(rita).get("/notifications/").text
    assert "Escalated: 1 overdue issue in Rocket" in notifications
    assert "Overdue: Rocket by Acme is waiting for the program" in notifications
    clock.shift(14 * MINUTE)
    assert send_due_emails() == ["Overdue: Rocket by Acme is waiting for the program"]  # to the mailbox


def test_critical_issue_is_sent_at_once_with_waiting_escalations(row: Integration, rita: User, clock: Any) -> None:
    escalate(row, rita)
    clock.shift(MINUTE)
    escalate(row, rita, severity="critical")
    assert send_due_emails() == ["2 escalations: Rocket"]
    clock.shift(30 * MINUTE)
    assert send_due_emails() == []


def test_escalations_of_a_day_are_one_email_and_later_ones_wait_for_the_morning(
    row: Integration, rita: User, clock: Any
) -> None:
    User.objects.filter(pk=rita.pk).update(zone="Europe/Berlin")
    rita.refresh_from_db()
    escalate(row, rita)
    clock.shift(15 * MINUTE)
    assert len(send_due_emails()) == 1
    for _ in range(14):
        escalate(row, rita)
        clock.shift(30 * MINUTE)
        assert send_due_emails() == []
    escalate(row, row.edition.mailbox)
    clock.move_to(datetime(2026, 4, 15, 5, 59, tzinfo=UTC), tick=False)
    assert len(send_due_emails()) == 1  # to the mailbox, which had no email yet
    clock.shift(MINUTE)  # 8 AM in Berlin
    assert send_due_emails() == ["14 escalations: Rocket"]
    escalate(row, rita)
    clock.shift(15 * MINUTE)
    assert send_due_emails() == []
    escalate(row, rita, severity="critical")
    assert send_due_emails() == ["2 escalations: Rocket"]


def test_waiting_escalation_is_in_no_other_digest(row: Integration, rita: User, clock: Any) -> None:
    escalate(row, rita)
    clock.shift(60 * MINUTE)
    assert digests.send_due(timezone.now()) == 0
    assert len(send_due_emails()) == 1


def test_escalations_of_a_refused_email_go_to_the_next_recipient(
    row: Integration, rita: User, rob: User, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(email_message: EmailMessage) -> None:
        raise DeliveryError("The address was refused (550).", is_permanent=True)

    Integration.objects.filter(pk=row.pk).update(reviewer=rita)
    escalate(row, rita)
    escalate(row, rita, severity="critical")
    with monkeypatch.context() as patch:
        patch.setattr("portal.notifications.tasks.deliver", refuse)
        send_due_emails()
    assert set(EmailMessage.objects.values_list("state", "last_error")) == {
        ("failed", "The address was refused (550).")
    }
    assert [forward_due(timezone.now()) for _ in range(2)] == [2, 0]
    assert send_due_emails() == ["2 escalations: Rocket"]
    assert mail.outbox[-1].to == [rob.email]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL")
def test_concurrent_adding_and_sending_loses_and_repeats_nothing(row: Integration, rita: User, clock: Any) -> None:
    count = 6

    def add() -> None:
        for number in range(count):
            with transaction.atomic():
                integration = Integration.objects.select_for_update(of=("self",)).get(pk=row.pk)
                escalate(integration, rita, severity="critical" if number % 3 == 0 else "")

    def send() -> None:
        running = Job.objects.filter(kind="escalations.send_escalations", state=Job.State.RUNNING)
        for _ in range(3 * count):
            running.update(lease_expires_at=timezone.now())  # the other worker takes the job over
            run_due_jobs("email", timezone.now())

    assert list_errors(add, add, send, send) == []
    clock.shift(timedelta(days=1))  # later ones wait for the next morning
    while send_due_emails():
        pass
    parts = EmailMessage.objects.filter(name="escalated")
    assert parts.count() == 2 * count
    assert set(parts.values_list("state", flat=True)) <= {"sent", "included_in_digest"}
    assert sum(message.body.count("Due ") or 1 for message in mail.outbox) == 2 * count
