"""Tests of monthly and quarterly reports: the same figures over another range of days, their schedule, and readers."""

from collections import Counter
from datetime import date, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse

from integrations.partners.models import Partner, PartnerCalendar
from integrations.sla.models import SlaBreach, SupportIssueEvent
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.core.business_time import Calendar
from portal.core.periods import parse_period
from portal.notifications.models import EmailMessage
from portal.reports import metrics, tasks, unsubscribe
from portal.reports.models import ExternalRecipient, ReportSchedule, ReportSnapshot
from portal.reports.scopes import PROGRAMS_SCOPE, find_report_scope
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row
from tests.portal.api.client import create_api_client
from tests.portal.reports.deliveries import HOUR
from tests.replay import build_or_replay

pytestmark = pytest.mark.any_database

LA = ZoneInfo("America/Los_Angeles")
QUARTER_END = datetime(2027, 4, 1, 8, tzinfo=LA)
FEBRUARY_WEEKS = [f"2027-W{number:02}" for number in (5, 6, 7, 8)]  # from February 1 to 28
ADDITIVE_TOTALS = ("met", "breached", "settled", "ideal_missed")
OPEN_TOTALS = ("running", "at_risk", "overdue", "data_incomplete", "paused")


@pytest.fixture
def busy_quarter(rocket: Integration, rita: User, settings: Any) -> Integration:
    """Acme's integration, with 80 targets in the first quarter of 2027, and some at the moments where periods begin."""
    settings.REPORT_ZONE = str(LA)
    filled: Integration = build_or_replay(("busy quarter",), lambda: fill_quarter(rocket, rita))
    return filled


def fill_quarter(rocket: Integration, rita: User) -> Integration:
    random = Random(15)
    start = datetime(2027, 1, 1, tzinfo=LA)
    monitored_repository = create_repository_row(rocket, start)
    moments = [start + random.random() * timedelta(days=89) for _ in range(76)]
    moments += [datetime(2027, month, 1, tzinfo=LA) for month in (1, 2, 3)] + [datetime(2027, 2, 8, tzinfo=LA)]
    for number, moment in enumerate(moments):
        issue = create_issue_row(monitored_repository, number, moment - 20 * HOUR)
        state = ("met", "late", "overdue", "running")[number % 4]
        stopped_at = {"met": moment, "late": moment + 30 * HOUR}.get(state)
        due_at = moment + (10 * HOUR if state == "met" else 90 * 24 * HOUR if state == "running" else 0 * HOUR)
        ideal_due_at = moment - HOUR if number % 3 else None
        clock = create_clock_row(
            issue, due_at, state=state, stopped_at=stopped_at, next_at=None, ideal_due_at=ideal_due_at
        )
        if state in ("late", "overdue"):
            SlaBreach.objects.create(
                clock=clock,
                issue=issue,
                integration=rocket,
                target_type="resolve",
                severity="critical",
                due_at=due_at,
                found_at=due_at,
                retracted_at=due_at + 100 * HOUR if number % 7 == 1 else None,
            )
        for kind in ("commented", "closed", "reopened")[: number % 4]:
            SupportIssueEvent.objects.create(issue=issue, key=f"{kind}-{number}", kind=kind, at=moment, seen_at=moment)
        if number % 5 == 0:
            record_event(rocket, "review.changes_requested", actor=rita, now=moment)
            record_event(rocket, "compliance.notice_issued", actor=rita, now=moment)
    return rocket


def build_report_figures(period: str, scope: str = PROGRAMS_SCOPE) -> dict[str, Any]:
    report_scope = find_report_scope(scope)
    assert report_scope is not None
    return metrics.build_figures(report_scope, parse_period(period), LA, QUARTER_END)


def list_counts(*periods: str) -> Counter[str]:
    """Return the sums of the counts of what happened in the periods."""
    counts: Counter[str] = Counter()
    for figures in map(build_report_figures, periods):
        counts.update({name: figures["totals"][name] for name in ADDITIVE_TOTALS})
        counts.update({f"activity {name}": count for name, count in figures["activity"].items()})
        counts.update({f"reviews {name}": figures["review_record"][name] for name in ("decided", "on_time")})
        counts.update({name: len(figures[name]) for name in ("retractions", "listing_changes")})
        counts.update(
            {f"{row['program']} {name}": row[name] for row in figures["programs"] for name in ADDITIVE_TOTALS}
        )
    return counts


