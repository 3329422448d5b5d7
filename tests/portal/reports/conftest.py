"""Fixtures of reports."""

from datetime import datetime

import pytest

from integrations.sla import tasks as clocks
from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row
from tests.portal.reports.deliveries import HOUR, MONDAY
from tests.replay import replay_fixture


@pytest.fixture
@replay_fixture
def monitored_repository(rocket: Integration, now: datetime) -> MonitoredRepository:
    """Monitor Acme's integration. In week 16, one target was met and one breached. The third breaches next week."""
    monitored_repository = create_repository_row(rocket, now)
    create_clock_row(
        create_issue_row(monitored_repository, 1, now - 40 * HOUR),
        now + 8 * HOUR,
        state="met",
        stopped_at=now,
        next_at=None,
    )
    create_clock_row(create_issue_row(monitored_repository, 2, now - 40 * HOUR), now + 8 * HOUR)
    create_clock_row(create_issue_row(monitored_repository, 3, MONDAY - 10 * HOUR), MONDAY + 38 * HOUR)
    clocks.advance_due_clocks(MONDAY - 9 * HOUR)
    return monitored_repository
