"""Who gets which report, when, and how often?"""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail as django_mail
from django.urls import reverse

from integrations.partners.models import Partner
from integrations.sla import tasks as clocks
from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock, SupportIssue
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core import exports
from portal.core.iso_weeks import parse_week
from portal.jobs.execution import run_due_jobs
from portal.notifications.models import EmailMessage
from portal.reports import presenters, tasks, unsubscribe
from portal.reports.models import ReportDelivery, ReportSnapshot, ReportSubscription
from portal.reports.scopes import PROGRAMS_SCOPE, find_report_scope
from tests.integrations.sla.clocks import clock_of, issue_of, watch_over

H = timedelta(hours=1)
MONDAY = datetime(2026, 4, 20, 8, 0, tzinfo=UTC)  # after week 16


@pytest.fixture
def watch(rocket: Integration, now: datetime) -> MonitoredRepository:
    """Acme's integration is watched; in week 16 one promise was kept, one broken, and one will be next week."""
    monitored_repository = watch_over(rocket, now)
    clock_of(issue_of(monitored_repository, 1, now - 40 * H), now + 8 * H, state="met", stopped_at=now, next_at=None)
    clock_of(issue_of(monitored_repository, 2, now - 40 * H), now + 8 * H)
    clock_of(issue_of(monitored_repository, 3, MONDAY - 10 * H), MONDAY + 38 * H)
    clocks.advance_clocks(MONDAY - 9 * H)
    return monitored_repository


def readers() -> list[str]:
    return list(EmailMessage.objects.filter(name="report").order_by("to", "key").values_list("to", flat=True))


def report(to: str) -> EmailMessage:
    return EmailMessage.objects.get(name="report", to=to)


def test_each_reader_gets_one_report_however_often_it_is_due(
    watch: MonitoredRepository, alice: User, bob: User, rita: User
) -> None:
    assert tasks.generate_due_reports(MONDAY) == 3
    assert [tasks.generate_due_reports(MONDAY), tasks.generate_due_reports(MONDAY + 50 * H)] == [0, 0]
    assert readers() == ["alice@acme.example", "bob@acme.example", "rita@program.example"]
    assert ReportSnapshot.objects.count() == 2  # the programs' and Acme's


def test_subject_carries_the_answer(watch: MonitoredRepository, alice: User, rita: User, settings: Any) -> None:
    tasks.generate_due_reports(MONDAY)
    assert [report(to).subject for to in readers()] == [
        "SLA week 16: 1 issue overdue, 50% on time – Acme",
        "SLA week 16: 1 issue overdue, 50% on time – Acme",
    ]
    text = report("alice@acme.example").text
    assert text.startswith("Action required: 1 issue is overdue.\n\n[View report](<")
    assert "\n1 of 2 SLA targets were met, and 1 were breached.\n" in text
    issues = {issue.number: reverse("sla:issue", args=[issue.uuid]) for issue in SupportIssue.objects.all()}
    repository, site = "acme/terraform-provider-rocket", settings.SITE_URL
    assert f"\n- [{repository}#2](<{site}{issues[2]}>) It breaks 2\n  critical, resolution overdue by 5 days, " in text
    assert f"## Due this week\n\n- [{repository}#3](<{site}{issues[3]}>) It breaks 3\n" in text
    assert "\n  critical, resolution due Tue, Apr 21, 10:00 PM\n" in text


def test_rows_lead_to_the_issue_in_the_portal(
    watch: MonitoredRepository, alice: User, sign_in: Any, acme: Partner
) -> None:
    tasks.generate_due_reports(MONDAY)
    page = sign_in(alice).get(reverse("reports:detail", args=[f"partner:{acme.pk}", "2026-W16"])).content.decode()
    email = report("alice@acme.example")
    issue_paths = [reverse("sla:issue", args=[issue.uuid]) for issue in SupportIssue.objects.filter(number__in=(2, 3))]
    assert [[path in form for form in (page, email.html, email.text)] for path in issue_paths] == [[True] * 3] * 2


