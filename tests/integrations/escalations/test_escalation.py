"""Tests of escalation when no one responds or an email cannot be delivered."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from integrations.escalations import services as escalation
from integrations.escalations.models import Escalation
from integrations.escalations.tasks import forward_due
from integrations.sla import notifications, tasks as clocks
from integrations.sla.models import MonitoredRepository, SlaClock
from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.audit import services
from portal.notifications.models import EmailMessage
from tests.conftest import NOW
from tests.integrations.sla.rows import create_clock_row, create_issue_row

HOUR = timedelta(hours=1)
DAY = 24 * HOUR


@pytest.fixture
def now() -> datetime:
    """A time after the set-up of the fixtures."""
    return NOW + HOUR


@pytest.fixture
def row(integration_at: Any, rita: Any, rob: Any, now: datetime) -> Integration:
    """Acme's integration in support, with Rita as reviewer and Rob as Alliances manager."""
    row = integration_at("support")
    row.partner.alliances_manager = rob
    row.partner.save()
    Integration.objects.filter(pk=row.pk).update(reviewer=rita)
    MonitoredRepository.objects.filter(integration=row).update(data_up_to=now + 99 * DAY)
    return Integration.objects.get(pk=row.pk)


@pytest.fixture
def breached_clock(row: Integration, now: datetime) -> SlaClock:
    """A clock that was just breached. The partner and Rita were notified."""
    clock = create_clock_row(create_issue_row(MonitoredRepository.objects.get(), 7, now - 49 * HOUR), now - HOUR)
    clocks.advance_due_clocks(now)
    assert notifications.send_due_notifications(now) == 1
    return clock


def list_recipients(event_type: str) -> list[str]:
    return list(EmailMessage.objects.filter(event__event_type=event_type).order_by("pk").values_list("to", flat=True))


def escalate_at(*moments: datetime) -> list[int]:
    return [escalation.escalate_due(moment) for moment in moments]


def test_unanswered_breach_is_escalated_to_the_manager_and_then_to_the_mailbox(
    breached_clock: SlaClock, row: Integration, now: datetime, rita: Any, rob: Any
) -> None:
    assert list_recipients("issue.breached") == ["alice@acme.example", rita.email]
    moments = (now + 23 * HOUR, now + DAY, now + DAY, now + 47 * HOUR, now + 48 * HOUR, now + 30 * DAY)
    assert escalate_at(*moments) == [0, 1, 0, 0, 1, 0]
    assert list_recipients("program.breach_escalated") == [rob.email, row.edition.mailbox]
    email = EmailMessage.objects.filter(event__event_type="program.breach_escalated").first()
    assert email is not None
    assert email.subject == "Escalated: 1 overdue issue in Rocket"
    assert f"{row.repository}#7" in email.text
    assert not row.events.filter(event_type="program.breach_escalated").visible_to_partner().exists()
    assert Escalation.objects.get().ended_at == now + 48 * HOUR


def test_retraction_is_sent_to_everyone_who_was_notified_of_the_breach(
    breached_clock: SlaClock, row: Integration, now: datetime, rita: Any, rob: Any
) -> None:
    escalate_at(now + DAY, now + 48 * HOUR)
    data = row.events.get(event_type="issue.breached").data
    other = {"issues": [issue | {"due": now.isoformat()} for issue in data["issues"]], "count": 1}
    for event in (other, data):
        with transaction.atomic():
            services.record_event(row, "issue.breach_retracted", actor=None, now=now + 50 * HOUR, **event)
    events = row.events.filter(event_type="issue.breach_retracted").order_by("seq")
    corrected_addresses = [
        set(EmailMessage.objects.filter(event=event).values_list("to", flat=True)) for event in events
    ]
    first = {"alice@acme.example", rita.email}
    assert corrected_addresses == [first, first | {rob.email, row.edition.mailbox}]


def test_retraction_is_not_sent_to_someone_whose_escalation_was_canceled(
    breached_clock: SlaClock, row: Integration, now: datetime, rita: Any
) -> None:
    escalate_at(now + DAY)
    EmailMessage.objects.filter(event__event_type="program.breach_escalated").update(state="canceled")
    with transaction.atomic():
        data = row.events.get(event_type="issue.breached").data
        services.record_event(row, "issue.breach_retracted", actor=None, now=now + 50 * HOUR, **data)
    assert list_recipients("issue.breach_retracted") == ["alice@acme.example", rita.email]


