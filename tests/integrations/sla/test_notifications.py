"""Tests of recipients, times, and number of SLA notifications."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from integrations.escalations.models import Escalation
from integrations.partners.models import PartnerCalendar
from integrations.sla import notifications, warnings
from integrations.sla import tasks as clocks
from integrations.sla.models import Alert, MonitoredRepository, SlaClock
from integrations.sla.services import breaches
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.notifications.models import EmailMessage
from tests.integrations.sla.clocks import clock_of, issue_of, watch_over

H = timedelta(hours=1)
NIGHT = datetime(2026, 4, 14, 22, 0, tzinfo=UTC)


@pytest.fixture
def watch(rocket: Integration, now: datetime) -> MonitoredRepository:
    return watch_over(rocket, now)


def due_in(
    watch: MonitoredRepository, moment: datetime, remaining_time: timedelta, number: int = 1, **fields: Any
) -> SlaClock:
    return clock_of(issue_of(watch, number, moment + remaining_time - 48 * H), moment + remaining_time, **fields)


def list_sent_emails() -> list[tuple[str, str]]:
    return list(
        EmailMessage.objects.filter(name__in=("issues_warned", "issues_breached", "breaches_retracted"))
        .order_by("pk")
        .values_list("subject", "to")
    )


def test_breach_is_reported_to_both_sides_once(watch: MonitoredRepository, now: datetime) -> None:
    due_in(watch, now, -1 * H)
    clocks.advance_clocks(now)
    assert [
        notifications.send_due_notifications(now),
        notifications.send_due_notifications(now),
        notifications.send_due_notifications(now + H),
    ] == [1, 0, 0]
    subject = "SLA breach: acme/terraform-provider-rocket#1 (critical)"
    assert list_sent_emails() == [(subject, "alice@acme.example"), (subject, "Nomad-integration-dev@hashicorp.com")]
    event = AuditEvent.objects.get(event_type="issue.breached")
    assert (event.actor, event.sentence) == ("", "reported overdue issues: 1")


def test_storm_is_one_email_that_names_every_issue(watch: MonitoredRepository, now: datetime) -> None:
    for number in range(30):
        due_in(watch, now, -1 * H, number)
    clocks.advance_clocks(now)
    assert notifications.send_due_notifications(now) == 1
    assert {subject for subject, _ in list_sent_emails()} == {"SLA breaches: 30 issues in Rocket"}
    text = EmailMessage.objects.filter(name="issues_breached").first().text  # type: ignore[union-attr]
    assert [f"rocket#{number}: http" in text for number in range(30)] == [True] * 30


def test_other_warning_waits_for_the_working_day(watch: MonitoredRepository) -> None:
    due_in(watch, NIGHT, 24 * H, severity="other")
    clocks.advance_clocks(NIGHT)
    morning = datetime(2026, 4, 15, 9, 0, tzinfo=UTC)
    assert [
        notifications.send_due_notifications(NIGHT),
        notifications.send_due_notifications(morning - H),
        len(list_sent_emails()),
    ] == [0, 0, 0]
    assert Alert.objects.get().not_before == morning
    assert [notifications.send_due_notifications(morning), len(list_sent_emails())] == [1, 2]


def test_critical_warning_does_not_wait(watch: MonitoredRepository) -> None:
    due_in(watch, NIGHT, 24 * H)
    clocks.advance_clocks(NIGHT)
    assert [notifications.send_due_notifications(NIGHT), len(list_sent_emails())] == [1, 2]


def test_warning_that_was_overtaken_is_not_sent(watch: MonitoredRepository) -> None:
    due_in(watch, NIGHT, 24 * H, severity="other")
    clocks.advance_clocks(NIGHT)
    SlaClock.objects.update(state="met", next_at=None)
    assert notifications.send_due_notifications(NIGHT + 12 * H) == 1
    assert (list_sent_emails(), Alert.objects.filter(notified_at=None).count()) == ([], 0)


def taken_back(now: datetime) -> None:
    """What comes late says that it was answered in time."""
    clock = SlaClock.objects.get()
    clock.state = "met"
    clock.save()
    with transaction.atomic():
        assert breaches.retract_invalid_breaches(clock, now, "It was answered in time.") == 1


def test_breach_that_is_reverted_before_it_was_reported_is_never_reported(
    watch: MonitoredRepository, now: datetime
) -> None:
    due_in(watch, now, -1 * H)
    clocks.advance_clocks(now)
    taken_back(now)
    assert [notifications.send_due_notifications(now), notifications.send_due_notifications(now + H)] == [1, 0]
    assert list_sent_emails() == []
    assert (Escalation.objects.count(), Alert.objects.filter(notified_at=None).count()) == (0, 0)
    assert not AuditEvent.objects.filter(event_type__in=notifications.EVENT_TYPES_BY_KIND.values()).exists()


@pytest.mark.any_database
def test_breach_that_was_reported_is_reverted_aloud(watch: MonitoredRepository, now: datetime) -> None:
    due_in(watch, now, -1 * H)
    clocks.advance_clocks(now)
    notifications.send_due_notifications(now)
    taken_back(now)  # at the same moment, as the clock of a machine may show it
    assert notifications.send_due_notifications(now) == 1
    event_types = (
        AuditEvent.objects.filter(event_type__in=notifications.EVENT_TYPES_BY_KIND.values())
        .order_by("pk")
        .values_list("event_type", flat=True)
    )
    assert list(event_types) == ["issue.breached", "issue.breach_retracted"]
    assert [to for _, to in list_sent_emails()] == ["alice@acme.example", "Nomad-integration-dev@hashicorp.com"] * 2


def test_breach_that_stands_again_is_reported_again(watch: MonitoredRepository, now: datetime) -> None:
    due_in(watch, now, -1 * H)
    for hour in range(0, 6, 2):
        clocks.advance_clocks(now + hour * H)
        notifications.send_due_notifications(now + hour * H)
        if hour < 4:
            taken_back(now + (hour + 1) * H)
            notifications.send_due_notifications(now + (hour + 1) * H)
            SlaClock.objects.update(state="overdue", next_at=now - H)
    event_types = (
        AuditEvent.objects.filter(event_type__in=notifications.EVENT_TYPES_BY_KIND.values())
        .order_by("pk")
        .values_list("event_type", flat=True)
    )
    assert list(event_types) == ["issue.breached", "issue.breach_retracted"] * 2 + ["issue.breached"]


@pytest.fixture
def in_los_angeles(rocket: Integration) -> None:
    """Acme works in Los Angeles: at NIGHT it is 15:00 there."""
    PartnerCalendar.objects.create(
        partner=rocket.partner,
        valid_from=NIGHT - 900 * H,
        zone="America/Los_Angeles",
        workdays=[0, 1, 2, 3, 4],
        created_at=NIGHT,
    )


def receivers() -> list[str]:
    return [to for _, to in list_sent_emails()]


ACME, MAILBOX = "alice@acme.example", "Nomad-integration-dev@hashicorp.com"
MORNING = datetime(2026, 4, 15, 9, 0, tzinfo=UTC)  # where the mailbox is read


def test_each_reader_learns_of_a_warning_when_they_work(watch: MonitoredRepository, in_los_angeles: None) -> None:
    due_in(watch, NIGHT, 24 * H, severity="other")
    clocks.advance_clocks(NIGHT)
    assert (
        [notifications.send_due_notifications(NIGHT), notifications.send_due_notifications(NIGHT + H)],
        receivers(),
    ) == ([1, 0], [ACME])
    assert Alert.objects.get().not_before == MORNING
    assert (
        [notifications.send_due_notifications(MORNING), notifications.send_due_notifications(MORNING + H)],
        receivers(),
    ) == (
        [1, 0],
        [ACME, MAILBOX],
    )
    assert AuditEvent.objects.filter(event_type="issue.warning_sent").count() == 1


def test_who_is_reported_later_gets_one_email_of_all_that_is_still_news(
    watch: MonitoredRepository, in_los_angeles: None
) -> None:
    for number in (1, 2, 3):
        at = NIGHT + number * timedelta(minutes=10)
        due_in(watch, at, 24 * H, number, severity="other")
        clocks.advance_clocks(at)
        notifications.send_due_notifications(at)
    SlaClock.objects.filter(issue__number=2).update(state="met", next_at=None)
    assert (receivers(), notifications.send_due_notifications(MORNING)) == ([ACME] * 3, 1)
    late = EmailMessage.objects.get(to=MAILBOX, name="issues_warned")
    assert [f"rocket#{number}: http" in late.text for number in (1, 2, 3)] == [True, False, True]


def test_zone_of_a_person_goes_before_that_of_the_partner(
    watch: MonitoredRepository, in_los_angeles: None, alice: User
) -> None:
    alice.zone = "Europe/Berlin"
    alice.save()
    due_in(watch, NIGHT, 24 * H, severity="other")
    clocks.advance_clocks(NIGHT)
    assert (
        [notifications.send_due_notifications(NIGHT), notifications.send_due_notifications(MORNING - 2 * H)],
        receivers(),
    ) == ([0, 1], [ACME])


@pytest.mark.any_database
@pytest.mark.parametrize(("hour", "minute", "expected_count"), [(15, 59, 0), (16, 0, 1), (16, 59, 1), (17, 0, 0)])
def test_what_is_due_before_the_next_working_day_is_reported_before_this_one_ends(
    watch: MonitoredRepository, hour: int, minute: int, expected_count: int
) -> None:
    due = datetime(2026, 4, 15, 8, 0, tzinfo=UTC)  # warned of at 03:12
    at = NIGHT.replace(hour=hour, minute=minute)
    due_in(watch, due, 0 * H, severity="other", warned=75, next_at=due - 4.8 * H)
    due_in(watch, due, 2 * H, 2, severity="other", warned=75, next_at=due - 2.8 * H)  # the morning is early enough
    assert [warnings.create_early_warnings(at), warnings.create_early_warnings(at)] == [expected_count, 0]
    assert (notifications.send_due_notifications(at), len(list_sent_emails())) == (expected_count, 2 * expected_count)
    clocks.advance_clocks(due - 4.5 * H)
    notifications.send_due_notifications(due - 4.5 * H)
    assert len(list_sent_emails()) == 2  # at night only where nobody looked ahead


def test_warning_that_was_foreseen_says_how_much_is_used_by_then(watch: MonitoredRepository) -> None:
    due = datetime(2026, 4, 15, 8, 0, tzinfo=UTC)
    due_in(watch, due, 0 * H, severity="other", warned=75, next_at=due - 4.8 * H)
    at = NIGHT.replace(hour=16, minute=30)
    warnings.create_early_warnings(at)
    notifications.send_due_notifications(at)
    (issue,) = AuditEvent.objects.get(event_type="issue.warning_sent").data["issues"]
    assert 0 < issue["share"] < 90


def test_news_is_not_put_off_for_a_database_that_was_away(watch: MonitoredRepository, now: datetime) -> None:
    due_in(watch, now, -1 * H)
    clocks.advance_clocks(now)

    def away(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith('INSERT INTO "audit_auditevent"'):
            raise OperationalError("the server closed the connection")
        return execute(sql, *rest)

    with pytest.raises(OperationalError), connection.execute_wrapper(away):
        notifications.send_due_notifications(now)
    assert (list_sent_emails(), Alert.objects.get().not_before <= now) == ([], True)
    assert (notifications.send_due_notifications(now), len(list_sent_emails())) == (1, 2)
