"""Tests of the projection of an issue's events onto its clock."""

import random
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest

from integrations.sla.engine.projection import project_issue_state
from integrations.sla.engine.types import Actor, ClockStatus, IssueEventKind, ProjectionContext, TimelineEvent
from integrations.sla.formatting import describe_reason
from portal.core.business_time import Calendar
from tests.integrations.sla.event_builders import (
    ANSWER,
    COLLABORATOR,
    CRITICAL,
    DEV,
    DUE,
    NOW,
    OUTSIDER,
    QUESTION,
    RESPOND,
    STALE_BOT,
    USER,
    build_comment,
    build_deletion,
    build_edit,
    build_event,
    build_policy,
    build_projection_context,
    open_issue,
    project,
    to_hours,
    to_time,
)

CLOSE_EVENT = build_event(100, DEV, IssueEventKind.CLOSED)
REOPEN_EVENT = build_event(120, DEV, IssueEventKind.REOPENED)


def test_clock_without_events_runs() -> None:
    clock = project([], now=84).resolve
    assert (clock.state, clock.is_committed, to_hours(clock.due_at)) == (ClockStatus.RUNNING, True, DUE)
    assert (clock.counted, clock.share) == (timedelta(hours=84), 0.7)
    assert [to_hours(moment) for moment in clock.warn_at] == [60, 84 + 54, 156]


def test_clock_is_overdue_at_the_due_date() -> None:
    assert [project([], now=moment).resolve.state for moment in (DUE - 0.01, DUE)] == [
        ClockStatus.RUNNING,
        ClockStatus.OVERDUE,
    ]


@pytest.mark.parametrize(
    ("hour", "state"), [(10, ClockStatus.MET), (DUE, ClockStatus.MET), (DUE + 0.01, ClockStatus.LATE)]
)
def test_first_reply_of_the_partner_stops_the_response_clock(hour: float, state: ClockStatus) -> None:
    clock = project([build_comment(hour, DEV), build_comment(hour + 1, COLLABORATOR)], build_policy(RESPOND)).respond
    assert (clock.state, to_hours(clock.stopped_at), clock.stopped_by) == (state, hour, build_comment(hour, DEV).key)


def test_person_named_by_the_partner_can_reply() -> None:
    state = project([build_comment(10, OUTSIDER)], build_policy(RESPOND, team=frozenset({OUTSIDER.id})))
    assert state.respond.state == ClockStatus.MET


def test_private_member_is_recognized_by_an_action_that_requires_permission() -> None:
    actor = Actor(9, "quiet")
    state = project(
        [build_comment(10, actor), build_event(300, actor, IssueEventKind.LABELED, "bug")], build_policy(RESPOND)
    )
    assert (state.respond.state, to_hours(state.respond.stopped_at)) == (ClockStatus.MET, 10)


def test_later_edit_does_not_void_a_reply() -> None:
    answer = build_comment(10, DEV)
    assert project([answer, build_edit(11, answer, ".")], build_policy(RESPOND)).respond.state == ClockStatus.MET


def test_deletion_of_the_first_reply_after_a_second_one_changes_nothing() -> None:
    first = build_comment(10, DEV)
    second = build_comment(20, DEV)
    clock = project([first, second, build_deletion(30, first)], build_policy(RESPOND)).respond
    assert (clock.state, to_hours(clock.stopped_at)) == (ClockStatus.MET, 10)


def test_clock_runs_between_a_deleted_reply_and_the_next() -> None:
    first = build_comment(10, DEV)
    clock = project([first, build_deletion(20, first), build_comment(30, DEV)], build_policy(RESPOND)).respond
    assert (to_hours(clock.stopped_at), to_hours(clock.due_at), clock.counted) == (30, DUE + 10, timedelta(hours=20))


