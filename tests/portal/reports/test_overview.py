"""Tests of the managers' report."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from integrations.partners.models import Partner
from integrations.sla.models import MonitoredRepository, SlaBreach, SupportIssue
from portal.accounts.models import User
from portal.reports.trends import MAX_SHARES
from tests.conftest import NOW
from tests.portal.reports.deliveries import MONDAY

pytestmark = pytest.mark.any_database

PAGE = "reports:overview"
CSV = "reports:overview_csv"


@pytest.fixture
def week_with_breach(monitored_repository: MonitoredRepository, time_machine: Any) -> MonitoredRepository:
    """Acme's repository with a met target and a critical breach in week 16."""
    time_machine.move_to(MONDAY, tick=False)
    return monitored_repository


def test_page_has_shares_with_their_numbers_and_reasons(
    week_with_breach: MonitoredRepository, rita: User, sign_in: Any
) -> None:
    overview = sign_in(rita).get(reverse(PAGE)).context["overview"]
    assert [(share.met, share.breached, len(chart.columns)) for share, chart in overview.programs] == [(1, 1, 12)]
    assert [(share.name, share.met, share.breached) for share in overview.partners] == [("Acme", 1, 1)]
    assert [(reason.key, reason.critical, reason.other) for reason in overview.reasons] == [("resolve:", 1, 0)]


@pytest.mark.every_database
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
    assert (lines[13], lines[14]) == ("partner,Acme,,1,1,50.0%,,,,", "reason,resolve:,,,1,,1,0,,")
    assert {line.count(",") for line in lines} == {9}
    assert "2026-W16,1,1" in content


def test_page_has_the_lowest_shares_of_many_partners_and_the_csv_has_all(
    week_with_breach: MonitoredRepository, rita: User, sign_in: Any
) -> None:
    integration = week_with_breach.integration
    breach = SlaBreach.objects.get()
    for number in range(MAX_SHARES + 1):
        partner = Partner.objects.create(name=f"Partner {number:02}", slug=f"partner-{number:02}", created_at=NOW)
        breach.pk = None
        breach.due_at += timedelta(seconds=1)
        integration.pk = None
        integration.uuid = uuid4()
        integration.partner = partner
        integration.repository = f"partner/{number}"
        integration.repository_id = number + 1
        integration.save()
        breach.integration = integration
        breach.save()
    client = sign_in(rita)
    page = BeautifulSoup(client.get(reverse(PAGE)).content, "html.parser")
    names = [cell.text for cell in page.select("td.main") if cell.text.startswith(("Partner", "Acme"))]
    assert names == [f"Partner {number:02}" for number in range(MAX_SHARES)]
    assert "Only the first 50 are shown." in page.text
    lines = b"".join(client.get(reverse(CSV))).decode().splitlines()
    assert [line.split(",")[1] for line in lines if line.startswith("partner,")] == [*names, "Partner 50", "Acme"]


def test_report_is_for_program_staff_and_needs_few_queries(
    week_with_breach: MonitoredRepository, alice: User, rita: User, sign_in: Any, django_assert_max_num_queries: Any
) -> None:
    assert [sign_in(alice).get(reverse(name)).status_code for name in (PAGE, CSV)] == [404, 404]
    client = sign_in(rita)
    with django_assert_max_num_queries(15):
        assert client.get(reverse(PAGE)).status_code == 200


def test_page_without_targets_says_that_there_are_none(rita: User, sign_in: Any) -> None:
    assert "No SLA targets in the last 12 weeks" in sign_in(rita).get(reverse(PAGE)).content.decode()


@pytest.mark.parametrize("name", [PAGE, "reports:trends"])
def test_page_without_matching_targets_offers_to_clear_the_filters(
    week_with_breach: MonitoredRepository, rita: User, sign_in: Any, name: str
) -> None:
    page = BeautifulSoup(sign_in(rita).get(reverse(name), {"program": "packer"}).content, "html.parser").select_one(
        ".empty"
    )
    assert page.h2.text.startswith("No matching SLA")
    assert page.a["href"] == reverse(name)


@pytest.mark.every_database
def test_page_has_its_filters_and_the_charts_of_programs_side_by_side(
    week_with_breach: MonitoredRepository, rita: User, sign_in: Any
) -> None:
    page = BeautifulSoup(sign_in(rita).get(reverse(PAGE), {"program": "nomad"}).content, "html.parser")
    program = page.select_one('form.filters select[name="program"]')
    assert [option["value"] for option in program.select("option[selected]")] == ["nomad"]
    assert len(page.select(".multiples > section > .chart-box")) == 1
