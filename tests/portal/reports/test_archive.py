"""Tests of the archive of reports: its search, and the page of one report."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from integrations.partners.models import Partner
from integrations.sla.models import MonitoredRepository
from portal.accounts.models import User
from portal.reports import tasks
from portal.reports.models import ReportSnapshot
from tests.portal.reports.deliveries import MONDAY
from tests.replay import replay_fixture


@pytest.fixture
@replay_fixture
def scope(monitored_repository: MonitoredRepository, acme: Partner) -> str:
    """The scope of Acme, with reports of all scopes in two weeks: breaches in the first, overdue issues in both."""
    for week in range(2):
        tasks.generate_due_reports(MONDAY + timedelta(weeks=week))
    ReportSnapshot.objects.create(
        scope="program:vault",
        period="2026-W17",
        kind="week",
        end_day=MONDAY.date() + timedelta(weeks=1),
        figures=ReportSnapshot.objects.latest("pk").figures | {"scope": "program:vault", "name": "Zürich Vault"},
        created_at=MONDAY,
    )
    return f"partner:{acme.slug}"


def find_reports(client: Any, **filters: str) -> list[str]:
    response = client.get(reverse("reports:list"), filters)
    return sorted(
        f"{report.scope} {report.period[-2:]}" for report, _label, _name, _verdict in response.context["rows"]
    )


def test_reports_are_found_by_scope_period_and_text(scope: str, rita: User, sign_in: Any) -> None:
    client = sign_in(rita)
    assert find_reports(client, scope="program:nomad", kind="week") == ["program:nomad 16", "program:nomad 17"]
    week = [f"{scope} 16", "program:nomad 16", "programs 16"]
    assert [find_reports(client, kind="week", day=f"2026-04-{day}") for day in (13, 19)] == [week, week]
    assert find_reports(client, q="zürich vault", day="2026-04-20") == ["program:vault 17"]
    assert find_reports(client, kind="month", scope="programs") == ["programs 03"]
    assert find_reports(client, day="2026-03-31", scope="programs") == ["programs 03", "programs Q1"]
    assert find_reports(client, q="It breaks 2", scope="programs", kind="week") == ["programs 16", "programs 17"]
    assert find_reports(client, q="nothing like this") == []


@pytest.mark.every_database
def test_keys_of_stored_figures_are_not_searched(scope: str, rita: User, sign_in: Any) -> None:
    client = sign_in(rita)
    assert find_reports(client, q="overdue_hours") == []
    assert find_reports(client, q='", "') == []
    assert find_reports(client, q="Zürich V") == ["program:vault 17"]


def test_reports_are_found_by_result(scope: str, rita: User, sign_in: Any) -> None:
    client = sign_in(rita)
    quiet = ReportSnapshot.objects.get(scope="programs", period="2026-W16")
    quiet.figures["totals"] |= dict.fromkeys(("overdue", "data_incomplete", "breached", "at_risk", "ideal_missed"), 0)
    quiet.save()
    overdue = find_reports(client, verdict="overdue")
    assert "programs 16" not in overdue
    assert len(overdue) == ReportSnapshot.objects.filter(kind="week").count() - 1
    assert (find_reports(client, verdict="fine", kind="week"), find_reports(client, verdict="data_incomplete")) == (
        ["programs 16"],
        [],
    )


def test_members_find_only_reports_of_their_company(scope: str, alice: User, sign_in: Any) -> None:
    client = sign_in(alice)
    assert find_reports(client, q="It breaks 2") == [f"{scope} 16", f"{scope} 17"]
    names = [f"{scope} {period}" for period in ("03", "16", "17", "Q1")]
    assert find_reports(client, day="2026-04-99", kind="day") == names
    page = client.get(reverse("reports:list"), {"day": "2026-04-99"}).content.decode()
    assert "Enter a date as YYYY-MM-DD." in page


def test_page_of_a_report_reads_the_scope_once(scope: str, acme: Partner, alice: User, sign_in: Any) -> None:
    client = sign_in(alice)
    address = reverse("reports:detail", args=[scope, "2026-W16"])
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    condition = f"""WHERE "partners_partner"."slug" = '{acme.slug}'"""
    reads = [each["sql"] for each in queries if condition in each["sql"]]
    assert len(reads) == 1


@pytest.mark.every_database
def test_unreadable_period_is_not_found(sam: User, sign_in: Any) -> None:
    client = sign_in(sam)
    for name in ("detail", "detail_csv", "emails", "email_html"):
        assert client.get(reverse(f"reports:{name}", args=["programs", "2026\x00"])).status_code == 404
