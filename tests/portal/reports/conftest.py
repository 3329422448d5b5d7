"""Fixtures of reports."""

from datetime import datetime
from typing import Any

import pytest

from integrations.partners.models import Partner
from integrations.sla import tasks as clocks
from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.reports import tasks
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row
from tests.portal.reports.deliveries import HOUR, MONDAY
from tests.replay import build_or_replay, replay_fixture


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


@pytest.fixture
def scope(monitored_repository: MonitoredRepository, acme: Partner, alice: User, bob: User, time_machine: Any) -> str:
    """The scope of Acme's report of week 16, whose emails to Alice and Bob wait for Monday morning."""
    time_machine.move_to(MONDAY - 7 * HOUR, tick=False)
    build_or_replay(("week 16",), lambda: tasks.generate_due_reports(MONDAY - 7 * HOUR))
    return f"partner:{acme.slug}"
