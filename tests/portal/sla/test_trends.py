"""Are the pictures the numbers, for those who hear the page too?"""

from collections.abc import Callable
from typing import Any

from bs4 import BeautifulSoup

from portal.sla.charts import Chart, Column
from verification.models import Issue


def test_a_chart_says_its_numbers_and_stands_on_its_floor() -> None:
    chart = Chart("c", "Weeks", (Column("W1", 3, 1), Column("W2", 0)), 1, "target 48 h")
    svg = BeautifulSoup(chart.drawn, "html.parser").svg
    assert svg
    assert (svg.title.text, svg.desc.text) == ("Weeks", "W1: 3 and 1 late; W2: 0")  # type: ignore[union-attr]
    heights = [float(str(rect["height"])) for rect in svg.select("g rect")]
    assert heights == [72.0, 24.0, 0.0, 0.0]
    assert "target 48 h" in svg.text
    assert 'style="' not in str(svg)


def test_the_trends_count_what_was_settled(sign_in: Callable[[Any], Any], rita: Any, issues: dict[str, Issue]) -> None:
    trends = sign_in(rita).get("/sla/trends/").context["trends"]
    assert (sum(c.kept for c in trends.weeks.columns), sum(c.late for c in trends.weeks.columns)) == (1, 1)
    assert [(share.name, share.kept, share.broken) for share in trends.partners] == [("Acme", 1, 1)]
    answers = {chart.title: [c.whole for c in chart.columns] for chart in trends.lengths}
    assert sum(answers["First answer, all others"]) == 2


def test_a_company_sees_no_other_in_its_trends(
    sign_in: Callable[[Any], Any], charlie: Any, issues: dict[str, Issue]
) -> None:
    page = sign_in(charlie).get("/sla/trends/").content.decode()
    assert "Acme" not in page
