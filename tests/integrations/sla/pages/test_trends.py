"""Tests that charts show the figures of their tables, also to screen readers."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from bs4 import BeautifulSoup
from django.utils import timezone

from integrations.programs.registry import PROGRAMS
from integrations.programs.sla_policy import SlaTarget
from integrations.sla.models import SlaBreach, SlaClock, SupportIssue
from integrations.submissions.models import Integration
from portal.core.periods import PeriodKind, get_last_complete_period, get_program_zone
from portal.reports.models import ReportSnapshot
from portal.reports.trends import SlaShare, build_bins
from portal.ui.charts.columns import Chart, Column

pytestmark = pytest.mark.any_database


def test_chart_describes_its_numbers_and_scales_its_columns() -> None:
    chart = Chart("c", "Weeks", (Column("W1", 3, 1), Column("W2", 0)), 1, "target 48 h")
    svg = BeautifulSoup(chart.svg, "html.parser").svg
    assert svg
    assert (svg.title.text, svg.desc.text) == ("Weeks", "W1: 3, 1 late; W2: 0")  # type: ignore[union-attr]
    heights = [float(str(rect["height"])) for rect in svg.select("g rect")]
    assert heights == [72.0, 24.0, 0.0, 0.0]
    assert "target 48 h" in svg.text
    assert 'style="' not in str(svg)


def test_descriptions_separate_thousands_like_the_page() -> None:
    assert Column("W1", 1234, 5678, before=9012).description == "W1: 1,234, 5,678 late, previous period 9,012"
    assert SlaShare("Acme", 1234, 5678).summary == "1,234 met, 5,678 breached"


def test_previous_period_is_drawn_behind_on_the_same_baseline() -> None:
    chart = Chart("c", "Weeks", (Column("W1", 2, 1, before=6), Column("W2", 3, before=0)))
    svg = BeautifulSoup(chart.svg, "html.parser").svg
    assert svg
    assert (chart.has_comparison, svg.desc.text) == (True, "W1: 2, 1 late, previous period 6; W2: 3, previous period 0")  # type: ignore[union-attr]
    (before,) = svg.select(".chart-before")
    count_column = svg.select(".chart-count")[0]
    assert before.find_next_sibling() == count_column
    assert (float(str(before["height"])), float(str(count_column["height"]))) == (96.0, 32.0)
    assert [float(str(r["y"])) + float(str(r["height"])) for r in (before, count_column)] == [chart.baseline] * 2


def test_trends_are_compared_with_the_previous_twelve_weeks(
    sign_in: Callable[[Any], Any], rita: Any, issues: dict[str, SupportIssue]
) -> None:
    def weeks(later: timedelta) -> tuple[int, int]:
        with time_machine.travel(timezone.now() + later, tick=False):
            columns = sign_in(rita).get("/sla/trends/").context["trends"]["weeks"].columns
        return sum(column.whole for column in columns), sum(column.before for column in columns)

    assert [weeks(timedelta(weeks=n)) for n in (0, 12, 24)] == [(2, 0), (0, 2), (0, 0)]


def test_target_label_does_not_overlap_the_tallest_column() -> None:
    svg = BeautifulSoup(Chart("c", "Days", (Column("1 day", 1),), 1, "target 5 days").svg, "html.parser").svg
    assert svg
    value, target = (float(str(svg.select_one(name)["y"])) for name in (".chart-value", ".chart-named"))  # type: ignore[index]
    assert value - 15 > target  # the font size on phones


def test_trends_count_resolved_and_late_issues(
    sign_in: Callable[[Any], Any], rita: Any, issues: dict[str, SupportIssue]
) -> None:
    trends = sign_in(rita).get("/sla/trends/").context["trends"]
    assert (sum(c.count for c in trends["weeks"].columns), sum(c.late for c in trends["weeks"].columns)) == (1, 1)
    assert [(share.name, share.met, share.breached) for share in trends["partners"]] == [("Acme", 1, 1)]
    answers = {chart.title: [c.whole for c in chart.columns] for chart in trends["lengths"]}
    assert sum(answers["First response, all others"]) == 2


def test_trends_without_targets_show_response_and_resolution_times(
    sign_in: Callable[[Any], Any], rita: Any, issues: dict[str, SupportIssue]
) -> None:
    SlaBreach.objects.all().delete()
    SlaClock.objects.update(is_committed=False, ideal_due_at=None)
    page = sign_in(rita).get("/sla/trends/").text
    assert ("First response, all others" in page, "No SLA figures in the last 12 weeks" in page) == (True, False)


def test_chart_shows_the_target_of_its_program(
    sign_in: Callable[[Any], Any], rita: Any, issues: dict[str, SupportIssue]
) -> None:
    def targets() -> list[tuple[str, str, int]]:
        charts = sign_in(rita).get("/sla/trends/").context["trends"]["lengths"]
        return [(chart.title, chart.target, chart.target_after) for chart in charts]

    none = [("First response, critical", "", -1), ("First response, all others", "", -1)]
    resolution_targets = [
        ("Resolution, critical", "target 48 h", 4),
        ("Resolution, all others", "target 5 business days", 5),
    ]
    assert targets() == none + resolution_targets  # Nomad's
    issue = issues["met"]
    Integration.objects.filter(pk=issue.integration_id).update(program_key="packer")
    edition = PROGRAMS["packer"].editions[-1].date
    SupportIssue.objects.filter(integration=issue.integration_id).update(edition=edition)
    assert {target for _, target, _ in targets()} == {""}  # Packer has no targets


@pytest.mark.parametrize(
    ("targets", "labels", "expected_target"),
    [
        ([SlaTarget(hours=24)], ["6 h", "12 h", "18 h", "24 h", "longer"], "target 24 h"),
        ([SlaTarget(business_days=2, binding="ideal")], ["1 day", "2 days", "longer"], "recommended 2 business days"),
        (
            [SlaTarget(business_days=10)],
            ["2.5 days", "5 days", "7.5 days", "10 days", "longer"],
            "target 10 business days",
        ),
        ([SlaTarget(hours=24), SlaTarget(hours=48)], ["12 h", "24 h", "36 h", "48 h", "longer"], ""),
        ([], ["12 h", "24 h", "36 h", "48 h", "longer"], ""),
    ],
)
def test_columns_end_at_the_target(targets: list[SlaTarget], labels: list[str], expected_target: str) -> None:
    span = build_bins(set(targets), SlaTarget(hours=48))
    assert (list(span.labels), span.target, len(span.ends)) == (labels, expected_target, len(labels) - 1)


def test_trends_of_a_partner_exclude_others(
    sign_in: Callable[[Any], Any], charlie: Any, issues: dict[str, SupportIssue]
) -> None:
    page = sign_in(charlie).get("/sla/trends/").content.decode()
    assert "Acme" not in page


def test_incomplete_data_of_past_weeks_comes_from_their_reports(sign_in: Any, alice: Any, issues: Any) -> None:
    now = timezone.now()
    partner = issues["running"].integration.partner.slug
    week = get_last_complete_period(PeriodKind.WEEK, now, get_program_zone())
    figures = {"totals": {"data_incomplete": 3}}
    values = {"period": str(week), "kind": week.kind, "end_day": week.end_day, "created_at": now}
    ReportSnapshot.objects.create(scope=f"partner:{partner}", figures=figures, **values)
    ReportSnapshot.objects.create(scope="programs", figures={"totals": {"data_incomplete": 9}}, **values)
    client = sign_in(alice)
    columns = client.get("/sla/trends/").context["trends"]["weeks"].columns
    assert [column.data_incomplete for column in columns if column.data_incomplete] == ["3"]
    assert f"3 at the end of week {week.number}" in client.get("/sla/").content.decode()
    assert "No data for last week" in client.get("/sla/?severity=critical").content.decode()