def test_retraction_is_not_sent_to_someone_whose_escalation_will_be_canceled(
    breached_clock: SlaClock, row: Integration, now: datetime, rita: Any
) -> None:
    """The escalation still waits, and the retraction leaves no overdue issue in it."""
    escalate_at(now + DAY)
    SlaClock.objects.update(state="met", stopped_at=now)
    with transaction.atomic():
        data = row.events.get(event_type="issue.breached").data
        services.record_event(row, "issue.breach_retracted", actor=None, now=now + DAY, **data)
    assert list_recipients("issue.breach_retracted") == ["alice@acme.example", rita.email]


def test_former_member_gets_no_more_notifications(
    breached_clock: SlaClock, row: Integration, now: datetime, alice: Any
) -> None:
    alice.memberships.update(ended_at=now)
    with transaction.atomic():
        data = row.events.get(event_type="issue.breached").data
        services.record_event(row, "issue.breach_retracted", actor=None, now=now + HOUR, **data)
    assert alice.email not in list_recipients("issue.breach_retracted")


def test_reviewer_message_ends_the_escalation(
    breached_clock: SlaClock, row: Integration, now: datetime, rita: Any
) -> None:
    findings.post_message(row, "We look at it.", actor=rita, now=now + HOUR)
    assert escalate_at(now + DAY, now + 3 * DAY) == [0, 0]
    assert Escalation.objects.get().ended_at == now + DAY


def test_partner_message_does_not_end_the_escalation(
    breached_clock: SlaClock, row: Integration, now: datetime, alice: Any
) -> None:
    findings.post_message(row, "We look at it.", actor=alice, now=now + HOUR)
    assert escalate_at(now + DAY) == [1]


def test_stopped_clock_is_not_escalated(breached_clock: SlaClock, now: datetime) -> None:
    SlaClock.objects.update(state="late", stopped_at=now + HOUR)
    assert escalate_at(now + DAY) == [0]


def test_escalation_without_further_recipients_ends_after_its_first_email(
    breached_clock: SlaClock, row: Integration, now: datetime
) -> None:
    Integration.objects.update(reviewer=None)
    row.partner.alliances_manager = None
    row.partner.save()
    Escalation.objects.update(notified_addresses=[row.edition.mailbox])
    assert escalate_at(now + DAY, now + 9 * DAY) == [0, 0]


def test_program_action_is_warned_about_and_then_escalated(
    integration_at: Any, rita: Any, rob: Any, now: datetime
) -> None:
    row = integration_at("review")
    assign_reviewer_in_utc(rita)
    row.partner.alliances_manager = rob
    row.partner.save()
    due = get_due_at(row)
    half, most, nearly = (at for _, at in escalation.list_warnings(Integration.objects.get(pk=row.pk)))
    assert (half - NOW, nearly < due) == (7 * DAY, True)  # five of ten days; 75 % are used at 21:00
    assert escalate_at(half - HOUR, half, most, most + 12 * HOUR, nearly - HOUR, nearly, due - HOUR) == [
        0,
        1,
        0,
        1,
        0,
        1,
        0,
    ]
    assert escalate_at(due, due + DAY, due + 2 * DAY, due + 9 * DAY) == [1, 1, 1, 0]
    assert [list_recipients("program.action_warning_sent"), list_recipients("program.action_overdue")] == [
        [rita.email] * 3,
        [rita.email, rob.email, row.edition.mailbox],
    ]
    emails = EmailMessage.objects.filter(event__event_type__startswith="program.action_").order_by("pk")
    assert [email.subject for email in emails] == [
        *(f"Review due soon: Rocket by Acme ({percent}% of the time used)" for percent in (50, 75, 90)),
        *["Overdue: Rocket by Acme is waiting for the program"] * 3,
    ]


def test_warning_waits_for_the_working_hours_of_its_recipient(integration_at: Any, rita: Any, now: datetime) -> None:
    row = integration_at("review")
    rita.zone = "Asia/Tokyo"  # 18:00 there at nine in the morning of UTC
    rita.save()
    Integration.objects.update(reviewer=rita)
    half = escalation.list_warnings(Integration.objects.get(pk=row.pk))[0][1]
    morning = half.replace(hour=0) + DAY
    assert escalate_at(half, half + HOUR, morning - HOUR, morning) == [0, 0, 0, 1]


def assign_reviewer_in_utc(reviewer: Any) -> None:
    """Assign a reviewer who chose the default time zone."""
    reviewer.zone_chosen = True
    reviewer.save()
    Integration.objects.update(reviewer=reviewer)


def test_late_warning_is_sent_once_with_the_current_share(integration_at: Any, rita: Any, now: datetime) -> None:
    row = integration_at("review")
    assign_reviewer_in_utc(rita)
    nearly = escalation.list_warnings(Integration.objects.get(pk=row.pk))[2][1]
    assert escalate_at(nearly + HOUR, nearly + 2 * HOUR) == [1, 0]
    assert [event.data["share"] for event in row.events.filter(event_type="program.action_warning_sent")] == [90]


