"""Tests of the analytics pages, which only program staff see, and of their number of queries."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from integrations.programs.selectors import get_program_calendar
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.services import claims
from integrations.reviews.services.bulk import snooze
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.analytics import waiting_times
from portal.analytics.filters import AnalyticsFilterForm, AnalyticsFilters
from portal.analytics.forecast import MIN_WAITS
from portal.analytics.metrics import count_business_days
from portal.analytics.models import StageDuration
from portal.analytics.selectors import stays
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Any]
DAY = timedelta(days=1)
PAGES = ("/analytics/", "/analytics/flow/", "/analytics/people/", "/analytics/forecast/")


@pytest.fixture
def today() -> datetime:
    return timezone.now()


@pytest.fixture
def enough_decisions(globex: Any, charlie: Any, today: datetime) -> None:
    """Create as many decisions as a forecast needs, each after seven days."""
    decided = create_integration(globex, charlie, name="Decided", repository="globex/decided", repository_id=9)
    StageDuration.objects.filter(integration=decided).delete()
    since = [today - (20 + n) * DAY for n in range(MIN_WAITS)]
    StageDuration.objects.bulk_create(
        StageDuration(
            integration=decided,
            program_key="nomad",
            stage="review",
            responsible_party="program",
            round=1,
            stay_started_at=at,
            started_at=at,
            ended_at=at + 7 * DAY,
            ends_stay=True,
            business_day_tenths=50,
        )
        for at in since
    )


def read_text(page: Any) -> str:
    return " ".join(BeautifulSoup(page.content, "html.parser").find("main").get_text(" ").split())  # type: ignore[union-attr]


@pytest.mark.parametrize("path", PAGES)
def test_analytics_are_for_program_staff_only(sign_in: SignIn, alice: Any, rita: Any, path: str) -> None:
    assert sign_in(alice).get(path).status_code == 404
    assert sign_in(rita).get(path).status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_page_takes_ten_queries_at_most(sign_in: SignIn, rita: Any, enough_decisions: None, path: str) -> None:
    client = sign_in(rita)
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    assert len(queries) <= 10


def test_stages_and_responsible_parties_are_shown_with_a_table(
    sign_in: SignIn, rita: Any, enough_decisions: None
) -> None:
    page = sign_in(rita).get("/analytics/?program=nomad")
    assert f"Nomad Review median 5.0 90th percentile 5.0 {MIN_WAITS}" in read_text(page)
    assert "Program 100%" in read_text(page)
    for svg in BeautifulSoup(page.content, "html.parser").select("svg.chart"):
        assert svg.title
        assert not svg.select("[style]")
    assert "No completed stages" in read_text(sign_in(rita).get("/analytics/?program=vault"))


def test_only_time_within_the_period_counts(enough_decisions: None, today: datetime) -> None:
    since = today - 18 * DAY
    choice = AnalyticsFilters("nomad", "30", since, today, AnalyticsFilterForm({}))
    inside = [min(today - (20 + n - 7) * DAY, today) - max(today - (20 + n) * DAY, since) for n in range(MIN_WAITS)]
    (party_times,) = stays.list_responsible_party_times(choice)
    assert (party_times.stage, party_times.responsible_party) == ("review", "program")
    assert party_times.time == sum((each for each in inside if each > timedelta()), timedelta())


@pytest.mark.parametrize(("query", "kept"), [("view=all", ""), ("view=all&period=365&x=1", "?period=365")])
def test_tabs_keep_the_program_and_the_period_only(sign_in: SignIn, rita: Any, query: str, kept: str) -> None:
    page = BeautifulSoup(sign_in(rita).get(f"/analytics/people/?{query}").content, "html.parser")
    assert [link["href"] for link in page.select(".tabs a")] == [f"{path}{kept}" for path in PAGES]


def test_invalid_filter_is_reported_and_the_default_is_shown(sign_in: SignIn, rita: Any) -> None:
    answer = sign_in(rita).get("/analytics/?program=none&period=12")
    assert read_text(answer).count("Unknown filter value. The page shows the default.") == 2
    assert "last 90 days" in read_text(answer)
    assert '<option value="90" selected' in answer.text


def test_flow_counts_integrations_by_stage(sign_in: SignIn, acme: Any, alice: Any, rita: Any, today: datetime) -> None:
    listed_integration = create_integration(acme, alice, now=today - DAY)
    advance_to_stage(listed_integration, "support", partner=alice, reviewer=rita, now=today - DAY)
    integration = create_integration(
        acme, alice, name="Lander", repository="acme/lander", repository_id=9, now=today - DAY
    )
    perform_transition(integration, "withdraw", actor=alice, note="No time.", now=today - DAY / 2)
    page = read_text(sign_in(rita).get("/analytics/flow/"))
    assert "Started 2 reached 100% 0 current 1 withdrawn" in page
    assert "Listed 1 reached 50% 0 current –" in page
    assert "Engage Nomad 1 withdrawn 0 declined" in page


@pytest.mark.parametrize(("weeks", "now", "before"), [(1, 1, 0), (13, 0, 1), (25, 0, 0)])
def test_flow_is_compared_with_the_previous_twelve_weeks(
    sign_in: SignIn, acme: Any, alice: Any, rita: Any, today: datetime, weeks: int, now: int, before: int
) -> None:
    # At noon, because the release ends minutes after the approval, which could be in the next week.
    approved_at = today.replace(hour=12) - 7 * weeks * DAY
    advance_to_stage(
        create_integration(acme, alice, now=approved_at), "support", partner=alice, reviewer=rita, now=approved_at
    )
    page = sign_in(rita).get("/analytics/flow/")
    for chart in page.context["moves"][:2]:
        assert (sum(c.count for c in chart.columns), sum(c.before for c in chart.columns)) == (now, before), chart.title
    name, columns = page.context["spans"][-1 - weeks % 12]
    assert (name, [c.count + c.before for c in columns[:2]]) == (columns[0].label, [now + before] * 2)


def test_reviewers_are_shown_with_waiting_reviews_and_absences(
    sign_in: SignIn, integration_at: Any, rita: Any, rob: Any, today: datetime
) -> None:
    row = integration_at("review")
    claims.claim_review(row, actor=rita, now=today)
    ReviewerProfile.objects.filter(user=rob).update(away_from=today.date() - DAY)
    page = read_text(sign_in(rita).get("/analytics/people/"))
    assert "Rita Reyes Set absence Rita Reyes 1 of 8 1 waiting" in page
    assert "Rob Roth away until further notice 0 of 8 0 waiting 0 overdue 0 snoozed None 0 decided –" in page


def test_workload_shows_overdue_and_snoozed_reviews_and_the_median(
    sign_in: SignIn, acme: Any, alice: Any, rita: Any, sam: Any, today: datetime
) -> None:
    since = today - 3 * DAY
    for name in ("Approved", "Overdue", "Snoozed"):
        row = advance_to_stage(
            create_integration(acme, alice, now=since, name=name), "review", partner=alice, reviewer=rita, now=since
        )
        claims.assign_reviewer(row, rita, actor=sam, now=since)
    approved, overdue, snoozed = Integration.objects.order_by("name")
    fulfill_requirements(approved, None, since)
    perform_transition(approved, "approve", actor=rita, note="", now=today - DAY + timedelta(hours=1))
    Integration.objects.filter(pk=overdue.pk).update(action_due_at=today - DAY)
    snooze(snoozed, 3, "Waits for a release.", actor=sam, now=today)
    page = read_text(sign_in(sam).get("/analytics/people/"))
    assert "2 waiting 1 overdue 1 snoozed oldest 3 d ago" in page
    assert "1 decided median 2 d" in page
    assert "Rebalance reviews" in page


def test_partner_sees_the_forecast_while_the_program_is_responsible(
    sign_in: SignIn, enough_decisions: None, rocket: Integration, alice: Any, rita: Any, today: datetime
) -> None:
    forecast_text = "Decisions on Nomad integrations: median 5 business days · 90% within 5 business days"
    client = sign_in(alice)
    assert forecast_text not in read_text(client.get(f"/integrations/{rocket.uuid}/"))
    advance_to_stage(rocket, "review", partner=alice, reviewer=rita, now=today)
    assert f"{forecast_text} (last 90 days, {MIN_WAITS} decisions)." in read_text(
        client.get(f"/integrations/{rocket.uuid}/")
    )
    assert "90% probability" in read_text(client.get(f"/integrations/{rocket.uuid}/"))
    assert forecast_text in read_text(client.get("/"))
    client.logout()
    assert forecast_text in read_text(client.get("/programs/nomad/"))


def test_too_few_decisions_are_reported_on_the_program_page_only(
    sign_in: SignIn, integration_at: Any, alice: Any
) -> None:
    row = integration_at("review")
    pages = [read_text(sign_in(alice).get(path)) for path in ("/programs/nomad/", "/", f"/integrations/{row.uuid}/")]
    assert ["not enough data for a forecast" in page for page in pages] == [True, False, False]


def test_forecast_without_decisions_explains_when_programs_appear(sign_in: SignIn, rita: Any) -> None:
    pages = [read_text(sign_in(rita).get(path)) for path in ("/analytics/forecast/", "/reports/overview/")]
    assert "No decisions yet A program appears here after its first review decision." in pages[0]
    assert ("Accuracy by week" in pages[0], "No reviews yet." in pages[1]) == (False, True)


def test_forecast_of_one_program_has_no_line_for_all_programs(
    sign_in: SignIn, rita: Any, enough_decisions: None
) -> None:
    page, overview = (sign_in(rita).get(path) for path in ("/analytics/forecast/", "/reports/overview/"))
    assert [line.name for line in page.context["rows"]] == ["Nomad"]
    assert [line.key for line in overview.context["overview"].forecasts] == ["nomad"]
    assert ("All programs" in read_text(page), "All programs" in read_text(overview)) == (False, False)


def test_line_for_all_programs_has_no_forecast_of_its_own(sign_in: SignIn, rita: Any, enough_decisions: None) -> None:
    StageDuration.objects.filter(pk__in=StageDuration.objects.values("pk")[:3]).update(program_key="vault")
    rows = sign_in(rita).get("/reports/overview/")
    assert [line.key for line in rows.context["overview"].forecasts] == ["nomad", "vault", ""]
    assert "All programs By program" in read_text(rows)


def test_wait_beyond_the_90th_percentile_is_reported(
    enough_decisions: None, rocket: Integration, alice: Any, rita: Any, today: datetime
) -> None:
    row = advance_to_stage(rocket, "review", partner=alice, reviewer=rita, now=today - 12 * DAY)
    wait = waiting_times.estimate_wait(row, today)
    days = waiting_times.format_business_days(
        count_business_days(today - 12 * DAY, today, get_program_calendar("nomad"))
    )
    assert wait is not None
    assert wait.note == f"This integration has waited {days}, longer than 90% of others."
    assert wait.p90_at is None


def test_backtest_prints_the_accuracy(enough_decisions: None) -> None:
    import json
    from io import StringIO

    from django.core.management import call_command

    out = StringIO()
    call_command("backtest_forecast", "--json", stdout=out)
    (line,) = json.loads(out.getvalue())
    assert (line["program"], line["decisions"], line["forecast"]["count"]) == ("nomad", 0, MIN_WAITS)
