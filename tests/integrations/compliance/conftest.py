"""Fixtures of the compliance tests."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock, SupportIssueEvent
from integrations.submissions.models import Integration
from tests.integrations.compliance.transitions import ARGUMENTS_BY_TRANSITION, DAY, perform_and_reload
from tests.integrations.database_rows import reload_row
from tests.integrations.sla.rows import create_clock_row, create_issue_row


@pytest.fixture
def listed_integration(integration_at: Callable[..., Integration], now: datetime) -> Integration:
    row = integration_at("support", program="terraform-provider")
    MonitoredRepository.objects.filter(integration=row).update(data_up_to=now + 3650 * DAY)
    return row


@pytest.fixture
def reach_state(
    listed_integration: Integration, rita: Any, rob: Any, alice: Any, now: datetime
) -> Callable[[str], Integration]:
    """Take the listed integration to a state of the procedure. Rita acts first, then Rob."""
    path = {
        "listed": [],
        "requested": [("suggest_notice", None, 0)],
        "on_notice": [("issue_notice", rita, 0)],
        "period_ended": [("issue_notice", rita, 0), ("", None, 30)],
        "deadline_paused": [("issue_notice", rita, 0), ("pause_deadline", None, 1)],
        "appealed": [("issue_notice", rita, 0), ("appeal", alice, 1)],
        "suspended": [("issue_notice", rita, 0), ("suspend", rob, 30)],
        "suspension_ended": [("issue_notice", rita, 0), ("suspend", rob, 30), ("", None, 60)],
        "delisted": [("issue_notice", rita, 0), ("suspend", rob, 30), ("delist", rita, 90)],
        "unlisted": [("downgrade_to_community", alice, 0)],
    }

    def reach(name: str) -> Integration:
        row = listed_integration
        for step, by, after in path[name]:
            row = (
                perform_and_reload(row, step, by, now + DAY * after, **ARGUMENTS_BY_TRANSITION.get(step, {}))
                if step
                else row
            )
        return reload_row(row)

    return reach


@pytest.fixture
def overdue_clock(reach_state: Any, now: datetime) -> SlaClock:
    """The breached clock of an issue that was due the day before `now` and has no reply."""
    row = reach_state("listed")
    issue = create_issue_row(MonitoredRepository.objects.get(integration=row), 7, now - 3 * DAY)
    opening = {"key": "opened", "kind": "opened", "at": issue.opened_at, "seen_at": now, "source": "poll"}
    SupportIssueEvent.objects.create(issue=issue, actor_id=5, actor="reporter", actor_type="User", **opening)
    clock = create_clock_row(issue, now - DAY, state="overdue", next_at=None, breached_at=now - DAY)
    SlaBreach.objects.create(
        clock=clock,
        issue=issue,
        integration=row,
        target_type="resolve",
        severity="critical",
        due_at=now - DAY,
        found_at=now,
    )
    return clock
