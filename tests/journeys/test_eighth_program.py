"""An eighth program is one YAML file: an integration goes all the way in it, and its own calendar and SLA apply."""

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
from tests.integrations.sla.clocks import issue_of
from tests.journeys.walk import Walk

TUESDAY = datetime(2030, 4, 16, 9, 0, tzinfo=UTC)
CHECK = """        - id: BO-LIC
          title: Open-source license
          kind: check
          responsible_party: machine
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
    """The program of the guide with a check, an agreement, a calendar, and SLA targets of its own, in one file."""
    text = GUIDE.read_text().split("```yaml\n")[1].split("```")[0]
    for old, new in CHANGES.items():
        assert old in text
        text = text.replace(old, new, 1)
    (tmp_path / "boundary").mkdir()
    (tmp_path / "boundary" / "2026-09.yaml").write_text(text)
    monkeypatch.setitem(PROGRAMS, "boundary", load_program(tmp_path / "boundary"))


def test_integration_goes_all_the_way_in_an_eighth_program(
    boundary: None, scriptless_walk: Walk, github: GitHub
) -> None:
    walk = scriptless_walk
    github.seed(Repo("acme/boundary-rocket", "Hosts for rockets."))
    walk.begin(
        "Should Boundary find your machines",
        repository="acme/boundary-rocket",
        name="Rocket hosts",
        category="Host catalogs",
        offering="Enterprise",
    )
    walk.to("review")
    calendar = Calendar(ZoneInfo("Asia/Jerusalem"), {6, 0, 1, 2, 3}, {date(2026, 12, 24)})
    assert walk.row.responsible_since
    assert walk.row.action_due_at == add_business_days(walk.row.responsible_since, 10, calendar)
    walk.partner.go("/programs/boundary/").sees("Asia/Jerusalem").sees("boundary-reviews@example.com")
    walk.round_of_changes("Name the supported versions.", "They are in the README.").to("support")
    row = walk.row
    assert (row.program_key, row.listing_status, row.tier) == ("boundary", "listed", "verified")
    assert row.fulfillments_by_id["BO-LIC"].status == "pass"
    walk.partner.go("/directory/").sees("Rocket hosts").press("Rocket hosts").sees("Boundary")
    watch = MonitoredRepository.objects.get(integration=row)
    assert open_issue(watch, 1, label="") == timedelta(days=3)  # Tuesday to Friday
    assert open_issue(watch, 2, label="critical") == timedelta(hours=24)


def open_issue(watch: MonitoredRepository, number: int, label: str) -> timedelta:
    """Return the time until the issue is due."""
    MonitoredRepository.objects.filter(pk=watch.pk).update(began_at=TUESDAY, data_up_to=TUESDAY + timedelta(days=1))
    issue = issue_of(watch, number, TUESDAY)
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