def test_completed_action_is_not_escalated_further(integration_at: Any, rita: Any, now: datetime) -> None:
    row = integration_at("review")
    due = get_due_at(row)
    assert escalate_at(due) == [1]
    Integration.objects.update(responsible_party="partner", action_due_at=None)
    assert escalate_at(due + DAY) == [0]
    assert list_recipients("program.action_overdue") == [row.edition.mailbox]


def test_escalation_continues_after_the_undo_of_a_decision(integration_at: Any, rita: Any, now: datetime) -> None:
    row = integration_at("review")
    Integration.objects.update(reviewer=rita)
    due = get_due_at(row)
    assert escalate_at(due) == [1]
    now = due + DAY
    requirement = row.edition.list_requirements()[0].id
    findings.raise_finding(row, requirement, "It fails.", actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, now=now)
    assert escalate_at(now) == [0]
    perform_transition(row, "undo_decision", actor=rita, now=now + timedelta(minutes=9))
    assert get_due_at(row) == due
    assert escalate_at(now + timedelta(minutes=9), now + timedelta(minutes=10)) == [0, 1]


def get_due_at(row: Integration) -> datetime:
    due = Integration.objects.get(pk=row.pk).action_due_at
    assert due is not None
    return due


def fail_delivery(email: EmailMessage) -> None:
    EmailMessage.objects.filter(pk=email.pk).update(state="failed", last_error="The address was refused (550).")


def test_undelivered_email_is_sent_to_the_next_recipient(
    breached_clock: SlaClock, row: Integration, now: datetime, rita: Any, rob: Any, sign_in: Any
) -> None:
    fail_delivery(EmailMessage.objects.get(name="issues_breached", to=rita.email))
    assert [forward_due(now), forward_due(now)] == [1, 0]
    assert list_recipients("issue.breached")[2:] == [rob.email]
    fail_delivery(EmailMessage.objects.get(name="issues_breached", to=rob.email))
    assert forward_due(now) == 1
    fail_delivery(EmailMessage.objects.get(name="issues_breached", to=row.edition.mailbox))
    assert forward_due(now) == 0
    EmailMessage.objects.update(created_at=datetime.now(now.tzinfo))
    page = sign_in(rob).get(f"/integrations/{row.uuid}/review/").text
    assert "Undelivered emails" in page
    assert rita.email in page


def test_undelivered_email_to_a_former_reviewer_is_sent_to_the_next_recipient(
    breached_clock: SlaClock, row: Integration, now: datetime, rita: Any, rob: Any
) -> None:
    fail_delivery(EmailMessage.objects.get(name="issues_breached", to=rita.email))
    User.objects.filter(pk=rita.pk).update(is_reviewer=False)
    assert forward_due(now) == 1
    assert list_recipients("issue.breached")[2:] == [rob.email]


def test_undelivered_invitation_keeps_its_calendar_entry(
    breached_clock: SlaClock, row: Integration, now: datetime, rita: Any, rob: Any
) -> None:
    email = EmailMessage.objects.get(name="issues_breached", to=rita.email)
    fail_delivery(email)
    EmailMessage.objects.filter(pk=email.pk).update(calendar="BEGIN:VCALENDAR")
    assert forward_due(now) == 1
    assert EmailMessage.objects.get(name="issues_breached", to=rob.email).calendar == "BEGIN:VCALENDAR"


def test_program_is_notified_of_an_undelivered_partner_email(
    breached_clock: SlaClock, row: Integration, now: datetime, rita: Any, alice: Any, sign_in: Any
) -> None:
    fail_delivery(EmailMessage.objects.get(name="issues_breached", to=alice.email))
    assert forward_due(now) == 1
    email = EmailMessage.objects.get(event__event_type="program.email_delivery_failed")
    assert (email.to, email.subject) == (rita.email, f"Email not delivered: Rocket, {alice.email}")
    assert "The address was refused (550)." in email.text
    EmailMessage.objects.update(created_at=datetime.now(now.tzinfo))
    assert "Undelivered emails" in sign_in(alice).get(f"/integrations/{row.uuid}/").text


def test_undelivered_email_without_an_integration_is_not_forwarded(row: Integration, alice: Any, now: datetime) -> None:
    with transaction.atomic():
        services.record_event(row.partner, "message.note_added", actor=None, now=now)
    EmailMessage.objects.create(key="x", name="reset_password", to=alice.email, state="failed", created_at=now)
    assert [forward_due(now), forward_due(now)] == [0, 0]
