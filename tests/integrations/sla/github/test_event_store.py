"""Tests that a change reported by a webhook and by a list is stored once."""

from datetime import timedelta

import pytest

from integrations.sla.engine.types import Actor, IssueEventKind, TimelineEvent
from integrations.sla.github.event_store import is_duplicate_change
from tests.integrations.sla.monitored_repository import OPENED_AT

ALICE = Actor(2, "alice")
BOB = Actor(3, "bob")


def build_webhook_event(
    kind: IssueEventKind = IssueEventKind.LABELED, seconds: int = 0, label: str = "crash", by: Actor = ALICE
) -> TimelineEvent:
    at = OPENED_AT + timedelta(seconds=seconds)
    return TimelineEvent(f"{kind}:{label}:{at:%H%M%S}", kind, at, by, label=label)


def build_listed_event(
    number: int, kind: IssueEventKind = IssueEventKind.LABELED, seconds: int = 0, **data: object
) -> TimelineEvent:
    return TimelineEvent(
        f"event:{number}", kind, OPENED_AT + timedelta(seconds=seconds), ALICE, label="crash", data=data
    )


@pytest.mark.parametrize("seconds", [-5, -1, 0, 1, 5])
def test_change_reported_by_both_within_seconds_is_a_duplicate(seconds):
    assert is_duplicate_change(build_listed_event(1), [build_webhook_event(seconds=seconds)])
    assert is_duplicate_change(build_webhook_event(seconds=seconds), [build_listed_event(1)])


@pytest.mark.parametrize(
    "known_event",
    [
        build_webhook_event(seconds=6),
        build_webhook_event(seconds=-6),
        build_webhook_event(IssueEventKind.UNLABELED),
        build_webhook_event(label="docs"),
        build_webhook_event(by=BOB),
        build_listed_event(2),
    ],
)
def test_different_change_is_not_a_duplicate(known_event):
    assert not is_duplicate_change(build_listed_event(1), [known_event])


def test_second_change_within_seconds_is_kept():
    assert not is_duplicate_change(build_listed_event(2, seconds=3), [build_webhook_event(), build_listed_event(1)])


def test_closing_commit_is_stored_in_addition_to_the_webhook():
    assert is_duplicate_change(
        build_listed_event(1, IssueEventKind.CLOSED), [build_webhook_event(IssueEventKind.CLOSED)]
    )
    assert not is_duplicate_change(
        build_listed_event(1, IssueEventKind.CLOSED, commit="9f3c1e"), [build_webhook_event(IssueEventKind.CLOSED)]
    )


def test_comments_with_different_keys_are_not_duplicates():
    timeline_event = TimelineEvent("comment:1", IssueEventKind.COMMENTED, OPENED_AT, ALICE)
    assert not is_duplicate_change(
        timeline_event, [TimelineEvent("comment:2", IssueEventKind.COMMENTED, OPENED_AT, ALICE)]
    )
