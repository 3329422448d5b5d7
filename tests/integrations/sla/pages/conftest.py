"""Issues for the tests of SLA pages: one in each state, in repositories of two companies, on a Thursday."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from integrations.sla.models import MonitoredRepository, SupportIssue
from tests.integrations.sla.monitored_repository import create_listed_integration, monitor_repository
from tests.integrations.sla.pages.issues import ANSWER, QUESTION, create_issue
from tests.replay import replay_fixture

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _thursday(time_machine: Any) -> None:
    """Start each test on a Thursday: over a weekend, the same three days hold no business time."""
    time_machine.move_to(datetime(2026, 6, 11, 14, tzinfo=UTC))


@pytest.fixture
@replay_fixture
def issues(acme: Any, globex: Any, alice: Any, charlie: Any) -> dict[str, SupportIssue]:
    """Issues of Acme by the state of their clock, and one of Globex."""
    now = timezone.now()
    rocket = create_listed_integration(acme)
    other = create_listed_integration(globex, "Scan", repository="globex/scan", repository_id=5)
    dark = create_listed_integration(acme, "Dark", repository="acme/dark", repository_id=6)
    for row in (rocket, other, dark):
        monitor_repository(row, now - 60 * DAY)
    issues_by_name = {
        "met": create_issue(rocket, "Met", now - 4 * DAY, (5, "answers", ANSWER), (6, "closes", ""), now=now),
        "paused": create_issue(rocket, "Paused", now - 3 * DAY, (5, "asks", QUESTION), now=now),
        "running": create_issue(rocket, "=cmd|calc", now - DAY, now=now),
        "at_risk": create_issue(rocket, "Burns", now - timedelta(hours=40), labels=("critical",), now=now),
        "breached": create_issue(
            rocket, "Exploded", now - 3 * DAY, (2, "replies", "Anybody?"), labels=("p0",), now=now
        ),
        "data_incomplete": create_issue(dark, "Unseen", now - 4 * DAY, labels=("critical",), now=now - 3 * DAY),
        "other": create_issue(other, "Secret of Globex", now - DAY, now=now),
    }
    MonitoredRepository.objects.filter(integration=rocket).update(data_up_to=now)
    return issues_by_name
