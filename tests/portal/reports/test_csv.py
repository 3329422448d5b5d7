"""Tests of the CSV file of a report."""

import csv
from datetime import datetime

import pytest

from integrations.sla.models import MonitoredRepository, SlaBreach
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.reports import presenters, tasks
from portal.reports.models import ReportSnapshot
from tests.portal.reports.deliveries import HOUR, MONDAY

pytestmark = pytest.mark.any_database


def test_missing_time_is_null_and_an_empty_cell(rocket: Integration, rita: User, now: datetime) -> None:
    tasks.generate_due_reports(MONDAY)
    figures = ReportSnapshot.objects.get(scope="programs", kind="week").figures
    assert figures["data_up_to"] is None
    assert "\r\ndata up to,\r\n" in presenters.render_csv(figures)


def test_files_for_readers_without_an_account_name_no_one(
    monitored_repository: MonitoredRepository, rita: User
) -> None:
    statuses = ["on_notice", "suspended"]
    row = monitored_repository.integration
    record_event(row, "compliance.suspended", actor=rita, now=MONDAY - 30 * HOUR, listing_status=statuses)
    tasks.generate_due_reports(MONDAY)
    figures = ReportSnapshot.objects.get(scope="programs", kind="week").figures
    lines = [
        next(line for line in presenters.render_csv(each).split("\r\n") if line.startswith("listing_changes"))
        for each in (figures, presenters.hide_confidential_changes(figures))
    ]
    change = "listing_changes,Acme,Rocket,Suspended the integration,"
    assert lines == [f"{change}Rita Reyes", change]


def test_csv_contains_all_lists_of_the_page(monitored_repository: MonitoredRepository, alice: User, rita: User) -> None:
    SlaBreach.objects.update(retracted_at=MONDAY - 12 * HOUR, retraction_reason="=1+1 was agreed.")
    tasks.generate_due_reports(MONDAY)
    figures = ReportSnapshot.objects.get(scope="programs", kind="week").figures
    figures["listing_changes"] = [
        {"partner": "Acme", "integration": "Rocket", "change": "gave notice", "actor": "Rita"}
    ]
    tables = [table.split("\r\n") for table in presenters.render_csv(figures).removeprefix("\ufeff").split("\r\n\r\n")]
    assert [table[0].split(",")[:3] for table in tables] == [
        ["figure", "this period", "previous period"],
        ["list", "name", "title"],
        ["about the period", "value"],
        ["list", "name", "integration"],
        ["list", "partner", "integration"],
        ["list", "name", "share"],
    ]
    rows = [*figures["overdue_issues"], *figures["due_soon_issues"]]
    assert [row["due_at"] for row in csv.DictReader(tables[1])] == [row["due_at"] for row in rows]
    about = dict(line.split(",", 1) for line in tables[2])
    assert (about["period"], about["opened"], about["reviews decided"]) == ("2026-W16", "1", "0")
    assert tables[3][1].endswith(",'=1+1 was agreed.")
    assert tables[4][1] == "listing_changes,Acme,Rocket,gave notice,Rita"
