"""Tests of the content of reports."""

import json
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from integrations.partners.models import Partner
from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock, SupportIssue
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.core import exports
from portal.notifications.models import EmailMessage
from portal.reports import presenters, tasks
from portal.reports.models import ReportSnapshot
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row
from tests.portal.reports.deliveries import HOUR, MONDAY, list_readers

pytestmark = pytest.mark.any_database


def get_email(to: str) -> EmailMessage:
    return EmailMessage.objects.get(name="report", to=to)


def test_subject_and_first_line_have_the_overdue_count(
    monitored_repository: MonitoredRepository, alice: User, sam: User, settings: Any
) -> None:
    tasks.generate_due_reports(MONDAY)
    assert [get_email(to).subject for to in list_readers()] == [
        "SLA week 16: 1 issue overdue, 1 breached – Acme",
        "SLA week 16, all programs: 1 issue overdue, 1 breached (Acme)",
    ]
    text = get_email("alice@acme.example").text
    assert text.startswith("Action required: Address 1 overdue issue.\n\nView report: http")
    assert "\n1 issue is overdue. 1 of 2 SLA targets met, 1 breached.\n" in text
    issues = {issue.number: reverse("sla:issue", args=[issue.uuid]) for issue in SupportIssue.objects.all()}
    repository = "acme/terraform-provider-rocket"
    site = settings.SITE_URL
    assert (
        f"\n- {repository}#2: {site}{issues[2]}#resolve It breaks 2\n  Critical, resolution overdue by 5 days, " in text
    )
    assert f"## Due this week\n\n- {repository}#3: {site}{issues[3]}#resolve It breaks 3\n" in text
    assert "\n  Critical, resolution due Tue, Apr 21, 10:00 PM\n" in text


@pytest.mark.every_database
def test_rows_link_to_the_issue_page(
    monitored_repository: MonitoredRepository, alice: User, sign_in: Any, acme: Partner
) -> None:
    tasks.generate_due_reports(MONDAY)
    page = sign_in(alice).get(reverse("reports:detail", args=[f"partner:{acme.slug}", "2026-W16"])).content.decode()
    email = get_email("alice@acme.example")
    issue_paths = [reverse("sla:issue", args=[issue.uuid]) for issue in SupportIssue.objects.filter(number__in=(2, 3))]
    assert [[path in form for form in (page, email.html, email.text)] for path in issue_paths] == [[True] * 3] * 2


def test_times_are_the_same_for_all_readers(monitored_repository: MonitoredRepository, alice: User, bob: User) -> None:
    alice.zone = "America/Los_Angeles"
    alice.save()
    tasks.generate_due_reports(MONDAY)
    ours, theirs = (
        re.sub(r"\S+/reports/stop/\S+", "", get_email(f"{name}@acme.example").text) for name in ("alice", "bob")
    )
    assert ours == theirs
    assert "\nAcme, Week 16, 2026: Mon, Apr 13 to Sun, Apr 19 (all times: UTC)\n" in ours


def test_week_without_events_has_a_complete_report(rocket: Integration, alice: User, now: datetime) -> None:
    create_repository_row(rocket, now)
    tasks.generate_due_reports(MONDAY)
    email = get_email("alice@acme.example")
    assert email.subject == "SLA week 16: no targets due, 0 at risk – Acme"
    assert "| Met | 0 | 0 |" in email.text
    assert "No overdue issues." in email.text


def test_every_format_has_the_same_figures_and_the_same_bytes_a_year_later(
    monitored_repository: MonitoredRepository, alice: User, sign_in: Any, acme: Partner
) -> None:
    tasks.generate_due_reports(MONDAY)
    scope = f"partner:{acme.slug}"
    client = sign_in(alice)
    paths = [
        reverse(name, args=[scope, "2026-W16"])
        for name in ("reports:detail", "reports:detail_csv", "reports:detail_json")
    ]
    before = [client.get(path).content for path in paths[1:]]
    SlaClock.objects.update(state="met", stopped_at=MONDAY)
    monitored_repository.integration.name = "Renamed"
    monitored_repository.integration.save()
    assert [client.get(path).content for path in paths[1:]] == before
    figures = json.loads(before[1])
    assert (figures["totals"]["met"], figures["totals"]["breached"]) == (1, 1)
    assert b"Met,1,0\r\nBreached,1,0\r\n" in before[0]
    page = client.get(paths[0]).content.decode()
    assert "1 of 2 SLA targets met, 1 breached." in page
    assert presenters.build_subject(figures) == get_email("alice@acme.example").subject


def test_cells_are_safe_in_a_spreadsheet() -> None:
    formulas = ("=1+1", "+1", "-1", "@x", "\tx", "\nx", "＝1", "＋1", "－1", "＠x")
    assert [exports.escape_formula(cell) for cell in formulas] == [f"'{cell}" for cell in formulas]
    assert [exports.escape_formula(cell) for cell in ("a=1", "")] == ["a=1", ""]


