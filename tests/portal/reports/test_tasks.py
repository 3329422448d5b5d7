"""Tests of the schedule, recipients, and subscriptions of reports."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail as django_mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from integrations.partners.models import Partner
from integrations.partners.services.members import end_membership
from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from portal.accounts import roles
from portal.accounts.models import User
from portal.core.periods import PeriodKind, parse_period
from portal.jobs.execution import run_due_jobs
from portal.notifications.models import EmailMessage
from portal.reports import tasks, unsubscribe
from portal.reports.models import ReportSchedule, ReportSnapshot, ReportSubscription
from portal.reports.scopes import PROGRAMS_SCOPE, find_report_scope
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row
from tests.portal.reports.deliveries import HOUR, MONDAY, list_readers

pytestmark = pytest.mark.any_database


@pytest.mark.every_database
def test_report_is_sent_once_to_each_reader(
    monitored_repository: MonitoredRepository, alice: User, bob: User, sam: User
) -> None:
    assert tasks.generate_due_reports(MONDAY) == 3
    assert [tasks.generate_due_reports(MONDAY), tasks.generate_due_reports(MONDAY + 50 * HOUR)] == [0, 0]
    assert list_readers() == ["alice@acme.example", "bob@acme.example", "sam@program.example"]
    scopes = ReportSnapshot.objects.filter(kind="week").order_by("scope").values_list("scope", flat=True)
    assert list(scopes) == [f"partner:{monitored_repository.integration.partner.slug}", "program:nomad", "programs"]


def test_reports_that_exist_need_no_query_for_each_scope(monitored_repository: MonitoredRepository) -> None:
    tasks.generate_due_reports(MONDAY)
    with CaptureQueriesContext(connection) as queries:
        assert tasks.list_due_scopes(parse_period("2026-W16")) == []
    assert len(queries) == 3


def send_emails_due_at(moment: datetime) -> list[str]:
    run_due_jobs("email", moment)
    return list(EmailMessage.objects.filter(name="report", state="stored").order_by("to").values_list("to", flat=True))


def test_report_is_sent_in_the_morning_of_the_reader(
    monitored_repository: MonitoredRepository, alice: User, sam: User, settings: Any
) -> None:
    settings.EMAIL_STORED_ONLY = True
    alice.zone = "America/Los_Angeles"
    alice.save()
    assert [str(tasks.list_due_periods(PeriodKind.WEEK, MONDAY - n * HOUR)[-1]) for n in (8, 7)] == [
        "2026-W15",
        "2026-W16",
    ]  # an hour later
    assert [tasks.generate_due_reports(MONDAY - 7 * HOUR), tasks.generate_due_reports(MONDAY)] == [1, 1]
    assert [send_emails_due_at(MONDAY - HOUR), send_emails_due_at(MONDAY)] == [[], ["sam@program.example"]]
    assert send_emails_due_at(MONDAY + 7 * HOUR) == [
        "alice@acme.example",
        "sam@program.example",
    ]  # eight in Los Angeles


@pytest.mark.every_database
def test_delayed_report_is_sent_after_an_outage(
    monitored_repository: MonitoredRepository, alice: User, settings: Any
) -> None:
    settings.EMAIL_STORED_ONLY = True
    alice.zone = "America/Los_Angeles"
    alice.save()
    tasks.generate_due_reports(MONDAY)
    assert [send_emails_due_at(MONDAY), send_emails_due_at(MONDAY + timedelta(days=8))] == [[], ["alice@acme.example"]]


def create_programs_report() -> None:
    """Create the report of all programs for the last complete week, without those of partners."""
    programs = find_report_scope(PROGRAMS_SCOPE)
    assert programs
    tasks.get_or_create_snapshot(programs, parse_period("2026-W16"), MONDAY)


def test_broken_report_does_not_delay_the_others(
    monitored_repository: MonitoredRepository, alice: User, sam: User
) -> None:
    create_programs_report()
    ReportSnapshot.objects.update(figures={})
    assert tasks.generate_due_reports(MONDAY) == 1
    assert list_readers() == ["alice@acme.example"]


@pytest.mark.every_database
def test_missed_scope_is_reported_with_the_next_week(
    monitored_repository: MonitoredRepository, alice: User, sam: User
) -> None:
    create_programs_report()
    assert tasks.deliver_due_reports(MONDAY) == 1
    assert tasks.generate_due_reports(MONDAY + timedelta(weeks=1)) == 3
    weeks = EmailMessage.objects.filter(to="alice@acme.example", name="report").order_by("key")
    assert [mail.key.split(":")[3] for mail in weeks] == ["2026-W16", "2026-W17"]


def test_unsubscribing_cancels_the_pending_report(
    monitored_repository: MonitoredRepository, alice: User, bob: User, settings: Any
) -> None:
    settings.EMAIL_STORED_ONLY = True
    tasks.generate_due_reports(MONDAY - 7 * HOUR)
    unsubscribe.update_subscription(alice, f"partner:{monitored_repository.integration.partner.slug}", "never")
    assert send_emails_due_at(MONDAY) == ["bob@acme.example"]


def test_scheduled_reports_to_people_who_left_are_canceled(
    monitored_repository: MonitoredRepository, acme: Partner, alice: User, bob: User, sam: User
) -> None:
    tasks.generate_due_reports(MONDAY - 7 * HOUR)
    end_membership(acme.memberships.get(user=bob), actor=alice, now=MONDAY - 2 * HOUR)
    roles.deactivate(alice, actor=sam, now=MONDAY - 2 * HOUR, reason="She left Acme.")
    states = EmailMessage.objects.filter(name="report", person__in=(alice, bob)).order_by("to")
    assert list(states.values_list("state", flat=True)) == ["suppressed", "canceled"]


def test_viewer_gets_the_report_after_subscribing(
    monitored_repository: MonitoredRepository, acme: Partner, bob: User
) -> None:
    bob.memberships.update(role="viewer")
    tasks.generate_due_reports(MONDAY)
    unsubscribe.update_subscription(bob, f"partner:{acme.slug}", "weekly")
    assert list_readers().count("bob@acme.example") == 0
    tasks.generate_due_reports(MONDAY + timedelta(weeks=1))
    assert list_readers().count("bob@acme.example") == 1


@pytest.mark.every_database
def test_outage_is_caught_up_for_four_weeks(monitored_repository: MonitoredRepository, alice: User) -> None:
    tasks.generate_due_reports(MONDAY)
    tasks.generate_due_reports(MONDAY + timedelta(weeks=6))
    weeks = ReportSnapshot.objects.filter(
        kind="week", scope=f"partner:{monitored_repository.integration.partner.slug}"
    ).order_by("period")
    assert list(weeks.values_list("period", flat=True)) == ["2026-W16", "2026-W19", "2026-W20", "2026-W21", "2026-W22"]
    assert len(list_readers()) == 5


@pytest.mark.every_database
def test_late_report_shows_the_figures_at_the_end_of_its_week(
    rocket: Integration, alice: User, sign_in: Any, now: datetime
) -> None:
    """One is overdue when week 20 ends and answered in week 21; one waits from week 22 on."""
    week = timedelta(weeks=1)
    monitored_repository = create_repository_row(rocket, now)
    end = MONDAY - 8 * HOUR + 4 * week  # of week 20
    tasks.generate_due_reports(MONDAY)
    create_clock_row(
        create_issue_row(monitored_repository, 1, end - 90 * HOUR),
        end - 42 * HOUR,
        state="late",
        stopped_at=end + 24 * HOUR,
        next_at=None,
    )
    create_clock_row(
        create_issue_row(monitored_repository, 2, end + week + 1 * HOUR),
        end + 2 * week + 1 * HOUR,
        state="overdue",
        next_at=None,
    )
    tasks.generate_due_reports(MONDAY + 6 * week)
    figures_by_week = {
        s.period: s.figures for s in ReportSnapshot.objects.filter(scope=f"partner:{rocket.partner.slug}")
    }
    names = ("2026-W19", "2026-W20", "2026-W21", "2026-W22")
    weekly_totals = [
        (
            figures_by_week[w]["totals"]["running"],
            figures_by_week[w]["totals"]["overdue"],
            len(figures_by_week[w]["overdue_issues"]),
        )
        for w in names
    ]
    assert weekly_totals == [(0, 0, 0), (0, 1, 1), (0, 0, 0), (1, 0, 0)]
    assert [(figures_by_week[w]["was_created_late"], figures_by_week[w]["is_past"]) for w in names] == [
        (True, True)
    ] * 3 + [(False, False)]
    assert (
        figures_by_week["2026-W20"]["overdue_issues"][0]["overdue_hours"],
        figures_by_week["2026-W20"]["overdue_issues"][0]["age_hours"],
    ) == (42, 90)
    old = EmailMessage.objects.get(key__contains="2026-W20").text
    assert "resolution overdue by 42 hours, open for 3 days, waiting for" in old
    assert "Created late, on Jun 1, 2026, 8:00 AM. Open issues are shown as of the end of the week." in old
    assert "Not available, because that week had ended before the report was created." in old
    assert "Action required" not in old
    page = (
        sign_in(alice)
        .get(reverse("reports:detail", args=[f"partner:{rocket.partner.slug}", "2026-W20"]))
        .content.decode()
    )
    assert "The report was created late." in page
    assert "Not available, because that week had ended" in page
    assert [row["name"][-2:] for row in figures_by_week["2026-W22"]["due_soon_issues"]] == ["#2"]


def test_another_partner_gets_no_notification(monitored_repository: MonitoredRepository, charlie: User) -> None:
    tasks.generate_due_reports(MONDAY)
    assert "charlie@globex.example" not in list_readers()


@pytest.mark.parametrize(("frequency", "emails"), [("weekly", 1), ("only_with_problems", 1), ("never", 0)])
def test_subscription_frequency_decides_about_emails(
    monitored_repository: MonitoredRepository, alice: User, frequency: str, emails: int
) -> None:
    unsubscribe.update_subscription(alice, f"partner:{monitored_repository.integration.partner.slug}", frequency)
    tasks.generate_due_reports(MONDAY)
    assert list_readers().count("alice@acme.example") == emails


def test_week_without_problems_is_not_sent_to_problem_subscribers(
    rocket: Integration, alice: User, now: datetime
) -> None:
    create_repository_row(rocket, now)
    unsubscribe.update_subscription(alice, f"partner:{rocket.partner.slug}", "only_with_problems")
    tasks.generate_due_reports(MONDAY)
    assert list_readers() == []


@pytest.mark.every_database
def test_one_click_unsubscribes(
    monitored_repository: MonitoredRepository, alice: User, client: Any, settings: Any
) -> None:
    tasks.generate_due_reports(MONDAY)
    settings.EMAIL_STORED_ONLY = False
    run_due_jobs("email", MONDAY)
    email = next(m for m in django_mail.outbox if m.to == ["alice@acme.example"] and m.subject.startswith("SLA"))
    assert email.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = email.extra_headers["List-Unsubscribe"].strip("<>").removeprefix(settings.SITE_URL)
    assert client.get(address).status_code == 200
    assert ReportSubscription.objects.count() == 0  # a scanner that opens the link stops nothing
    assert client.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert list(ReportSubscription.objects.values_list("user__email", "frequency")) == [("alice@acme.example", "never")]
    assert client.get(address[:-3] + "x/").status_code == 404


def test_report_page_is_visible_to_its_scope_only(
    monitored_repository: MonitoredRepository, alice: User, charlie: User, rita: User, sign_in: Any, acme: Partner
) -> None:
    tasks.generate_due_reports(MONDAY)
    address = reverse("reports:detail", args=[f"partner:{acme.slug}", "2026-W16"])
    programs = reverse("reports:detail", args=["programs", "2026-W16"])
    status_codes = [
        (sign_in(who).get(address).status_code, sign_in(who).get(programs).status_code)
        for who in (alice, charlie, rita)
    ]
    assert status_codes == [(200, 404), (404, 404), (200, 200)]
    odd = ("partner:²", "partner:0", "program:none", "nobody", f"partner:{'9' * 40}", f"partner:{'9' * 5000}")
    assert [sign_in(rita).get(reverse("reports:detail", args=[scope, "2026-W16"])).status_code for scope in odd] == [
        404
    ] * 6


@pytest.mark.every_database
def test_subscriptions_are_saved(
    monitored_repository: MonitoredRepository, alice: User, sign_in: Any, acme: Partner
) -> None:
    client = sign_in(alice)
    scope = f"partner:{acme.slug}"
    assert client.post(reverse("reports:subscriptions"), {scope: "only_with_problems"}).status_code == 302
    assert client.post(reverse("reports:subscriptions"), {scope: "daily"}).status_code == 422
    assert list(ReportSubscription.objects.values_list("scope", "frequency")) == [(scope, "only_with_problems")]


def test_program_without_repositories_gets_an_empty_report_if_wanted(rita: User) -> None:
    for scope, skips_empty in (("program:nomad", False), ("program:vault", True)):
        ReportSchedule.objects.create(scope=scope, roles=["reviewer"], skips_empty=skips_empty)
    tasks.generate_due_reports(MONDAY)
    email = EmailMessage.objects.get()
    assert (email.to, email.key.startswith("report:program:nomad:")) == (rita.email, True)
    assert "No integration was in support, so no SLA targets applied." in email.text
    assert not ReportSnapshot.objects.filter(scope="program:vault").exists()
