"""Tests of pauses of an issue's clock."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from integrations.sla.engine.types import ClockStatus, IssueEventKind, TimelineEvent
from tests.integrations.sla.event_builders import (
    DEV,
    DUE,
    OUTSIDER,
    QUESTION,
    RESPOND,
    USER,
    build_comment,
    build_deletion,
    build_edit,
    build_event,
    build_policy,
    project,
    to_hours,
)

LABEL = build_event(24, DEV, IssueEventKind.LABELED, "needs-info")


def test_question_pauses_until_the_reporter_replies() -> None:
    question = build_comment(24, DEV, QUESTION)
    answer = build_comment(48, USER, "1.2.3")
    paused_clock = project([question], now=40).resolve
    later = project([question, answer], now=60).resolve
    assert (paused_clock.state, paused_clock.due_at, paused_clock.counted) == (
        ClockStatus.PAUSED,
        None,
        timedelta(hours=24),
    )
    assert (later.state, to_hours(later.due_at)) == (ClockStatus.RUNNING, DUE + 24)
    assert (later.segments[1].reason, later.segments[1].key) == (
        "Waiting for the reporter to answer a question",
        question.key,
    )


@pytest.mark.parametrize(
    "end",
    [
        build_comment(48, USER, "+1"),
        build_event(48, USER, IssueEventKind.EDITED),
        build_event(48, DEV, IssueEventKind.UNLABELED, "Needs-Info"),
        build_edit(48, build_comment(2, USER, "It fails."), "It fails with 1.2.3."),
    ],
    ids=["any comment", "edited report", "removed label", "edited comment"],
)
def test_pause_ends_after_a_response_or_an_unlabeling(end: TimelineEvent) -> None:
    facts = [build_comment(2, USER, "It fails."), build_comment(24, DEV, QUESTION), LABEL, end]
    assert to_hours(project(facts, now=60).resolve.due_at) == DUE + 24


def test_request_pauses_only_with_the_label() -> None:
    request = build_comment(24, DEV, "Please send us the whole log file.")
    assert [project(facts, now=40).resolve.state for facts in ([request], [request, LABEL])] == [
        ClockStatus.RUNNING,
        ClockStatus.PAUSED,
    ]


def test_deleted_request_does_not_end_the_pause_of_a_question() -> None:
    request = build_comment(20, DEV, "Please send us the whole log file.")
    state = project([request, build_comment(24, DEV, QUESTION), build_deletion(30, request)], now=40)
    assert (state.resolve.state, state.resolve.counted) == (ClockStatus.PAUSED, timedelta(hours=24))


@pytest.mark.parametrize(
    "change",
    [
        lambda request: build_deletion(30, request),
        lambda request: build_edit(30, request, "We look into it."),
    ],
    ids=["deleted", "edited away"],
)
def test_request_without_a_pause_ends_without_a_note(change: Callable[[TimelineEvent], TimelineEvent]) -> None:
    request = build_comment(24, DEV, "Please send us the whole log file.")
    notes = project([request, change(request), build_event(32, DEV, IssueEventKind.LABELED, "needs-info")]).notes
    assert [note for note in notes if "pause" in note.lower()] == [
        "The pause label has no matching question. The clock keeps running."
    ]


def test_others_do_not_end_a_pause() -> None:
    assert (
        project([build_comment(24, DEV, QUESTION), build_comment(30, OUTSIDER)], now=40).resolve.state
        == ClockStatus.PAUSED
    )


@pytest.mark.parametrize(("closed_hour", "stopped_hour"), [(27, 27), (25, 26)])
def test_closure_counts_once_a_statement_was_added_to_the_question(closed_hour: float, stopped_hour: float) -> None:
    question = build_comment(24, DEV, QUESTION)
    edit = build_edit(26, question, f"{QUESTION} It is fixed in 1.2.")
    clock = project([question, edit, build_event(closed_hour, DEV, IssueEventKind.CLOSED)]).resolve
    assert (clock.state, to_hours(clock.stopped_at)) == (ClockStatus.MET, stopped_hour)


def test_question_stops_the_response_clock() -> None:
    assert project([build_comment(24, DEV, QUESTION)], build_policy(RESPOND)).respond.state == ClockStatus.MET


def test_paused_clock_keeps_its_earlier_warnings() -> None:
    clock = project([build_comment(24 * 6 + 0.5, DEV, QUESTION)], now=160).resolve
    assert [to_hours(moment) for moment in clock.warn_at] == [60, 138]