@pytest.mark.parametrize(
    ("zone", "monday", "week", "days", "hours"),
    [
        ("UTC", "2027-01-04T08:00+00:00", "2026-W53", "Mon, Dec 28 to Sun, Jan 3", 168),
        ("America/Los_Angeles", "2026-03-09T08:00-07:00", "2026-W10", "Mon, Mar 2 to Sun, Mar 8", 167),
        ("America/Los_Angeles", "2026-11-02T08:00-08:00", "2026-W44", "Mon, Oct 26 to Sun, Nov 1", 169),
    ],
)
def test_weeks_with_clock_changes_have_their_length(
    rocket: Integration,
    alice: User,
    sign_in: Any,
    settings: Any,
    zone: str,
    monday: str,
    week: str,
    days: str,
    hours: int,
) -> None:
    settings.REPORT_ZONE = zone
    at = datetime.fromisoformat(monday)
    monitored_repository = create_repository_row(rocket, at - timedelta(weeks=6))
    in_week = at - 9 * HOUR  # Sunday, an hour before the week ends
    create_clock_row(
        create_issue_row(monitored_repository, 1, in_week - 20 * HOUR),
        in_week + 10 * HOUR,
        state="met",
        stopped_at=in_week,
        next_at=None,
    )
    tasks.generate_due_reports(at)
    email = get_email("alice@acme.example")
    figures = ReportSnapshot.objects.get(scope=f"partner:{rocket.partner.slug}", kind="week").figures
    page = sign_in(alice).get(reverse("reports:detail", args=[f"partner:{rocket.partner.slug}", week])).content.decode()
    length = datetime.fromisoformat(figures["end"]) - datetime.fromisoformat(figures["start"])
    assert (figures["period"], figures["totals"]["met"], length / HOUR) == (week, 1, hours)
    assert email.subject == f"SLA week {week[-2:]}: 100.0% on time, 0 breached, 0 at risk – Acme"
    assert [f"Acme, Week {int(week[-2:])}, {week[:4]}: {days}" in form for form in (email.text, email.html)] == [
        True
    ] * 2
    first, last = days.split(" to ")
    assert (f"SLA report: Acme, Week {int(week[-2:])}, {week[:4]}" in page, f"{first} to {last}" in page) == (
        True,
        True,
    )


def test_empty_week_shows_zeros_in_every_form(rocket: Integration, alice: User, sign_in: Any, now: datetime) -> None:
    create_repository_row(rocket, now)
    tasks.generate_due_reports(MONDAY)
    email = get_email("alice@acme.example")
    client = sign_in(alice)
    args = [f"partner:{rocket.partner.slug}", "2026-W16"]
    page, table = (
        client.get(reverse(name, args=args)).content.decode() for name in ("reports:detail", "reports:detail_csv")
    )
    assert all("No SLA targets were due in week 16." in text for text in (email.html, page))
    assert ("No overdue issues." in page, "No overdue issues." in email.html) == (True, True)
    assert "Opened 0, closed 0, reopened 0, comments 0, breached 0, retracted 0." in email.text
    assert "Met,0,0\r\nBreached,0,0\r\nOverdue at the end of the week,0,\r\n" in table


def test_incomplete_data_is_not_overdue(rocket: Integration, alice: User, now: datetime) -> None:
    issue = create_issue_row(create_repository_row(rocket, now), 1, now)
    create_clock_row(issue, MONDAY - 24 * HOUR, state="data_incomplete", next_at=None)
    tasks.generate_due_reports(MONDAY)
    assert "Critical, resolution due 16 hours ago, data incomplete, open for" in get_email("alice@acme.example").text


def test_subject_has_overdue_count_without_due_targets(rocket: Integration, alice: User, now: datetime) -> None:
    create_clock_row(
        create_issue_row(create_repository_row(rocket, now), 1, now - 90 * HOUR),
        now - 42 * HOUR,
        state="overdue",
        next_at=None,
    )
    tasks.generate_due_reports(MONDAY)
    assert get_email("alice@acme.example").subject == "SLA week 16: 1 issue overdue – Acme"


def create_clocks(monitored_repository: MonitoredRepository, count: int, due: datetime, state: str, first: int) -> None:
    for number in range(first, first + count):
        issue = create_issue_row(monitored_repository, number, due - 48 * HOUR)
        create_clock_row(issue, due, state=state, next_at=None)


