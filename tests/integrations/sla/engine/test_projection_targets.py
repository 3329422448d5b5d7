"""Tests of the severity of an issue and the SLA target that applies to it."""

from datetime import timedelta

import pytest

from integrations.programs.sla_policy import SeverityTargets, Sla, SlaTarget
from integrations.sla.engine.projection import BREACH_STATUSES
from integrations.sla.engine.types import Actor, ClockStatus, IssueEventKind, Severity
from tests.integrations.sla.event_builders import (
    CRITICAL,
    CRITICAL_DUE,
    DEV,
    DUE,
    IDEAL_RESOLVE,
    NO_TARGETS,
    QUESTION,
    RESPOND,
    USER,
    build_comment,
    build_event,
    build_policy,
    project,
    to_hours,
)


def test_critical_issue_has_48_elapsed_hours_from_its_opening_if_labeled_at_once() -> None:
    clock = project([CRITICAL], now=24).resolve
    assert (clock.severity, to_hours(clock.due_at), clock.share) == (Severity.CRITICAL, CRITICAL_DUE, 0.5)
    assert [to_hours(moment) for moment in clock.warn_at] == [24, 36, 43.2]


def test_critical_label_after_the_stop_changes_nothing() -> None:
    facts = [
        build_comment(5, DEV),
        build_event(60, DEV, IssueEventKind.CLOSED),
        build_event(70, DEV, IssueEventKind.LABELED, "critical"),
    ]
    assert (project(facts).resolve.state, project(facts).severity) == (ClockStatus.MET, Severity.CRITICAL)


def test_pauses_stay_when_the_severity_changes() -> None:
    facts = [CRITICAL, build_comment(4, DEV, QUESTION), build_comment(10, USER, "1.2")]
    lowering = build_event(12, Actor(0, "portal"), IssueEventKind.SEVERITY_LOWERED)
    assert [to_hours(project(some).resolve.due_at) for some in (facts, [*facts, lowering])] == [
        CRITICAL_DUE + 6,
        DUE + 6,
    ]


def test_other_target_applies_without_a_target_for_critical_issues() -> None:
    sla = Sla("", resolve=SeverityTargets(None, SlaTarget(business_days=5)))
    assert to_hours(project([CRITICAL], build_policy(sla)).resolve.due_at) == DUE


def test_ideal_due_date_is_shown_next_to_the_required_one() -> None:
    state = project([CRITICAL], build_policy(IDEAL_RESOLVE))
    assert (to_hours(state.resolve.due_at), state.resolve.is_committed) == (DUE, True)
    assert to_hours(state.resolve.ideal_due_at) == CRITICAL_DUE


@pytest.mark.parametrize(
    ("closed_at", "now", "known_until", "is_missed"),
    [
        (48, 60, 60, False),
        (49, 60, 60, True),
        (None, 47, 47, False),
        (None, 48, 48, True),
        (None, 60, 47, False),
        (49, 60, 47, False),
    ],
)
def test_ideal_target_is_missed_without_a_breach_if_the_data_shows_it(
    closed_at: float | None, now: float, known_until: float, is_missed: bool
) -> None:
    facts = [CRITICAL, build_comment(1, DEV)]
    if closed_at is not None:
        facts.append(build_event(closed_at, DEV, IssueEventKind.CLOSED))
    clock = project(facts, build_policy(IDEAL_RESOLVE), now, known_until).resolve
    assert (clock.is_ideal_missed, clock.state in BREACH_STATUSES) == (is_missed, False)


def test_pause_moves_the_ideal_due_date() -> None:
    facts = [CRITICAL, build_comment(4, DEV, QUESTION)]
    assert project(facts, build_policy(IDEAL_RESOLVE), now=20).resolve.ideal_due_at is None
    clock = project([*facts, build_comment(10, USER, "1.2")], build_policy(IDEAL_RESOLVE), now=20).resolve
    assert to_hours(clock.ideal_due_at) == CRITICAL_DUE + 6


def test_clock_with_only_ideal_targets_is_not_committed() -> None:
    targets = SeverityTargets(None, SlaTarget(business_days=5, binding="ideal"))
    clock = project([], build_policy(Sla("", resolve=targets))).resolve
    assert (clock.is_committed, clock.state, to_hours(clock.due_at), clock.warn_at) == (
        False,
        ClockStatus.NOT_APPLICABLE,
        DUE,
        (),
    )


def test_clock_without_a_target_is_measured() -> None:
    state = project([build_comment(10, DEV)], build_policy(RESPOND), now=20)
    assert [(clock.is_committed, clock.state, clock.counted) for clock in state.clocks] == [
        (True, ClockStatus.MET, timedelta(hours=10)),
        (False, ClockStatus.NOT_APPLICABLE, timedelta(hours=20)),
    ]


def test_both_clocks_can_have_targets() -> None:
    respond = SeverityTargets(SlaTarget(hours=24, binding="ideal"), SlaTarget(business_days=1))
    resolve = SeverityTargets(SlaTarget(hours=48), SlaTarget(business_days=5))
    state = project([CRITICAL], build_policy(Sla("", respond, resolve)), now=1)
    assert [(clock.is_committed, clock.severity, to_hours(clock.due_at)) for clock in state.clocks] == [
        (True, Severity.OTHER, 24),
        (True, Severity.CRITICAL, CRITICAL_DUE),
    ]
    assert [to_hours(clock.ideal_due_at) for clock in state.clocks] == [24, None]


def test_program_without_targets_is_measured() -> None:
    state = project([build_comment(10, DEV)], build_policy(NO_TARGETS), now=20)
    assert [(clock.state, clock.due_at, clock.share) for clock in state.clocks] == [
        (ClockStatus.NOT_APPLICABLE, None, 0.0)
    ] * 2
    assert state.respond.counted == timedelta(hours=10)
