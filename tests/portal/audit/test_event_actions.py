"""Tests of the actions of events in the history."""

import pytest

from portal.audit.models import AuditEvent


@pytest.mark.parametrize(
    ("outcome", "action"),
    [
        ("pass", "checked “License”: passed"),
        ("warn", "checked “License”: passed with a warning"),
        ("fail", "checked “License”: failed"),
        ("not_run", "checked “License”: not run"),
        ("error", "checked “License”: couldn't be completed"),
    ],
)
def test_outcomes_are_written_as_words(outcome: str, action: str) -> None:
    event = AuditEvent(event_type="requirement.checked", data={"title": "License", "outcome": outcome})
    assert event.action == action


def test_missing_value_is_shown_as_an_ellipsis() -> None:
    assert AuditEvent(event_type="integration.advanced").action == "completed a step. Next step: …"


def test_each_issue_is_named_once_and_only_the_first_three() -> None:
    names = ("acme/rocket#1", "acme/rocket#1", "acme/rocket#2", "acme/rocket#3", "acme/rocket#4")  # clocks of issues
    event = AuditEvent(event_type="issue.breached", data={"issues": [{"name": name} for name in names]})
    assert event.action == "reported overdue issues: acme/rocket#1, acme/rocket#2, acme/rocket#3, and 1 more"