def test_overdue_count_includes_unlisted_issues(rocket: Integration, alice: User, sam: User, now: datetime) -> None:
    monitored_repository = create_repository_row(rocket, now)
    create_clocks(monitored_repository, 30, MONDAY - 24 * HOUR, "overdue", 1)
    create_clocks(monitored_repository, 2, MONDAY - 24 * HOUR, "data_incomplete", 31)
    tasks.generate_due_reports(MONDAY)
    email = get_email("sam@program.example")
    next_action = "Action required: Follow up on 30 overdue issues. Find out why data is incomplete for 2 issues."
    assert [next_action in form for form in (email.text, email.html)] == [True, True]
    assert "\n27 more issues\n" in email.text
    assert "Action required: Address 30 overdue issues." in get_email("alice@acme.example").text


def test_due_count_includes_unlisted_issues(rocket: Integration, alice: User, now: datetime) -> None:
    create_clocks(create_repository_row(rocket, now), 25, MONDAY + 30 * HOUR, "running", 1)
    tasks.generate_due_reports(MONDAY)
    email = get_email("alice@acme.example")
    figures = ReportSnapshot.objects.get(scope=f"partner:{rocket.partner.slug}", kind="week").figures
    assert "Action required: 25 issues are due this week." in email.text
    assert (
        "\n5 more issues\n" in email.text,
        "\r\ndue in the following period,25\r\n" in presenters.render_csv(figures),
    ) == (True, True)


@pytest.mark.every_database
def test_title_with_markup_is_escaped(monitored_repository: MonitoredRepository, alice: User, now: datetime) -> None:
    title = 'Fine"><img src=x onerror=alert(1)>\r\nBcc: eve@example.org\x85\u2028End & <b>so'
    SupportIssue.objects.filter(number=2).update(title=title)
    tasks.generate_due_reports(MONDAY)
    email = get_email("alice@acme.example")
    assert ("<img src=x" in email.html, "&lt;img src=x onerror=alert(1)&gt;" in email.html) == (False, True)
    assert "<img src=x onerror=alert(1)>" in email.text
    assert email.subject.isprintable()


def test_retracted_breach_has_its_reason_in_every_form(
    monitored_repository: MonitoredRepository, alice: User, sign_in: Any, acme: Partner
) -> None:
    SlaBreach.objects.update(retracted_at=MONDAY - 12 * HOUR, retraction_reason="The program agreed: spam.")
    tasks.generate_due_reports(MONDAY)
    email = get_email("alice@acme.example")
    client = sign_in(alice)
    args = [f"partner:{acme.slug}", "2026-W16"]
    forms = [client.get(reverse(f"reports:detail{form}", args=args)).content.decode() for form in ("", "_csv", "_json")]
    assert ["The program agreed: spam." in form for form in (email.text, email.html, *forms)] == [True] * 5


def test_change_of_a_listing_begins_with_a_capital_letter(
    monitored_repository: MonitoredRepository, alice: User, rita: User, sign_in: Any, acme: Partner
) -> None:
    record_event(monitored_repository.integration, "compliance.notice_issued", actor=rita, now=MONDAY - 12 * HOUR)
    tasks.generate_due_reports(MONDAY)
    page = sign_in(alice).get(reverse("reports:detail", args=[f"partner:{acme.slug}", "2026-W16"])).content.decode()
    expected = f"{monitored_repository.integration.name} (Acme): Issued a notice"
    assert [expected in text for text in (page, get_email("alice@acme.example").text)] == [True, True]


def test_email_has_no_share_of_a_program_without_due_targets(
    monitored_repository: MonitoredRepository, sam: User, integration_at: Any
) -> None:
    integration_at("support", program="vault")
    tasks.generate_due_reports(MONDAY)
    email = get_email(sam.email)
    items = ["Nomad: 50.0% on time, 1 breached, 1 overdue", "Vault: no targets due, 0 overdue"]
    assert [line for line in email.text.splitlines() if line[2:] in items] == [f"- {item}" for item in items]
    assert [each.text for each in BeautifulSoup(email.html, "html.parser").select("li") if each.text in items] == items


@pytest.mark.every_database
def test_open_clocks_are_compared_with_the_previous_report(rocket: Integration, alice: User, now: datetime) -> None:
    create_clocks(create_repository_row(rocket, now), 2, MONDAY - 24 * HOUR, "data_incomplete", 1)
    tasks.generate_due_reports(MONDAY)
    SlaClock.objects.filter(issue__number=1).update(state="met", stopped_at=now)
    tasks.generate_due_reports(MONDAY + timedelta(weeks=1))
    first, second = ReportSnapshot.objects.filter(scope=f"partner:{rocket.partner.slug}", kind="week").order_by(
        "end_day"
    )
    assert [
        (each.figures["totals"]["data_incomplete"], each.figures["previous_totals"]["data_incomplete"])
        for each in (first, second)
    ] == [(2, None), (1, 1)]
    text = EmailMessage.objects.get(key__contains="2026-W17").text
    assert "| Data incomplete | 1 | 1 |" in text
    assert "\n- Week 16: 1 of 1 met, data incomplete for 1\n" in text
