"""Tests of the managers' report."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from integrations.sla.models import MonitoredRepository, SlaBreach, SupportIssue
from portal.accounts.models import User
from tests.conftest import NOW
from tests.portal.reports.deliveries import MONDAY

PAGE, CSV = "reports:overview", "reports:overview_csv"


@pytest.fixture
def week_with_breach(watch: MonitoredRepository, time_machine: Any) -> MonitoredRepository:
    """Acme's repository with a met target and a critical breach in week 16."""
    time_machine.move_to(MONDAY, tick=False)
    return watch


def test_page_has_shares_with_their_numbers_and_reasons(
    week_with_breach: MonitoredRepository, rita: User, sign_in: Any
) -> None:
    overview = sign_in(rita).get(reverse(PAGE)).context["overview"]
    assert [(share.met, share.breached, len(chart.columns)) for share, chart in overview.programs] == [(1, 1, 12)]
    assert [(share.name, share.met, share.breached) for share in overview.partners] == [("Acme", 1, 1)]
    assert [(reason.key, reason.critical, reason.other) for reason in overview.reasons] == [("resolve:", 1, 0)]


def test_reasons_depend_on_the_target_and_the_last_comment(
    week_with_breach: MonitoredRepository, rita: User, sign_in: Any
) -> None:
    SupportIssue.objects.update(last_commenter_role="partner")
    client = sign_in(rita)
    keys = [[reason.key for reason in client.get(reverse(PAGE)).context["overview"].reasons]]
    SlaBreach.objects.update(target_type="respond")
    keys.append([reason.key for reason in client.get(reverse(PAGE)).context["overview"].reasons])
    SlaBreach.objects.update(retracted_at=NOW)
    keys.append([reason.key for reason in client.get(reverse(PAGE)).context["overview"].reasons])
    assert keys == [["resolve:partner"], ["respond"], []]


def test_csv_has_the_same_figures(week_with_breach: MonitoredRepository, rita: User, sign_in: Any) -> None:
    content = b"".join(sign_in(rita).get(reverse(CSV))).decode()
    lines = content.splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == [*["program"] * 12, "partner", "reason"]
    assert (lines[13], lines[14]) == ("partner,Acme,,1,1,50%", "reason,resolve:,,,1,,1,0")
    assert "2026-W16,1,1" in content


def test_report_is_for_program_staff_and_needs_few_queries(
    week_with_breach: MonitoredRepository, alice: User, rita: User, sign_in: Any, django_assert_max_num_queries: Any
) -> None:
    assert [sign_in(alice).get(reverse(name)).status_code for name in (PAGE, CSV)] == [404, 404]
    client = sign_in(rita)
    with django_assert_max_num_queries(15):
        assert client.get(reverse(PAGE)).status_code == 200


def test_page_without_targets_says_so(rita: User, sign_in: Any) -> None:
    assert "No SLA targets in the last 12 weeks" in sign_in(rita).get(reverse(PAGE)).content.decode()


def test_page_has_its_filters_and_the_charts_of_programs_side_by_side(
    week_with_breach: MonitoredRepository, rita: User, sign_in: Any
) -> None:
    page = BeautifulSoup(sign_in(rita).get(reverse(PAGE), {"program": "nomad"}).content, "html.parser")
    program = page.select_one('form.filters select[name="program"]')
    assert [option["value"] for option in program.select("option[selected]")] == ["nomad"]
    assert len(page.select(".multiples > section > .chart-box")) == 1