def test_issue_closed_after_a_reply_is_resolved() -> None:
    state = project([build_comment(5, DEV), CLOSE_EVENT])
    assert (state.resolve.state, to_hours(state.resolve.stopped_at), state.is_open) == (ClockStatus.MET, 100, False)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ([build_event(50, USER, IssueEventKind.CLOSED)], 50),
        ([build_event(50, DEV, IssueEventKind.CLOSED, commit="0a1b2c")], 50),
        ([build_event(50, DEV, IssueEventKind.CLOSED), build_comment(60, DEV)], 60),
        (
            [
                build_comment(5, DEV),
                build_event(50, STALE_BOT, IssueEventKind.CLOSED),
                build_event(60, DEV, IssueEventKind.CLOSED),
            ],
            60,
        ),
        (
            [
                build_comment(5, DEV, QUESTION),
                build_comment(8, USER, "1.2.3"),
                build_event(60, DEV, IssueEventKind.CLOSED),
            ],
            60,
        ),
        ([build_comment(5, DEV, QUESTION), build_event(5 + 14 * 24, DEV, IssueEventKind.CLOSED)], 5 + 14 * 24),
        ([build_comment(5, DEV, f"{ANSWER} Does it work with 1.2.4?"), build_event(6, DEV, IssueEventKind.CLOSED)], 6),
    ],
    ids=[
        "by the reporter",
        "by a fix",
        "explained afterward",
        "by a person after a bot",
        "asked and answered",
        "closed 14 days after a question",
        "answered with a question",
    ],
)
def test_closure_stops_the_resolution_clock(facts: list[TimelineEvent], expected: float) -> None:
    assert to_hours(project(facts).resolve.stopped_at) == expected


@pytest.mark.parametrize(
    "closing",
    [build_event(50, USER, IssueEventKind.CLOSED), build_event(50, DEV, IssueEventKind.CLOSED, commit="0a1b2c")],
)
def test_closure_by_a_fix_or_the_reporter_stops_the_response_clock(closing: TimelineEvent) -> None:
    assert project([closing], build_policy(RESPOND)).respond.state == ClockStatus.MET


def test_reopened_issue_continues_with_the_remaining_time() -> None:
    clock = project(
        [build_comment(5, DEV), CLOSE_EVENT, REOPEN_EVENT], now=130
    ).resolve  # closed on Saturday, reopened on Sunday
    assert (clock.state, to_hours(clock.due_at), clock.stopped_at) == (ClockStatus.RUNNING, DUE, None)
    assert [(to_hours(s.start), to_hours(s.end), s.counted) for s in clock.segments][-3:] == [
        (87, 100, False),
        (100, 120, False),
        (120, 130, False),
    ]


def test_issue_closed_for_long_periods_is_not_flapping() -> None:
    later = [build_event(2000, DEV, IssueEventKind.CLOSED), build_event(4000, DEV, IssueEventKind.REOPENED)]
    assert (
        project(
            [
                build_comment(5, DEV),
                build_event(24, DEV, IssueEventKind.CLOSED),
                build_event(1500, DEV, IssueEventKind.REOPENED),
                *later,
            ],
            now=4001,
        ).notes
        == ()
    )


def test_issue_opened_by_a_bot_is_not_covered() -> None:
    state = project_issue_state([open_issue(STALE_BOT)], build_projection_context(build_policy()))
    assert (state.is_covered, {clock.state for clock in state.clocks}) == (False, {ClockStatus.NOT_APPLICABLE})


@pytest.mark.parametrize("author", [DEV, Actor(8, "olga", association="OWNER")])
def test_issue_opened_by_the_partner_is_covered_and_noted(author: Actor) -> None:
    state = project_issue_state([open_issue(author)], build_projection_context(build_policy()))
    assert (state.is_covered, state.resolve.state) == (True, ClockStatus.OVERDUE)
    assert state.notes == ("The partner opened this issue. SLA targets apply unless the program excludes it.",)


def test_outside_collaborator_who_opens_an_issue_is_a_reporter() -> None:
    state = project_issue_state(
        [open_issue(COLLABORATOR), build_comment(3, COLLABORATOR)], build_projection_context(build_policy(RESPOND))
    )
    assert (state.is_covered, state.respond.state) == (True, ClockStatus.OVERDUE)


