"""Tests that a partner cannot stop its own SLA clock."""

import pytest

from integrations.sla.engine.projection import project_issue_state
from integrations.sla.engine.types import Actor, ClockStatus, IssueEventKind, Severity, TimelineEvent
from tests.clock_abuse.attacks import CRITICAL_LABEL, Attack, close_issue
from tests.clock_abuse.pausing_and_tampering import ATTACKS
from tests.integrations.sla.event_builders import (
    CRITICAL_DUE,
    DEV,
    DUE,
    NOW,
    RESPOND,
    build_comment,
    build_edited_comment,
    build_event,
    build_policy,
    build_projection_context,
    open_issue,
    project,
    to_hours,
    to_time,
)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_partner_cannot_stop_its_own_clock(attack: Attack) -> None:
    state = project(attack.events, attack.rules)
    clock = next(clock for clock in state.clocks if clock.target_type == attack.target_type)
    assert (clock.state, to_hours(clock.due_at), to_hours(clock.stopped_at)) == (
        attack.state,
        attack.due,
        attack.stopped,
    )
    assert attack.note in ("", *state.notes)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_segments_add_up_to_the_counted_time(attack: Attack) -> None:
    for clock in project(attack.events, attack.rules).clocks:
        end = NOW if clock.stopped_at is None else to_hours(clock.stopped_at)
        lengths = sum(segment.length.total_seconds() for segment in clock.segments) / 3600
        assert to_hours(clock.started_at) + lengths == pytest.approx(end)
        assert sum(segment.used.total_seconds() for segment in clock.segments) == clock.counted.total_seconds()


def test_comment_with_late_webhook_counts_from_its_creation() -> None:
    events = [*build_edited_comment(5, 200, DEV), build_comment(5, DEV, number=77)]
    for issue_state in (project(events, build_policy(RESPOND)), project(events[::-1], build_policy(RESPOND))):
        assert (issue_state.respond.state, to_hours(issue_state.respond.stopped_at)) == (ClockStatus.MET, 5)


def test_issue_opened_by_the_partner_has_a_running_clock() -> None:
    own = [open_issue(DEV), build_comment(1, DEV)]
    assert project_issue_state(own, build_projection_context(build_policy())).resolve.state == ClockStatus.OVERDUE


def test_attack_names_are_unique() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 20


def lower_severity(hour: float, requested_hour: float | None = None) -> TimelineEvent:
    """Return the event of a lower severity, requested by the partner at `requested_hour`."""
    data = {} if requested_hour is None else {"requested_at": to_time(requested_hour).isoformat()}
    return build_event(hour, Actor(0, "portal"), IssueEventKind.SEVERITY_LOWERED, **data)


def test_severity_lowered_by_the_program_moves_the_due_date() -> None:
    state = project([CRITICAL_LABEL, lower_severity(10)])
    assert (state.severity, to_hours(state.resolve.due_at)) == (Severity.OTHER, DUE)


BREACH_RESULT = (ClockStatus.OVERDUE, Severity.CRITICAL, CRITICAL_DUE)
LOWERED_RESULT = (ClockStatus.RUNNING, Severity.OTHER, DUE)


@pytest.mark.parametrize(
    ("events", "clock"),
    [
        ([lower_severity(CRITICAL_DUE + 2)], BREACH_RESULT),
        ([lower_severity(CRITICAL_DUE)], BREACH_RESULT),
        ([lower_severity(CRITICAL_DUE - 1)], LOWERED_RESULT),
        ([lower_severity(CRITICAL_DUE + 2, requested_hour=CRITICAL_DUE + 1)], BREACH_RESULT),
        ([lower_severity(CRITICAL_DUE + 40, requested_hour=CRITICAL_DUE - 1)], LOWERED_RESULT),
        ([lower_severity(60), build_event(70, DEV, IssueEventKind.LABELED, "p0"), lower_severity(80)], BREACH_RESULT),
        ([build_event(30, DEV, IssueEventKind.LABELED, "p0"), lower_severity(60, requested_hour=20)], LOWERED_RESULT),
        (
            [build_comment(60, DEV), close_issue(61), lower_severity(70)],
            (ClockStatus.LATE, Severity.CRITICAL, CRITICAL_DUE),
        ),
        (
            [build_comment(60, DEV), close_issue(61), lower_severity(70, requested_hour=20)],
            (ClockStatus.MET, Severity.OTHER, DUE),
        ),
        (
            [
                build_comment(60, DEV),
                close_issue(61),
                lower_severity(55),
                build_event(90, DEV, IssueEventKind.LABELED, "p0"),
            ],
            (ClockStatus.LATE, Severity.CRITICAL, CRITICAL_DUE),
        ),
    ],
    ids=[
        "after the due date",
        "at the due date",
        "before it",
        "requested after it",
        "requested before it",
        "after it, raised and lowered again",
        "requested before it, labeled again later",
        "after a late answer",
        "requested before a late answer",
        "after it, then answered, then raised",
    ],
)
def test_severity_lowered_after_a_breach_keeps_the_breach(
    events: list[TimelineEvent], clock: tuple[ClockStatus, Severity, float]
) -> None:
    issue_state = project([CRITICAL_LABEL, *events], now=100)
    assert (issue_state.resolve.state, issue_state.resolve.severity, to_hours(issue_state.resolve.due_at)) == clock
    has_note = "The severity was lowered after the due date. The breach stays on record." in issue_state.notes
    assert has_note == (clock[1] == Severity.CRITICAL)


@pytest.mark.parametrize("decided_hour", [60, 88])
def test_all_labels_between_start_and_decision_are_void(decided_hour: float) -> None:
    labels = [build_event(hour, DEV, IssueEventKind.LABELED, label) for hour, label in ((2, "critical"), (3, "p0"))]
    state = project_issue_state(
        [open_issue(), *labels, lower_severity(decided_hour, requested_hour=2)],
        build_projection_context(build_policy(), 100),
    )
    assert (state.resolve.state, state.severity, to_hours(state.resolve.due_at)) == LOWERED_RESULT


def test_requested_severity_has_no_effect_before_the_program_agrees() -> None:
    assert project([CRITICAL_LABEL, lower_severity(90, requested_hour=20)], now=60).resolve.state == ClockStatus.OVERDUE


def test_critical_label_after_a_lower_severity_raises_it_again() -> None:
    state = project([CRITICAL_LABEL, lower_severity(10), build_event(20, DEV, IssueEventKind.LABELED, "critical")])
    assert (state.severity, to_hours(state.resolve.due_at)) == (Severity.CRITICAL, 20 + CRITICAL_DUE)