def test_days_and_times_are_those_of_the_report_anyone_who_reads_it(
    watch: MonitoredRepository, alice: User, bob: User
) -> None:
    alice.zone = "America/Los_Angeles"
    alice.save()
    tasks.generate_due_reports(MONDAY)
    ours, theirs = (
        re.sub(r"\S+/reports/stop/\S+", "", report(f"{name}@acme.example").text) for name in ("alice", "bob")
    )
    assert ours == theirs
    assert "\nWeek 2026-W16 of Acme, Mon, Apr 13 to Sun, Apr 19 (all times: UTC)\n" in ours


def test_week_in_which_nothing_happened_is_a_whole_report(rocket: Integration, alice: User, now: datetime) -> None:
    watch_over(rocket, now)
    tasks.generate_due_reports(MONDAY)
    email = report("alice@acme.example")
    assert email.subject == "SLA week 16: no targets due, 0 at risk – Acme"
    assert "| Met | 0 | 0 |" in email.text
    assert "No issue is overdue." in email.text


def sent_by(moment: datetime) -> list[str]:
    run_due_jobs("email", moment)
    return list(EmailMessage.objects.filter(name="report", state="stored").order_by("to").values_list("to", flat=True))


def test_no_one_is_written_to_before_their_morning(
    watch: MonitoredRepository, alice: User, rita: User, settings: Any
) -> None:
    settings.EMAIL_STORED_ONLY = True
    alice.zone = "America/Los_Angeles"
    alice.save()
    assert [str(tasks.list_due_weeks(MONDAY - n * H)[-1]) for n in (8, 7)] == ["2026-W15", "2026-W16"]  # an hour later
    assert tasks.generate_due_reports(MONDAY - 7 * H) == 2
    assert [sent_by(MONDAY - H), sent_by(MONDAY)] == [[], ["rita@program.example"]]
    assert sent_by(MONDAY + 7 * H) == ["alice@acme.example", "rita@program.example"]  # eight in Los Angeles


def test_who_was_asleep_when_an_outage_began_is_served_after_it(
    watch: MonitoredRepository, alice: User, settings: Any
) -> None:
    settings.EMAIL_STORED_ONLY = True
    alice.zone = "America/Los_Angeles"
    alice.save()
    tasks.generate_due_reports(MONDAY)
    assert [sent_by(MONDAY), sent_by(MONDAY + timedelta(days=8))] == [[], ["alice@acme.example"]]


def test_scope_that_an_outage_cut_off_is_served_with_the_next_week(
    watch: MonitoredRepository, alice: User, rita: User
) -> None:
    programs = find_report_scope(PROGRAMS_SCOPE)
    assert programs
    assert tasks._generate_report(programs, parse_week("2026-W16"), MONDAY) == 1
    assert tasks.generate_due_reports(MONDAY + timedelta(weeks=1)) == 3
    weeks = EmailMessage.objects.filter(to="alice@acme.example", name="report").order_by("key")
    assert [mail.key.split(":")[3] for mail in weeks] == ["2026-W16", "2026-W17"]


def test_stopping_the_report_stops_the_copy_that_waits(
    watch: MonitoredRepository, alice: User, rita: User, settings: Any
) -> None:
    settings.EMAIL_STORED_ONLY = True
    tasks.generate_due_reports(MONDAY - 7 * H)
    unsubscribe.update_subscription(alice, f"partner:{watch.integration.partner_id}", "never")
    assert sent_by(MONDAY) == ["rita@program.example"]


def test_who_only_looks_on_gets_the_report_where_they_asked_for_it(
    watch: MonitoredRepository, acme: Partner, bob: User
) -> None:
    bob.memberships.update(role="viewer")
    tasks.generate_due_reports(MONDAY)
    unsubscribe.update_subscription(bob, f"partner:{acme.pk}", "weekly")
    assert readers().count("bob@acme.example") == 0
    tasks.generate_due_reports(MONDAY + timedelta(weeks=1))
    assert readers().count("bob@acme.example") == 1