@pytest.mark.parametrize(
    ("parts", "whole"), [(FEBRUARY_WEEKS, "2027-02"), (["2027-01", "2027-02", "2027-03"], "2027-Q1")]
)
def test_counts_of_parts_add_up_to_those_of_the_whole(busy_quarter: Integration, parts: list[str], whole: str) -> None:
    counts = list_counts(whole)
    assert list_counts(*parts) == counts
    assert min(counts[name] for name in ("met", "breached", "ideal_missed", "activity closed", "retractions")) > 0
    last = build_report_figures(parts[-1])
    totals = build_report_figures(whole)["totals"]
    assert {name: last["totals"][name] for name in OPEN_TOTALS} == {name: totals[name] for name in OPEN_TOTALS}
    assert last["overdue_issues"] == build_report_figures(whole)["overdue_issues"]


def test_every_target_of_the_quarter_counts_once(busy_quarter: Integration) -> None:
    assert {name: build_report_figures("2027-Q1")["totals"][name] for name in ("met", "breached")} == {
        "met": 20,
        "breached": 34,
    }


def test_month_is_compared_with_the_month_before(busy_quarter: Integration) -> None:
    totals = build_report_figures("2027-01")["totals"]
    before = build_report_figures("2027-02")["previous_totals"]
    assert {name: before[name] for name in ADDITIVE_TOTALS} == {name: totals[name] for name in ADDITIVE_TOTALS}


def subscribe(user: User, scope: str, frequency: str) -> None:
    unsubscribe.update_subscription(user, scope, frequency)


def list_emails() -> list[tuple[str, str]]:
    """Return the recipient and the period of each email with a report."""
    rows = EmailMessage.objects.filter(name="report").values_list("to", "key")
    return sorted((to.partition("@")[0], key.rsplit(":", 2)[1]) for to, key in rows)


def test_each_reader_gets_the_reports_of_their_frequency(
    busy_quarter: Integration, alice: User, bob: User, sam: User
) -> None:
    scope = f"partner:{busy_quarter.partner.slug}"
    subscribe(alice, scope, "monthly")
    subscribe(sam, "programs", "quarterly")
    ExternalRecipient.objects.create(
        scope="programs", email="cfo@bank.example", frequency="monthly", added_at=QUARTER_END, confirmed_at=QUARTER_END
    )
    tasks.generate_due_reports(QUARTER_END)
    assert tasks.generate_due_reports(QUARTER_END + HOUR) == 0
    assert list_emails() == [("alice", "2027-03"), ("bob", "2027-W12"), ("cfo", "2027-03"), ("sam", "2027-Q1")]


@pytest.mark.parametrize(
    ("period", "program", "expected"),
    [
        ("2026-07", "nomad", "2026-08-03T08:00-07:00"),  # August 1 is a Saturday
        ("2026-Q4", "nomad", "2027-01-04T08:00-08:00"),  # New Year's Day is a Friday
        ("2026-12", "", "2027-01-01T08:00-08:00"),  # all programs have no holidays
        ("2026-08", "nomad", "2026-09-01T08:00-07:00"),
        ("2026-W31", "nomad", "2026-08-05T08:00-07:00"),  # on the weekday of the schedule
    ],
)
def test_program_report_is_sent_on_the_first_business_day(period: str, program: str, expected: str) -> None:
    schedule = ReportSchedule(scope="programs", weekday=2, hour=8, zone=str(LA))
    sent_at = tasks.calculate_scheduled_time(parse_period(period), schedule, program)
    assert sent_at == datetime.fromisoformat(expected)


@pytest.mark.every_database
def test_partner_report_waits_for_the_first_business_day_of_the_partner(acme: Partner, alice: User) -> None:
    period = parse_period("2026-Q4")
    calendar = Calendar(days_off=frozenset([date(2027, 1, 1)]))
    alice.zone = "Asia/Tokyo"
    assert tasks.calculate_delivery_time(period, calendar, alice) == datetime.fromisoformat("2027-01-04T08:00+09:00")
    assert tasks.calculate_delivery_time(period, Calendar(), alice) == datetime.fromisoformat("2027-01-01T01:00Z")


