"""Tests of the activity of a period in reports."""

from datetime import datetime, timedelta

import pytest

from integrations.sla.engine.types import Actor, IssueEventKind, TimelineEvent
from integrations.sla.metrics import GLOBAL_SCOPE, count_activity
from integrations.sla.models import SupportIssueEvent
from integrations.submissions.models import Integration
from tests.integrations.sla.rows import create_issue_row, create_repository_row

pytestmark = pytest.mark.any_database
HOUR = timedelta(hours=1)
DEV = Actor(9, "dev", association="MEMBER")


def test_action_that_was_reported_twice_counts_once_and_a_denied_one_never(rocket: Integration, now: datetime) -> None:
    issue = create_issue_row(create_repository_row(rocket, now), 1, now - 10 * HOUR)
    commented_at = now - 6 * HOUR
    closed_at = now - 5 * HOUR
    forged_at = now - 3 * HOUR
    comment = {"comment": "comment:1"}
    events = [
        TimelineEvent("comment:1", IssueEventKind.COMMENTED, commented_at, DEV, "Fixed.", data=comment),
        TimelineEvent("comment:1:unread", IssueEventKind.COMMENTED, commented_at, DEV, data=comment | {"unread": True}),
        TimelineEvent("closed::1", IssueEventKind.CLOSED, closed_at, DEV),
        TimelineEvent("event:7", IssueEventKind.CLOSED, closed_at, DEV, data={"commit": "5f1c"}),
        TimelineEvent("reopened::2", IssueEventKind.REOPENED, now - 4 * HOUR, DEV),
        TimelineEvent("closed::3", IssueEventKind.CLOSED, forged_at, DEV),
        TimelineEvent("denied:closed::3", IssueEventKind.REOPENED, forged_at, DEV, data={"denied": "closed::3"}),
    ]
    for event in events:
        SupportIssueEvent.from_timeline(issue.pk, event, "poll", now).save()
    activity = count_activity(GLOBAL_SCOPE, now - 24 * HOUR, now)
    assert activity == {"opened": 1, "closed": 1, "reopened": 1, "comments": 1, "breached": 0, "retracted": 0}