def test_outage_is_caught_up_for_four_weeks(watch: MonitoredRepository, alice: User) -> None:
    tasks.generate_due_reports(MONDAY)
    tasks.generate_due_reports(MONDAY + timedelta(weeks=6))
    weeks = ReportSnapshot.objects.filter(scope=f"partner:{watch.integration.partner_id}").order_by("week")
    assert list(weeks.values_list("week", flat=True)) == ["2026-W16", "2026-W19", "2026-W20", "2026-W21", "2026-W22"]
    assert len(readers()) == 5


def test_weeks_that_are_caught_up_stand_as_they_ended(
    rocket: Integration, alice: User, sign_in: Any, now: datetime
) -> None:
    """One is past due when week 20 ends and answered in week 21; one waits from week 22 on."""
    week, monitored_repository = timedelta(weeks=1), watch_over(rocket, now)
    end = MONDAY - 8 * H + 4 * week  # of week 20
    tasks.generate_due_reports(MONDAY)
    clock_of(
        issue_of(monitored_repository, 1, end - 90 * H),
        end - 42 * H,
        state="late",
        stopped_at=end + 24 * H,
        next_at=None,
    )
    clock_of(
        issue_of(monitored_repository, 2, end + week + 1 * H), end + 2 * week + 1 * H, state="overdue", next_at=None
    )
    tasks.generate_due_reports(MONDAY + 6 * week)
    figures_by_week = {s.week: s.figures for s in ReportSnapshot.objects.filter(scope=f"partner:{rocket.partner_id}")}
    names = ("2026-W19", "2026-W20", "2026-W21", "2026-W22")
    weekly_totals = [
        (
            figures_by_week[w]["totals"]["running"],
            figures_by_week[w]["totals"]["overdue"],
            len(figures_by_week[w]["worst"]),
        )
        for w in names
    ]
    assert weekly_totals == [(0, 0, 0), (0, 1, 1), (0, 0, 0), (1, 0, 0)]
    assert [(figures_by_week[w]["made_late"], figures_by_week[w]["is_past"]) for w in names] == [(True, True)] * 3 + [
        (False, False)
    ]
    assert (
        figures_by_week["2026-W20"]["worst"][0]["late_hours"],
        figures_by_week["2026-W20"]["worst"][0]["age_hours"],
    ) == (42, 90)
    old = EmailMessage.objects.get(key__contains="2026-W20").text
    assert "resolution overdue by 42 hours, open for 3 days, waiting for" in old
    assert "Created late, on Jun 1, 2026, 8:00 AM. Open targets" in old
    assert "Omitted: the week had ended when we created this report." in old
    assert "Action required" not in old
    page = (
        sign_in(alice)
        .get(reverse("reports:detail", args=[f"partner:{rocket.partner_id}", "2026-W20"]))
        .content.decode()
    )
    assert "The report was created late." in page
    assert "Not available, because that week had ended" in page
    assert [row["name"][-2:] for row in figures_by_week["2026-W22"]["coming"]] == ["#2"]


def test_another_partner_gets_no_notification(watch: MonitoredRepository, charlie: User) -> None:
    tasks.generate_due_reports(MONDAY)
    assert "charlie@globex.example" not in readers()


@pytest.mark.parametrize(("frequency", "mails"), [("weekly", 1), ("only_with_problems", 1), ("never", 0)])
def test_reader_chooses(watch: MonitoredRepository, alice: User, frequency: str, mails: int) -> None:
    unsubscribe.update_subscription(alice, f"partner:{watch.integration.partner_id}", frequency)
    tasks.generate_due_reports(MONDAY)
    assert readers().count("alice@acme.example") == mails
    assert ReportDelivery.objects.filter(reader="alice@acme.example").count() == 1


def test_quiet_week_is_not_reported_to_who_wants_only_trouble(rocket: Integration, alice: User, now: datetime) -> None:
    watch_over(rocket, now)
    unsubscribe.update_subscription(alice, f"partner:{rocket.partner_id}", "only_with_problems")
    tasks.generate_due_reports(MONDAY)
    assert readers() == []


def test_one_click_stops_it(watch: MonitoredRepository, alice: User, client: Any, settings: Any) -> None:
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