@pytest.mark.every_database
def test_monthly_report_of_a_partner_waits_for_its_business_day(busy_quarter: Integration, alice: User) -> None:
    partner = busy_quarter.partner
    subscribe(alice, f"partner:{partner.slug}", "monthly")
    PartnerCalendar.objects.create(
        partner=partner,
        valid_from=QUARTER_END - timedelta(days=200),
        workdays=[0, 1, 2, 3, 4],
        extra_days={"2027-04-01": "Company day"},
        created_at=QUARTER_END,
    )
    tasks.generate_due_reports(datetime(2027, 4, 1, 1, tzinfo=LA))
    email = EmailMessage.objects.get(name="report", to=alice.email)
    assert (email.state, email.held_until) == ("held", datetime.fromisoformat("2027-04-02T08:00Z"))


@pytest.mark.every_database
def test_missed_months_are_caught_up(busy_quarter: Integration, sam: User) -> None:
    subscribe(sam, "programs", "monthly")
    for moment in (datetime(2027, 1, 4, 8, tzinfo=LA), QUARTER_END):
        tasks.generate_due_reports(moment)
    periods = ReportSnapshot.objects.filter(scope="programs").exclude(kind="week").values_list("period", flat=True)
    assert list(periods) == ["2027-03", "2027-Q1", "2027-02", "2026-12", "2026-Q4"]
    assert [period for to, period in list_emails() if to == "sam"] == ["2026-12", "2027-02", "2027-03"]


def test_empty_week_is_skipped_and_its_month_is_not(rocket: Integration, rob: User, settings: Any) -> None:
    """One target was met early in March, and nothing was due in the last week."""
    settings.REPORT_ZONE = str(LA)
    moment = datetime(2027, 3, 2, tzinfo=LA)
    monitored_repository = create_repository_row(rocket, moment)
    create_clock_row(
        create_issue_row(monitored_repository, 1, moment - 5 * HOUR),
        moment + HOUR,
        state="met",
        stopped_at=moment,
        next_at=None,
    )
    for frequency in ("weekly", "monthly"):
        ExternalRecipient.objects.create(
            scope="program:nomad",
            email=f"{frequency}@bank.example",
            frequency=frequency,
            added_at=moment,
            confirmed_at=moment,
        )
    tasks.generate_due_reports(QUARTER_END)
    assert [email for email in list_emails() if email[0] != "alice"] == [("monthly", "2027-03")]


@pytest.mark.every_database
def test_month_has_its_name_in_every_form(busy_quarter: Integration, alice: User, sign_in: Any) -> None:
    scope = f"partner:{busy_quarter.partner.slug}"
    subscribe(alice, scope, "monthly")
    tasks.generate_due_reports(QUARTER_END)
    email = EmailMessage.objects.get(name="report", to=alice.email)
    client = sign_in(alice)
    assert email.subject.startswith("SLA in March 2027: ")
    assert "\nAcme, March 2027: Mon, Mar 1 to Wed, Mar 31 (all times: America/Los_Angeles)\n" in email.text
    assert "| Metric | Mar 2027 | Feb 2027 |" in email.text
    page = client.get(reverse("reports:detail", args=[scope, "2027-03"])).content.decode()
    assert ("SLA report: Acme, March 2027" in page, "Due this month" in page) == (True, True)
    assert "<strong>Action required:</strong> Address 21 overdue issues." in page
    archive = client.get(reverse("reports:list"), {"kind": "quarter"}).content.decode()
    assert ("Q1 2027: Acme" in archive, "March 2027: Acme" in archive) == (True, False)
    texts = [email.text, page, archive]
    assert [text for text in texts if "this week" in text or "the week" in text] == []


@pytest.mark.every_database
def test_api_lists_reports_by_kind_and_day(busy_quarter: Integration, alice: User) -> None:
    scope = f"partner:{busy_quarter.partner.slug}"
    tasks.generate_due_reports(QUARTER_END)
    me = create_api_client(alice)
    queries = ("kind=quarter", "kind=month&day=2027-03-31", "day=2027-03-22", f"scope={scope}&day=2020-01-01")
    periods = [[row["period"] for row in me.get(f"/reports?{query}").json()["items"]] for query in queries]
    assert periods == [["2027-Q1"], ["2027-03"], ["2027-Q1", "2027-03", "2027-W12"], []]
    report = me.get(f"/reports/{scope}/2027-Q1").json()
    assert (report["kind"], report["figures"]["totals"]["met"]) == ("quarter", 20)
    assert me.patch("/reports", {"subscriptions": {scope: "quarterly"}}).status_code == 200
    assert me.get("/reports/subscriptions").json() == {"subscriptions": {scope: "quarterly"}}
