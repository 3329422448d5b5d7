"""Analytics for reviewers, saved and exported views of the queue, and wait times for partners."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from openpyxl import load_workbook

from integrations.submissions.models import Integration
from portal.analytics import waiting_times
from portal.demo import past
from tests.conftest import advance_to_stage, create_integration
from tests.journeys.person import Person

Visit = Callable[..., Person]


@pytest.fixture
def history(monkeypatch: pytest.MonkeyPatch, rita: Any, rob: Any, alice: Any, acme: Any) -> Integration:
    """A year of run tasks, and one of Acme's that waits for its review."""
    run_tasks = tuple(program for program in past.PAST.programs if program.key == "terraform-run-task")
    monkeypatch.setattr(past, "PAST", replace(past.PAST, programs=run_tasks))
    now = timezone.now()
    past.create_past(now, [rita, rob], "!")
    waiting_times.clear_cache()
    row = create_integration(acme, alice, "terraform-run-task", now=now)
    return advance_to_stage(row, "review", partner=alice, reviewer=rita, now=now)


def test_reviewer_reads_analytics_and_saves_and_exports_a_view(
    visit: Visit, history: Integration, rita: Any, alice: Any, tmp_path: Path
) -> None:
    browser = (
        visit(rita).go("/analytics/?period=365").sees("Stage durations", "Time by responsible party").shot("analytics")
    )
    browser.press("Throughput and funnel").sees("Throughput", "Funnel", "Last 365 days").shot("analytics-flow")
    browser.press("Reviewers and checks").sees("Rita Reyes").press("Wait time forecast").sees("Not enough data")
    browser.shot("analytics-forecast").go("/queue/").choose("Program", "Terraform run task")
    browser.page.wait_for_url("**program=terraform-run-task**")
    browser.press("Save view").write("Name", "Run tasks").press("Save view")
    browser.sees("View “Run tasks” saved.", "Rocket")
    with browser.page.expect_download() as download:
        browser.page.get_by_role("link", name="XLSX").click()
    download.value.save_as(tmp_path / "queue.xlsx")
    book = load_workbook(tmp_path / "queue.xlsx")
    assert [[cell.value for cell in row[:2]] for row in book.worksheets[0].iter_rows(min_row=2)] == [
        ["review", "Rocket"]
    ]
    browser.press("Manage views").press("Set as default").sees("“Run tasks” is now the default view of")
    browser.press("Review queue").sees("Rocket")
    assert browser.page.url.endswith("program=terraform-run-task")
    partner = visit(alice, phone=True).go(f"/integrations/{history.uuid}/")
    partner.sees("Decisions on Terraform run task integrations: median", "90% probability")