def test_same_figures_in_every_form_and_the_same_bytes_a_year_later(
    watch: MonitoredRepository, alice: User, sign_in: Any, acme: Partner
) -> None:
    tasks.generate_due_reports(MONDAY)
    scope, client = f"partner:{acme.pk}", sign_in(alice)
    paths = [
        reverse(name, args=[scope, "2026-W16"])
        for name in ("reports:detail", "reports:detail_csv", "reports:detail_json")
    ]
    before = [client.get(path).content for path in paths[1:]]
    SlaClock.objects.update(state="met", stopped_at=MONDAY)
    watch.integration.name = "Renamed"
    watch.integration.save()
    assert [client.get(path).content for path in paths[1:]] == before
    figures = json.loads(before[1])
    assert (figures["totals"]["kept"], figures["totals"]["broken"]) == (1, 1)
    assert b"Met,1,0\r\nBreached,1,0\r\n" in before[0]
    page = client.get(paths[0]).content.decode()
    assert "1 of 2 SLA targets were met, and 1 were breached." in page
    assert presenters.build_subject(figures) == report("alice@acme.example").subject


def test_report_is_read_by_whom_it_concerns(
    watch: MonitoredRepository, alice: User, charlie: User, rita: User, sign_in: Any, acme: Partner
) -> None:
    tasks.generate_due_reports(MONDAY)
    address = reverse("reports:detail", args=[f"partner:{acme.pk}", "2026-W16"])
    programs = reverse("reports:detail", args=["programs", "2026-W16"])
    status_codes = [
        (sign_in(who).get(address).status_code, sign_in(who).get(programs).status_code)
        for who in (alice, charlie, rita)
    ]
    assert status_codes == [(200, 404), (404, 404), (200, 200)]
    odd = ("partner:²", "partner:0", "program:none", "nobody", f"partner:{'9' * 40}")
    assert [sign_in(rita).get(reverse("reports:detail", args=[scope, "2026-W16"])).status_code for scope in odd] == [
        404
    ] * 5


def test_wishes_are_saved_on_the_page_of_reports(
    watch: MonitoredRepository, alice: User, sign_in: Any, acme: Partner
) -> None:
    client = sign_in(alice)
    scope = f"partner:{acme.pk}"
    assert client.post(reverse("reports:subscriptions"), {scope: "only_with_problems"}).status_code == 302
    assert client.post(reverse("reports:subscriptions"), {scope: "daily"}).status_code == 422
    assert list(ReportSubscription.objects.values_list("scope", "frequency")) == [(scope, "only_with_problems")]


