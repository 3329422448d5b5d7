"""Tests of recipients, times, and number of SLA notifications."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from integrations.escalations.models import Escalation
from integrations.partners.models import PartnerCalendar
from integrations.sla import notifications, tasks as clocks, warnings
from integrations.sla.models import Alert, MonitoredRepository, SlaClock
from integrations.sla.services import monitoring, projection
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.notifications.models import EmailMessage
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row

HOUR = timedelta(hours=1)
NIGHT = datetime(2026, 4, 14, 22, 0, tzinfo=UTC)  # of Acme, 15:00 for the program in Los Angeles
MORNING = datetime(2026, 4, 15, 9, 0, tzinfo=UTC)
ACME = "alice@acme.example"
MAILBOX = "Nomad-integration-dev@hashicorp.com"


@pytest.fixture
def monitored_repository(rocket: Integration, now: datetime) -> MonitoredRepository:
    return create_repository_row(rocket, now)


def create_clock(
    monitored_repository: MonitoredRepository,
    moment: datetime,
    remaining_time: timedelta,
    number: int = 1,
    **fields: Any,
) -> SlaClock:
    return create_clock_row(
        create_issue_row(monitored_repository, number, moment + remaining_time - 48 * HOUR),
        moment + remaining_time,
        **fields,
    )


def list_sent_emails() -> list[tuple[str, str]]:
    return list(
        EmailMessage.objects.filter(name__in=("issues_warned", "issues_breached", "breaches_retracted"))
        .order_by("pk")
        .values_list("subject", "to")
    )


def test_breach_is_reported_to_both_sides_once(monitored_repository: MonitoredRepository, now: datetime) -> None:
    create_clock(monitored_repository, now, -1 * HOUR)
    clocks.advance_due_clocks(now)
    assert [
        notifications.send_due_notifications(now),
        notifications.send_due_notifications(now),
        notifications.send_due_notifications(now + HOUR),
    ] == [1, 0, 0]
    subject = "SLA breach: acme/terraform-provider-rocket#1 (critical)"
    assert list_sent_emails() == [(subject, "alice@acme.example"), (subject, "Nomad-integration-dev@hashicorp.com")]
    event = AuditEvent.objects.get(event_type="issue.breached")
    assert (event.actor, event.action) == ("", "reported overdue issues: acme/terraform-provider-rocket#1")


def test_many_breaches_are_one_email_that_names_every_issue(
    monitored_repository: MonitoredRepository, now: datetime
) -> None:
    for number in reversed(range(30)):  # they are named in the order of their numbers
        create_clock(monitored_repository, now, -1 * HOUR, number)
    clocks.advance_due_clocks(now)
    assert notifications.send_due_notifications(now) == 1
    assert {subject for subject, _ in list_sent_emails()} == {"SLA breaches: 30 issues in Rocket"}
    names = ", ".join(f"acme/terraform-provider-rocket#{number}" for number in range(3))
    event = AuditEvent.objects.get(event_type="issue.breached")
    assert event.action == f"reported overdue issues: {names}, and 27 more"
    text = EmailMessage.objects.filter(name="issues_breached").first().text  # type: ignore[union-attr]
    assert [f"rocket#{number}: http" in text for number in range(30)] == [True] * 30


def test_warning_of_other_severity_waits_for_the_business_day(monitored_repository: MonitoredRepository) -> None:
    night = datetime(2026, 4, 15, 1, 0, tzinfo=UTC)  # 18:00 for the program
    create_clock(monitored_repository, night, 24 * HOUR, severity="other")
    clocks.advance_due_clocks(night)
    assert [
        notifications.send_due_notifications(night),
        notifications.send_due_notifications(MORNING - HOUR),
        len(list_sent_emails()),
    ] == [0, 0, 0]
    assert Alert.objects.get().not_before == MORNING
    assert [notifications.send_due_notifications(MORNING), list_recipients()] == [1, [ACME]]


def test_critical_warning_does_not_wait(monitored_repository: MonitoredRepository) -> None:
    create_clock(monitored_repository, NIGHT, 24 * HOUR)
    clocks.advance_due_clocks(NIGHT)
    assert [notifications.send_due_notifications(NIGHT), len(list_sent_emails())] == [1, 2]


def test_used_shares_of_all_warnings_are_read_at_once(
    monitored_repository: MonitoredRepository, django_assert_num_queries: Any
) -> None:
    for number in range(3):
        create_clock(monitored_repository, NIGHT, 24 * HOUR, number)
    clocks.advance_due_clocks(NIGHT)
    alerts = list(Alert.objects.select_related("clock__issue__monitored_repository"))
    with django_assert_num_queries(2):
        payloads = warnings.build_issue_payloads(alerts, NIGHT)
    assert [payload["share"] for payload in payloads] == [50, 50, 50]


def test_outdated_warning_is_not_sent(monitored_repository: MonitoredRepository) -> None:
    create_clock(monitored_repository, NIGHT, 24 * HOUR, severity="other")
    clocks.advance_due_clocks(NIGHT)
    SlaClock.objects.update(state="met", next_at=None)
    assert notifications.send_due_notifications(NIGHT + 12 * HOUR) == 1
    assert (list_sent_emails(), Alert.objects.filter(notified_at=None).count()) == ([], 0)


def test_warning_is_not_sent_after_the_end_of_support(monitored_repository: MonitoredRepository) -> None:
    create_clock(monitored_repository, NIGHT, 24 * HOUR, severity="other")
    clocks.advance_due_clocks(NIGHT)
    monitoring.stop_monitoring(monitored_repository.integration, NIGHT + HOUR)
    assert notifications.send_due_notifications(NIGHT + 12 * HOUR) == 1
    assert (list_sent_emails(), Alert.objects.filter(notified_at=None).count()) == ([], 0)


def retract_breach(now: datetime) -> None:
    """Retract the breach, as after late news of a timely reply."""
    clock = SlaClock.objects.get()
    clock.state = "met"
    clock.save()
    with transaction.atomic():
        assert projection.retract_invalid_breaches(clock, now, "It was answered in time.") == 1


def test_breach_retracted_before_its_report_is_never_reported(
    monitored_repository: MonitoredRepository, now: datetime
) -> None:
    create_clock(monitored_repository, now, -1 * HOUR)
    clocks.advance_due_clocks(now)
    retract_breach(now)
    assert [notifications.send_due_notifications(now), notifications.send_due_notifications(now + HOUR)] == [1, 0]
    assert list_sent_emails() == []
    assert (Escalation.objects.count(), Alert.objects.filter(notified_at=None).count()) == (0, 0)
    assert not AuditEvent.objects.filter(event_type__in=notifications.EVENT_TYPES_BY_KIND.values()).exists()


@pytest.mark.any_database
def test_retraction_of_a_reported_breach_is_reported(monitored_repository: MonitoredRepository, now: datetime) -> None:
    create_clock(monitored_repository, now, -1 * HOUR)
    clocks.advance_due_clocks(now)
    notifications.send_due_notifications(now)
    retract_breach(now)  # at the same time, as a coarse clock can show it
    assert notifications.send_due_notifications(now) == 1
    event_types = (
        AuditEvent.objects.filter(event_type__in=notifications.EVENT_TYPES_BY_KIND.values())
        .order_by("pk")
        .values_list("event_type", flat=True)
    )
    assert list(event_types) == ["issue.breached", "issue.breach_retracted"]
    assert [to for _, to in list_sent_emails()] == ["alice@acme.example", "Nomad-integration-dev@hashicorp.com"] * 2


def test_breach_recorded_again_is_reported_again(monitored_repository: MonitoredRepository, now: datetime) -> None:
    create_clock(monitored_repository, now, -1 * HOUR)
    for hour in range(0, 6, 2):
        clocks.advance_due_clocks(now + hour * HOUR)
        notifications.send_due_notifications(now + hour * HOUR)
        if hour < 4:
            retract_breach(now + (hour + 1) * HOUR)
            notifications.send_due_notifications(now + (hour + 1) * HOUR)
            SlaClock.objects.update(state="overdue", next_at=now - HOUR)
    event_types = (
        AuditEvent.objects.filter(event_type__in=notifications.EVENT_TYPES_BY_KIND.values())
        .order_by("pk")
        .values_list("event_type", flat=True)
    )
    assert list(event_types) == ["issue.breached", "issue.breach_retracted"] * 2 + ["issue.breached"]


@pytest.fixture
def partner_in_los_angeles(rocket: Integration) -> None:
    """Acme works in Los Angeles: at NIGHT it is 15:00 there."""
    PartnerCalendar.objects.create(
        partner=rocket.partner,
        valid_from=NIGHT - 900 * HOUR,
        zone="America/Los_Angeles",
        workdays=[0, 1, 2, 3, 4],
        created_at=NIGHT,
    )


def list_recipients() -> list[str]:
    return [to for _, to in list_sent_emails()]


def test_each_recipient_is_warned_in_their_working_hours(
    monitored_repository: MonitoredRepository,
) -> None:
    create_clock(monitored_repository, NIGHT, 24 * HOUR, severity="other")
    clocks.advance_due_clocks(NIGHT)
    assert (
        [notifications.send_due_notifications(NIGHT), notifications.send_due_notifications(NIGHT + HOUR)],
        list_recipients(),
    ) == ([1, 0], [MAILBOX])
    assert Alert.objects.get().not_before == MORNING
    assert (
        [notifications.send_due_notifications(MORNING), notifications.send_due_notifications(MORNING + HOUR)],
        list_recipients(),
    ) == (
        [1, 0],
        [MAILBOX, ACME],
    )
    assert AuditEvent.objects.filter(event_type="issue.warning_sent").count() == 1


def test_later_recipient_gets_one_email_of_all_current_warnings(
    monitored_repository: MonitoredRepository,
) -> None:
    for number in (1, 2, 3):
        at = NIGHT + number * timedelta(minutes=10)
        create_clock(monitored_repository, at, 24 * HOUR, number, severity="other")
        clocks.advance_due_clocks(at)
        notifications.send_due_notifications(at)
    SlaClock.objects.filter(issue__number=2).update(state="met", next_at=None)
    assert (list_recipients(), notifications.send_due_notifications(MORNING)) == ([MAILBOX] * 3, 1)
    late = EmailMessage.objects.get(to=ACME, name="issues_warned")
    assert [f"rocket#{number}: http" in late.text for number in (1, 2, 3)] == [True, False, True]


def test_time_zone_of_a_person_overrides_that_of_the_partner(
    monitored_repository: MonitoredRepository, partner_in_los_angeles: None, alice: User
) -> None:
    alice.zone = "Europe/Berlin"
    alice.save()
    create_clock(monitored_repository, NIGHT, 24 * HOUR, severity="other")
    clocks.advance_due_clocks(NIGHT)
    assert (
        [notifications.send_due_notifications(NIGHT), notifications.send_due_notifications(MORNING - 2 * HOUR)],
        list_recipients(),
    ) == ([1, 1], [MAILBOX, ACME])


@pytest.mark.any_database
@pytest.mark.parametrize(("hour", "minute", "expected_count"), [(15, 59, 0), (16, 0, 1), (16, 59, 1), (17, 0, 0)])
def test_warning_before_the_next_business_day_is_sent_in_the_last_working_hour(
    monitored_repository: MonitoredRepository, hour: int, minute: int, expected_count: int
) -> None:
    due = datetime(2026, 4, 15, 8, 0, tzinfo=UTC)  # warned of at 03:12
    at = NIGHT.replace(hour=hour, minute=minute)
    create_clock(monitored_repository, due, 0 * HOUR, severity="other", warned=75, next_at=due - 4.8 * HOUR)
    create_clock(
        monitored_repository, due, 2 * HOUR, 2, severity="other", warned=75, next_at=due - 2.8 * HOUR
    )  # the next morning is early enough
    assert [warnings.create_early_warnings(at), warnings.create_early_warnings(at)] == [expected_count, 0]
    assert (notifications.send_due_notifications(at), len(list_sent_emails())) == (expected_count, 2 * expected_count)
    clocks.advance_due_clocks(due - 4.5 * HOUR)
    notifications.send_due_notifications(due - 4.5 * HOUR)
    assert len(list_sent_emails()) == 2  # at night only without an early warning


def test_early_warning_has_the_share_used_so_far(monitored_repository: MonitoredRepository) -> None:
    due = datetime(2026, 4, 15, 8, 0, tzinfo=UTC)
    create_clock(monitored_repository, due, 0 * HOUR, severity="other", warned=75, next_at=due - 4.8 * HOUR)
    at = NIGHT.replace(hour=16, minute=30)
    warnings.create_early_warnings(at)
    notifications.send_due_notifications(at)
    (issue,) = AuditEvent.objects.get(event_type="issue.warning_sent").data["issues"]
    assert 0 < issue["share"] < 90


def test_notification_is_sent_right_after_a_database_outage(
    monitored_repository: MonitoredRepository, now: datetime
) -> None:
    create_clock(monitored_repository, now, -1 * HOUR)
    clocks.advance_due_clocks(now)

    def fail(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith('INSERT INTO "audit_auditevent"'):
            raise OperationalError("the server closed the connection")
        return execute(sql, *rest)

    with connection.execute_wrapper(fail):
        assert notifications.send_due_notifications(now) == 0
    assert (list_sent_emails(), Alert.objects.get().not_before <= now) == ([], True)
    assert (notifications.send_due_notifications(now), len(list_sent_emails())) == (1, 2)