def test_program_can_exclude_an_issue() -> None:
    assert project([build_event(300, Actor(0, "portal"), IssueEventKind.NOT_AN_ISSUE)]).is_covered is False


@pytest.mark.parametrize(
    ("facts", "known_until", "state"),
    [
        ([], DUE - 1, ClockStatus.DATA_INCOMPLETE),
        ([], DUE, ClockStatus.OVERDUE),
        ([build_comment(10, DEV), build_event(100, DEV, IssueEventKind.CLOSED)], 99, ClockStatus.DATA_INCOMPLETE),
        ([build_comment(10, DEV), build_event(100, DEV, IssueEventKind.CLOSED)], 100, ClockStatus.MET),
        ([build_comment(10, DEV), build_event(200, DEV, IssueEventKind.CLOSED)], DUE - 1, ClockStatus.DATA_INCOMPLETE),
        ([build_comment(10, DEV), build_event(200, DEV, IssueEventKind.CLOSED)], DUE, ClockStatus.LATE),
        ([build_comment(100, DEV, QUESTION)], 10, ClockStatus.PAUSED),
    ],
)
def test_state_is_not_declared_beyond_known_data(
    facts: list[TimelineEvent], known_until: float, state: ClockStatus
) -> None:
    assert project(facts, known_until=known_until).resolve.state == state


def test_last_commenter_is_recorded_with_role_and_time() -> None:
    facts = [
        build_comment(10, DEV),
        build_comment(20, USER, "Still."),
        build_comment(30, STALE_BOT, "It is stale."),
        build_comment(40, OUTSIDER, "Same."),
    ]
    last = [(project(facts[:n]).last_commenter_role, to_hours(project(facts[:n]).last_commented_at)) for n in range(5)]
    assert last == [("reporter", 0), ("partner", 10), ("reporter", 20), ("reporter", 20), ("other", 40)]


TIMELINE = [
    CRITICAL,
    build_comment(5, DEV, QUESTION),
    build_comment(9, USER, "1.2.3"),
    build_comment(12, DEV),
    build_event(20, DEV, IssueEventKind.CLOSED),
    build_event(30, DEV, IssueEventKind.REOPENED),
    build_event(30, DEV, IssueEventKind.LOCKED),
    build_event(40, DEV, IssueEventKind.CLOSED),
]


def test_order_and_repetition_of_events_change_nothing() -> None:
    facts = [open_issue(), *TIMELINE]
    state = project_issue_state(facts, build_projection_context(build_policy()))
    draw = random.Random(4)
    for _ in range(50):
        assert (
            project_issue_state(draw.sample(facts * 2, 2 * len(facts)), build_projection_context(build_policy()))
            == state
        )


def test_event_reported_under_two_keys_counts_once() -> None:
    again = [  # once from a webhook, and once from a list of events
        TimelineEvent(f"again:{h.key}", h.kind, h.at, h.actor, h.text, h.label, h.data)
        for h in TIMELINE
        if h.kind != IssueEventKind.COMMENTED
    ]
    assert project([*TIMELINE, *again]) == project(TIMELINE)


def test_state_ignores_later_events() -> None:
    for moment in range(0, 60, 3):
        before = [fact for fact in TIMELINE if fact.at <= to_time(moment)]
        assert project(TIMELINE, now=moment) == project(before, now=moment)


def test_missing_opening_is_an_error() -> None:
    with pytest.raises(ValueError, match="opening of this issue is missing"):
        project_issue_state(TIMELINE, build_projection_context(build_policy()))


def test_days_off_are_named() -> None:
    calendar = Calendar(ZoneInfo("UTC"), days_off=frozenset({date(2026, 4, 17)}), names={date(2026, 4, 17): "Fair"})
    state = project_issue_state([open_issue()], ProjectionContext(build_policy(), calendar, to_time(NOW), to_time(NOW)))
    day_off = next(segment for segment in state.resolve.segments if not segment.counted)
    assert describe_reason(day_off, calendar) == "Days off: Fri, Apr 17 (Fair); Sat, Apr 18; Sun, Apr 19"