def test_cells_are_safe_in_a_spreadsheet() -> None:
    formulas = ("=1+1", "+1", "-1", "@x", "\tx", "\n=1", "＝1", "＋1", "－1", "＠x")
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
def test_odd_weeks_are_reported_as_they_were(
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
    watch = watch_over(rocket, at - timedelta(weeks=6))
    in_week = at - 9 * H  # Sunday, an hour before the week ends
    clock_of(issue_of(watch, 1, in_week - 20 * H), in_week + 10 * H, state="met", stopped_at=in_week, next_at=None)
    tasks.generate_due_reports(at)
    email, figures = (
        report("alice@acme.example"),
        ReportSnapshot.objects.get(scope=f"partner:{rocket.partner_id}").figures,
    )
    page = sign_in(alice).get(reverse("reports:detail", args=[f"partner:{rocket.partner_id}", week])).content.decode()
    length = datetime.fromisoformat(figures["end"]) - datetime.fromisoformat(figures["start"])
    assert (figures["week"], figures["totals"]["kept"], length / H) == (week, 1, hours)
    assert email.subject == f"SLA week {week[-2:]}: 100% on time, 0 breached, 0 at risk – Acme"
    assert [f"Week {week} of Acme" in form and days in form for form in (email.text, email.html)] == [True] * 2
    first, last = days.split(" to ")
    assert (f"SLA report {week}: Acme" in page, f"{first} to {last}" in page) == (True, True)


def test_empty_week_shows_zeros_in_every_form(rocket: Integration, alice: User, sign_in: Any, now: datetime) -> None:
    watch_over(rocket, now)
    tasks.generate_due_reports(MONDAY)
    email, client = report("alice@acme.example"), sign_in(alice)
    args = [f"partner:{rocket.partner_id}", "2026-W16"]
    page, table = (
        client.get(reverse(name, args=args)).content.decode() for name in ("reports:detail", "reports:detail_csv")
    )
    assert all("No SLA targets were due this week." in text for text in (email.html, page))
    assert ("No overdue issues." in page, "No issue is overdue." in email.html) == (True, True)
    assert "Opened 0, closed 0, reopened 0, comments 0, breached 0, retracted 0." in email.text
    assert "Met,0,0\r\nBreached,0,0\r\nOverdue now,0,\r\n" in table


def test_what_has_incomplete_data_is_not_called_late(rocket: Integration, alice: User, now: datetime) -> None:
    watch = watch_over(rocket, now)
    clock_of(issue_of(watch, 1, now), MONDAY - 24 * H, state="data_incomplete", next_at=None)
    tasks.generate_due_reports(MONDAY)
    assert "critical, resolution due 16 hours ago, data incomplete, open for" in report("alice@acme.example").text


def test_what_is_overdue_appears_in_the_subject_of_a_week_in_which_nothing_was_due(
    rocket: Integration, alice: User, now: datetime
) -> None:
    clock_of(issue_of(watch_over(rocket, now), 1, now - 90 * H), now - 42 * H, state="overdue", next_at=None)
    tasks.generate_due_reports(MONDAY)
    assert report("alice@acme.example").subject == "SLA week 16: 1 overdue, no targets due, 0 at risk – Acme"


def many(watch: MonitoredRepository, count: int, due: datetime, state: str, first: int) -> None:
    for number in range(first, first + count):
        clock_of(issue_of(watch, number, due - 48 * H), due, state=state, next_at=None)


def test_all_that_is_late_is_counted_not_only_what_is_listed(
    rocket: Integration, alice: User, rita: User, now: datetime
) -> None:
    watch = watch_over(rocket, now)
    many(watch, 30, MONDAY - 24 * H, "overdue", 1)
    many(watch, 2, MONDAY - 24 * H, "data_incomplete", 31)
    tasks.generate_due_reports(MONDAY)
    email = report("rita@program.example")
    turn = (
        "Action required: Decide on 30 overdue issues. Action required: Find out why data is incomplete for 2 issues."
    )
    assert [turn in form for form in (email.text, email.html)] == [True, True]
    assert "\nand 29 more\n" in email.text
    assert "Action required: 30 issues are overdue." in report("alice@acme.example").text


def test_all_that_will_be_late_is_counted_not_only_what_is_listed(
    rocket: Integration, alice: User, now: datetime
) -> None:
    many(watch_over(rocket, now), 25, MONDAY + 30 * H, "running", 1)
    tasks.generate_due_reports(MONDAY)
    email, figures = (
        report("alice@acme.example"),
        ReportSnapshot.objects.get(scope=f"partner:{rocket.partner_id}").figures,
    )
    assert "Action required: 25 issues are due this week." in email.text
    assert (
        "\nand 5 more\n" in email.text,
        "\r\ndue this week,25\r\n" in presenters.render_csv(figures),
    ) == (
        True,
        True,
    )


def test_turn_of_an_earlier_format_is_reported_as_it_was(watch: MonitoredRepository, alice: User) -> None:
    tasks.generate_due_reports(MONDAY)
    figures = ReportSnapshot.objects.get(scope="programs").figures
    new_fields = ("coming_in_all", "made_late", "is_past")
    old = {name: value for name, value in figures.items() if name not in new_fields} | {"format": 3}
    old["totals"] = old["totals"] | {"overdue": 30}
    assert presenters.describe_next_action(old) == "Action required: Decide on 1 overdue issue."
    assert presenters.build_report_context(old)["more_worst"] == 0
    assert "due this week" not in presenters.render_csv(old)
    old["worst"] = [old["worst"][0] | {"title": "＝1"}]
    assert (presenters.render_csv(old)[0], ",＝1," in presenters.render_csv(old)) == ("f", True)


def test_title_that_means_something_to_a_mail_program_is_only_text(
    watch: MonitoredRepository, alice: User, now: datetime
) -> None:
    title = 'Fine"><img src=x onerror=alert(1)>\r\nBcc: eve@example.org\x85\u2028End & <b>so'
    SupportIssue.objects.filter(number=2).update(title=title)
    tasks.generate_due_reports(MONDAY)
    email = report("alice@acme.example")
    assert ("<img src=x" in email.html, "&lt;img src=x onerror=alert(1)&gt;" in email.html) == (False, True)
    assert "<img src=x onerror=alert(1)>" in email.text
    assert email.subject.isprintable()


def test_what_was_reverted_says_why_in_every_form(
    watch: MonitoredRepository, alice: User, sign_in: Any, acme: Partner
) -> None:
    SlaBreach.objects.update(retracted_at=MONDAY - 12 * H, retracted_why="The program agreed: spam.")
    tasks.generate_due_reports(MONDAY)
    email = report("alice@acme.example")
    client, args = sign_in(alice), [f"partner:{acme.pk}", "2026-W16"]
    forms = [client.get(reverse(f"reports:detail{form}", args=args)).content.decode() for form in ("", "_csv", "_json")]
    assert ["The program agreed: spam." in form for form in (email.text, email.html, *forms)] == [True] * 5


def test_table_reports_all_that_the_page_does(watch: MonitoredRepository, alice: User, rita: User) -> None:
    SlaBreach.objects.update(retracted_at=MONDAY - 12 * H, retracted_why="=1+1 was agreed.")
    tasks.generate_due_reports(MONDAY)
    figures = ReportSnapshot.objects.get(scope="programs").figures
    figures["listing_status"] = [{"partner": "Acme", "integration": "Rocket", "what": "gave notice"}]
    tables = [table.split("\r\n") for table in presenters.render_csv(figures).removeprefix("\ufeff").split("\r\n\r\n")]
    assert [table[0].split(",")[:3] for table in tables] == [
        ["figure", "this week", "the week before"],
        ["list", "name", "title"],
        ["about the week", "value"],
        ["list", "name", "integration"],
        ["list", "partner", "integration"],
        ["list", "name", "share"],
    ]
    about = dict(line.split(",", 1) for line in tables[2])
    assert (about["week"], about["opened"], about["own reviews decided"]) == ("2026-W16", "1", "0")
    assert tables[3][1].endswith(",'=1+1 was agreed.")
    assert tables[4][1] == "listing_status,Acme,Rocket,gave notice"


def test_reports_of_an_earlier_format_keep_their_bytes(watch: MonitoredRepository, alice: User) -> None:
    tasks.generate_due_reports(MONDAY)
    figures = ReportSnapshot.objects.get(scope=f"partner:{watch.integration.partner_id}").figures
    old = presenters.render_csv(figures | {"format": 2})
    assert old.count("\r\n\r\n") == 1
    assert ",late_hours,last_commenter_role,url\r\n" in old


def test_open_clocks_stand_next_to_what_the_report_of_the_week_before_froze(
    rocket: Integration, alice: User, sign_in: Any, now: datetime
) -> None:
    watch = watch_over(rocket, now)
    data_incomplete = clock_of(issue_of(watch, 1, now), MONDAY - 24 * H, state="data_incomplete", next_at=None)
    tasks.generate_due_reports(MONDAY)
    SlaClock.objects.filter(pk=data_incomplete.pk).update(state="met", stopped_at=now)
    tasks.generate_due_reports(MONDAY + timedelta(weeks=1))
    first, second = ReportSnapshot.objects.filter(scope=f"partner:{rocket.partner_id}").order_by("week")
    assert [
        (each.figures["totals"]["data_incomplete"], each.figures["before"]["data_incomplete"])
        for each in (first, second)
    ] == [
        (1, None),
        (0, 1),
    ]
    assert "| Data incomplete | 0 | 1 |" in EmailMessage.objects.get(key__contains="2026-W17").text
