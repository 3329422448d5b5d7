"""Tests that the SLA dashboard shows each user all of their own clocks and no others."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django import forms
from django.core.cache import cache
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from integrations.partners.models import Partner
from integrations.sla import clock_records, filters, metrics, tasks
from integrations.sla.models import MonitoredRepository, SlaClock, SupportIssue
from integrations.sla.services import monitoring, projection
from integrations.submissions.models import Integration
from portal.core import exports
from portal.core.form_fields import FilterField
from portal.reports import sla_dashboard
from tests.bench.world import fill
from tests.integrations.sla.pages.issues import create_issue

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def advance_clocks(issues: dict[str, SupportIssue]) -> None:
    """Let the due date of the issue without data pass."""
    tasks.advance_due_clocks(timezone.now())


def list_titles(client: Any, query: str = "") -> list[str]:
    rows = csv.DictReader(io.StringIO(read_stream(client.get(f"/exports/sla.csv{query}")).removeprefix("\ufeff")))
    return [row["title"].removeprefix("'") for row in rows]


def read_stream(response: Any) -> str:
    return b"".join(response.streaming_content).decode()


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("at_risk", ["Burns"]),
        ("overdue", ["Exploded"]),
        ("data_incomplete", ["Unseen"]),
        ("paused", ["Paused"]),
        ("met", ["Met"]),
        ("late", []),
        ("", ["Unseen", "Exploded", "Burns", "=cmd|calc", "Paused"]),
        ("all", ["Unseen", "Exploded", "Burns", "=cmd|calc", "Paused", "Met"]),
        ("nonsense", ["Unseen", "Exploded", "Burns", "=cmd|calc", "Paused"]),
    ],
)
def test_state_filter_lists_its_clocks_most_urgent_first(
    sign_in: SignIn, alice: Any, state: str, expected: list[str]
) -> None:
    assert list_titles(sign_in(alice), f"?state={state}") == expected


def test_partner_sees_its_own_clocks_and_the_program_all(sign_in: SignIn, alice: Any, charlie: Any, rita: Any) -> None:
    assert list_titles(sign_in(charlie), "?state=all&partner=acme") == ["Secret of Globex"]
    assert "Secret of Globex" not in list_titles(sign_in(alice), "?state=all")
    reviewer = sign_in(rita)
    assert len(list_titles(reviewer, "?state=all")) == 7
    assert list_titles(reviewer, "?partner=globex") == ["Secret of Globex"]
    assert list_titles(reviewer, "?severity=critical&state=at_risk") == ["Burns"]


def test_integration_is_a_filter_and_unknown_values_are_not(
    sign_in: SignIn, issues: dict[str, SupportIssue], alice: Any, charlie: Any, rita: Any
) -> None:
    query = f"?state=all&integration={issues['other'].integration.uuid}"
    assert list_titles(sign_in(rita), query) == list_titles(sign_in(charlie), query) == ["Secret of Globex"]
    assert "Secret of Globex" not in list_titles(sign_in(alice), query)
    parameters = {"state": "met", "severity": "worst", "program": "none", "integration": "x"}
    parsed = filters.parse_filters(rita, parameters)
    assert (parsed.state, parsed.is_filtered) == ("met", False)


def test_many_partners_are_found_by_the_beginning_of_a_name(
    sign_in: SignIn, issues: dict[str, SupportIssue], rita: Any, now: Any
) -> None:
    fill(issues["running"].integration, 2200)
    Partner.objects.filter(name="Company 17").update(name="Zeta Networks", name_key="zetanetworks")
    rows = Integration.objects.filter(monitored_repository=None)
    MonitoredRepository.objects.bulk_create(
        MonitoredRepository(integration=row, repository=f"x/{row.pk}", began_at=now, data_up_to=now) for row in rows
    )
    client = sign_in(rita)
    page = client.get("/sla/?partner=zeta+net")
    assert page.context["choice"].values["partner"] == "company-17"
    assert '<input type="text" name="partner" value="Zeta Networks"' in page.text
    assert 'name="integration"' in page.text
    page = client.get("/sla/?partner=nobody")
    assert page.context["choice"].is_filtered is False
    assert "Unknown filter value. The list shows all results." in page.text


def test_urgent_issues_are_on_the_home_page_of_the_partner(sign_in: SignIn, alice: Any, charlie: Any) -> None:
    page = sign_in(alice).get("/")
    assert [row.columns.issue__title for row in page.context["urgent_issues"]] == ["Exploded", "Burns"]
    assert ("Overdue and at-risk issues" in page.text, 'href="/sla/"' in page.text) == (True, True)
    assert "Overdue and at-risk issues" not in sign_in(charlie).get("/").text


def test_figures_are_compared_with_the_previous_week(alice: Any) -> None:
    now = timezone.now()
    dashboard_summary = sla_dashboard.build_dashboard_summary(filters.parse_filters(alice, {}), now)
    assert [(tile["title"], str(tile["value"])) for tile in dashboard_summary["tiles"]] == [
        ("On time", "50.0%"),
        ("At risk", "1"),
        ("Overdue", "1"),
        ("Data incomplete", "1"),
    ]
    assert dashboard_summary["tiles"][0]["before"] == "No targets due in the previous 7 days"
    assert (dashboard_summary["repository_count"], dashboard_summary["count"]) == (2, 5)
    later = sla_dashboard.build_dashboard_summary(filters.parse_filters(alice, {}), now + timedelta(days=7))
    assert (later["tiles"][0]["before"], later["tiles"][2]["before"]) == (
        "50.0% in the previous 7 days",
        "1 a week ago",
    )


def test_figures_of_last_week_leave_out_what_was_not_monitored_then(alice: Any) -> None:
    now = timezone.now()
    for monitored_repository in MonitoredRepository.objects.select_related("integration"):
        monitoring.stop_monitoring(monitored_repository.integration, now)
    later = sla_dashboard.build_dashboard_summary(filters.parse_filters(alice, {}), now + timedelta(days=7))
    assert [tile["before"] for tile in later["tiles"][1:3]] == ["0 a week ago", "0 a week ago"]


@pytest.mark.parametrize(
    ("trouble", "next_in", "behind"),
    [("", 15, 0), ("", -14, 0), ("", -16, 1), ("GitHub does not show the repository to us just now", 300, 1)],
)
def test_repository_is_behind_only_if_polling_is_late_or_failing(
    alice: Any, trouble: str, next_in: int, behind: int
) -> None:
    now = timezone.now()
    MonitoredRepository.objects.update(
        data_up_to=now - timedelta(minutes=45), poll_at=now + timedelta(minutes=5), trouble=""
    )
    MonitoredRepository.objects.filter(integration__name="Dark").update(
        poll_at=now + timedelta(minutes=next_in), trouble=trouble
    )
    assert sla_dashboard.build_dashboard_summary(filters.parse_filters(alice, {}), now)["behind"] == behind


def test_export_escapes_formulas_and_names_last_commenters(sign_in: SignIn, alice: Any) -> None:
    content = read_stream(sign_in(alice).get("/exports/sla.csv"))
    assert content.startswith("\ufeffissue,title,")
    table = list(csv.DictReader(io.StringIO(content.removeprefix("\ufeff"))))
    assert [row["title"] for row in table] == ["Unseen", "Exploded", "Burns", "'=cmd|calc", "Paused"]
    assert [row["last_commenter"] for row in table[-2:]] == ["uma", "dana"]


def test_truncated_export_says_that_rows_are_missing(
    sign_in: SignIn, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in(alice)
    monkeypatch.setattr(exports, "MAX_ROWS", 5)
    assert len(read_stream(client.get("/exports/sla.csv")).splitlines()) == 6
    monkeypatch.setattr(exports, "MAX_ROWS", 3)
    lines = read_stream(client.get("/exports/sla.csv")).splitlines()
    assert (len(lines), lines[-1]) == (5, "Export limited to 3 rows. Filter the list to export the other rows.")


def test_filter_with_too_many_names_is_a_text_field_whose_options_are_cached(
    rita: Any, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    cache.clear()
    for max_options, query_counts, field_class in ((2, (1, 1), FilterField), (1, (1, 0), forms.CharField)):
        monkeypatch.setattr(filters, "MAX_OPTIONS", max_options)
        for query_count in query_counts:
            with django_assert_num_queries(query_count):
                form = filters.parse_filters(rita, {}).form
            assert type(form.fields["partner"]) is field_class


def test_page_needs_few_queries_for_many_rows(
    sign_in: SignIn, rita: Any, issues: dict[str, SupportIssue], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    integration = issues["running"].integration
    now = timezone.now()
    for number in range(35):
        create_issue(integration, f"More {number}", now - timedelta(hours=number + 1), now=now)
    client = sign_in(rita)
    with django_assert_max_num_queries(15):  # including those of session and user
        page = client.get("/sla/?page=2")
    assert page.context["page"].number == 2
    assert len(page.context["rows"]) == 41 - 25


def test_page_of_overdue_clocks_also_shows_those_due_next(
    sign_in: SignIn, rita: Any, issues: dict[str, SupportIssue]
) -> None:
    integration = issues["running"].integration
    now = timezone.now()
    for number in range(25):
        create_issue(integration, f"More {number}", now - timedelta(days=30, hours=number), now=now)
    client = sign_in(rita)
    pages = [client.get(f"/sla/?page={number}").context for number in (1, 2)]
    due_next = [[row.columns.pk for row in context["soon"]] for context in pages]
    expected = SlaClock.objects.filter(is_committed=True, state="running", due_at__gt=now).order_by("due_at", "pk")
    assert due_next == [list(expected.values_list("pk", flat=True)[:5]), []]


def test_used_time_grows_after_the_last_projection_except_while_paused(issues: dict[str, SupportIssue]) -> None:
    now = timezone.now()
    then = now + timedelta(hours=4)
    rows_by_title = {
        row.columns.issue__title: row
        for row in clock_records.list_records(SlaClock.objects.filter(is_committed=True), then)
    }
    assert rows_by_title["Burns"].usage.text == "44 h of 48 h"
    assert rows_by_title["Paused"].usage.counted == get_counted_time(issues["paused"])
    projection.rebuild_projections([issues["at_risk"].pk], then)
    again = {
        row.columns.issue__title: row
        for row in clock_records.list_records(SlaClock.objects.filter(is_committed=True), then)
    }
    assert again["Burns"].usage.counted == pytest.approx(rows_by_title["Burns"].usage.counted, abs=timedelta(seconds=1))


def test_clock_is_not_at_risk_after_the_end_of_monitoring(issues: dict[str, SupportIssue]) -> None:
    monitoring.stop_monitoring(issues["running"].integration, timezone.now())
    later = timezone.now() + timedelta(days=30)
    rows = clock_records.list_records(SlaClock.objects.filter(issue=issues["running"], is_committed=True), later)
    assert [(row.is_at_risk, row.columns.state) for row in rows] == [(False, "running")]


def get_counted_time(issue: SupportIssue) -> timedelta:
    return timedelta(seconds=issue.clocks.get(target_type="resolve").counted_seconds)


def test_clock_with_incomplete_data_is_not_shown_as_late(sign_in: SignIn, alice: Any) -> None:
    page = sign_in(alice).get("/sla/?state=data_incomplete").content.decode()
    assert '<span class="sub">data incomplete</span>' in page
    assert ("meter-over" in page, "overdue by" in page) == (False, False)


@pytest.mark.parametrize(("minutes", "expected"), [(59, False), (61, True)])
def test_row_shows_the_age_of_its_data_only_if_it_is_old(
    sign_in: SignIn, alice: Any, minutes: int, expected: bool
) -> None:
    MonitoredRepository.objects.update(data_up_to=timezone.now() - timedelta(minutes=minutes))
    assert ("data up to" in sign_in(alice).get("/sla/").content.decode()) == expected


def test_each_row_shows_the_other_clock_of_its_issue(issues: dict[str, SupportIssue]) -> None:
    MonitoredRepository.objects.filter(pk=issues["other"].monitored_repository_id).update(
        trouble="the repository is private"
    )
    rows = clock_records.list_records(SlaClock.objects.filter(is_committed=True), timezone.now())
    summaries = {row.columns.issue__title: row.counterpart_summary for row in rows}
    assert {title: summaries[title] for title in ("Paused", "=cmd|calc", "Secret of Globex")} == {
        "Paused": "First response: 5 h",
        "=cmd|calc": "First response: none yet",
        "Secret of Globex": "First response: not measurable",
    }


def test_export_has_the_times_of_both_clocks(sign_in: SignIn, alice: Any, issues: dict[str, SupportIssue]) -> None:
    lines = csv.DictReader(
        io.StringIO(read_stream(sign_in(alice).get("/exports/sla.csv?state=all")).removeprefix("\ufeff"))
    )
    rows = {row["title"]: row for row in lines}
    columns = ("response_hours", "resolution_hours")
    assert [rows["Met"][name] for name in columns] == ["0.0", "0.0"]  # on a Sunday
    assert [rows["Paused"][name] for name in columns] == ["5.0", ""]


@pytest.mark.parametrize(
    ("known_until", "expected"), [(timedelta(), True), (timedelta(hours=1), True), (timedelta(hours=3), False)]
)
def test_missed_ideal_target_is_listed_and_counted_without_a_breach(
    sign_in: SignIn, alice: Any, issues: dict[str, SupportIssue], known_until: timedelta, expected: bool
) -> None:
    now = timezone.now()
    clock = issues["running"].clocks.get(target_type="respond")
    SlaClock.objects.filter(pk=clock.pk).update(ideal_due_at=now - timedelta(hours=2))
    MonitoredRepository.objects.filter(pk=clock.monitored_repository_id).update(data_up_to=now - known_until)
    rows = clock_records.list_records(SlaClock.objects.filter(pk=clock.pk), now)
    totals = metrics.get_metrics(metrics.GLOBAL_SCOPE, now - timedelta(days=2), now, now)
    assert [row.is_ideal_missed for row in rows] == [expected]
    assert list_titles(sign_in(alice), "?state=ideal_missed") == (["=cmd|calc"] if expected else [])
    assert (totals.ideal_missed, totals.breached) == (int(expected), 1)


def test_metrics_have_the_median_times_of_both_clocks(issues: dict[str, SupportIssue]) -> None:
    now = timezone.now()
    totals = metrics.get_metrics(metrics.GLOBAL_SCOPE, now - timedelta(days=30), now, now)
    assert (totals.respond_hours, totals.resolve_hours) == (2.5, 0.0)
