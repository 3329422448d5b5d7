"""A new program in one YAML file: an integration passes all its stages, with the calendar and SLA of the file."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.db import transaction

from integrations.programs.loader import load_program
from integrations.programs.registry import PROGRAMS
from integrations.sla.models import MonitoredRepository, SlaClock, SupportIssueEvent
from integrations.sla.services.projection import rebuild_projections
from portal.core.business_time import Calendar, add_business_days
from tests.fakes.github.server import GitHub, Repo
from tests.integrations.programs.guide_edition import GUIDE
from tests.integrations.sla.rows import create_issue_row
from tests.journeys.walkthrough import Walkthrough

TUESDAY = datetime(2030, 4, 16, 9, 0, tzinfo=UTC)
CHECK = """        - id: BO-LIC
          title: Open-source license
          kind: check
          responsible_party: portal
          reason: The program requires MPL-2.0.
          checks: [repository.license]
        - id: BO-2
"""
RULES = """      summary: The program accepts MPL-2.0.
    rules:
      - published: MPL-2.0
        allow: [MPL-2.0]
"""
CALENDAR = """    zone: Asia/Jerusalem
    workdays: [sunday, monday, tuesday, wednesday, thursday]
"""
CHANGES = {
    "        - id: BO-2\n": CHECK,
    "    summary: The program publishes no license rule.\n": RULES.replace("      summary", "    summary", 1),
    "    zone: America/Los_Angeles\n    country: US\n": CALENDAR,
    "        hours: 48\n": "        hours: 24\n",
    "        business_days: 5\n": "        business_days: 3\n",
}


@pytest.fixture
def boundary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program of the guide, with an additional check, another calendar, and other SLA targets."""
    text = GUIDE.read_text().split("```yaml\n")[1].split("```")[0]
    for old, new in CHANGES.items():
        assert old in text
        text = text.replace(old, new, 1)
    (tmp_path / "boundary").mkdir()
    (tmp_path / "boundary" / "2026-09.yaml").write_text(text)
    monkeypatch.setitem(PROGRAMS, "boundary", load_program(tmp_path / "boundary"))


def test_integration_in_a_new_program_reaches_support(
    boundary: None, scriptless_walkthrough: Walkthrough, github: GitHub
) -> None:
    walkthrough = scriptless_walkthrough
    github.seed(Repo("acme/boundary-rocket", "Hosts for rockets."))
    walkthrough.start_integration(
        "Should Boundary find your machines",
        repository="acme/boundary-rocket",
        name="Rocket hosts",
        category="Host catalogs",
        offering="Enterprise",
    )
    walkthrough.advance_to("review")
    calendar = Calendar(ZoneInfo("Asia/Jerusalem"), {6, 0, 1, 2, 3}, {date(2026, 12, 24)})
    assert walkthrough.row.responsible_since
    assert walkthrough.row.action_due_at == add_business_days(walkthrough.row.responsible_since, 10, calendar)
    walkthrough.partner.go("/programs/boundary/").sees("Asia/Jerusalem").sees("boundary-reviews@example.com")
    walkthrough.complete_change_round("Name the supported versions.", "They are in the README.").advance_to("support")
    row = walkthrough.row
    assert (row.program_key, row.listing_status, row.tier) == ("boundary", "listed", "verified")
    assert row.fulfillments_by_id["BO-LIC"].status == "pass"
    walkthrough.partner.go("/directory/").sees("Rocket hosts").press("Rocket hosts").sees("Boundary")
    monitored_repository = MonitoredRepository.objects.get(integration=row)
    assert open_issue(monitored_repository, 1, label="") == timedelta(days=3)  # Tuesday to Friday
    assert open_issue(monitored_repository, 2, label="critical") == timedelta(hours=24)


def open_issue(monitored_repository: MonitoredRepository, number: int, label: str) -> timedelta:
    """Open an issue, and return the time until it is due."""
    MonitoredRepository.objects.filter(pk=monitored_repository.pk).update(
        began_at=TUESDAY, data_up_to=TUESDAY + timedelta(days=1)
    )
    issue = create_issue_row(monitored_repository, number, TUESDAY)
    events = {"opened": ""} | ({"labeled": label} if label else {})
    for kind, text in events.items():
        SupportIssueEvent.objects.create(
            issue=issue, key=kind, kind=kind, label=text, at=TUESDAY, seen_at=TUESDAY, source="poll", actor_id=5
        )
    with transaction.atomic():
        rebuild_projections([issue.pk], TUESDAY + timedelta(minutes=1))
    clock = SlaClock.objects.get(issue=issue, is_committed=True)
    assert clock.due_at is not None
    return clock.due_at - TUESDAY
