"""Tests of the severity of an issue and the SLA target that applies to it."""

from datetime import timedelta

import pytest

from integrations.programs.sla_policy import SeverityTargets, Sla, SlaTarget
from integrations.sla.engine.projection import BREACH_STATUSES, project_issue_state
from integrations.sla.engine.types import Actor, ClockStatus, IssueEventKind, Severity
from tests.integrations.sla.story import (
    CRITICAL,
    CRITICAL_DUE,
    DEV,
    DUE,
    IDEALLY,
    QUESTION,
    RESPOND,
    TRACK,
    USER,
    build_projection_context,
    does,
    hours,
    open_issue,
    policy,
    project,
    says,
)


def test_critical_issue_has_48_elapsed_hours_from_its_opening_if_labeled_at_once() -> None:
    clock = project([CRITICAL], now=24).resolve
    assert (clock.severity, hours(clock.due_at), clock.share) == (Severity.CRITICAL, CRITICAL_DUE, 0.5)
    assert [hours(moment) for moment in clock.warn_at] == [24, 36, 43.2]


def test_labels_at_the_opening_count() -> None:
    state = project_issue_state([open_issue(labels=["P0", "bug"])], build_projection_context(policy()))
    assert hours(state.resolve.due_at) == CRITICAL_DUE


def test_critical_label_after_the_stop_changes_nothing() -> None:
    facts = [says(5, DEV), does(60, DEV, IssueEventKind.CLOSED), does(70, DEV, IssueEventKind.LABELED, "critical")]
    assert (project(facts).resolve.state, project(facts).severity) == (ClockStatus.MET, Severity.CRITICAL)


def test_pauses_stay_when_the_severity_changes() -> None:
    facts = [CRITICAL, says(4, DEV, QUESTION), says(10, USER, "1.2")]
    lowering = does(12, Actor(0, "portal"), IssueEventKind.SEVERITY_LOWERED)
    assert [hours(project(some).resolve.due_at) for some in (facts, [*facts, lowering])] == [CRITICAL_DUE + 6, DUE + 6]


def test_other_target_applies_without_a_target_for_critical_issues() -> None:
    sla = Sla("", resolve=SeverityTargets(None, SlaTarget(business_days=5)))
    assert hours(project([CRITICAL], policy(sla)).resolve.due_at) == DUE


def test_ideal_due_date_is_shown_next_to_the_required_one() -> None:
    state = project([CRITICAL], policy(IDEALLY))
    assert (hours(state.resolve.due_at), state.resolve.is_committed) == (DUE, True)
    assert hours(state.resolve.ideal_due_at) == CRITICAL_DUE


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
    facts = [CRITICAL, says(1, DEV)]
    if closed_at is not None:
        facts.append(does(closed_at, DEV, IssueEventKind.CLOSED))
    clock = project(facts, policy(IDEALLY), now, known_until).resolve
    assert (clock.is_ideal_missed, clock.state in BREACH_STATUSES) == (is_missed, False)


def test_pause_moves_the_ideal_due_date() -> None:
    facts = [CRITICAL, says(4, DEV, QUESTION)]
    assert project(facts, policy(IDEALLY), now=20).resolve.ideal_due_at is None
    clock = project([*facts, says(10, USER, "1.2")], policy(IDEALLY), now=20).resolve
    assert hours(clock.ideal_due_at) == CRITICAL_DUE + 6


def test_clock_with_only_ideal_targets_is_not_committed() -> None:
    targets = SeverityTargets(None, SlaTarget(business_days=5, binding="ideal"))
    clock = project([], policy(Sla("", resolve=targets))).resolve
    assert (clock.is_committed, clock.state, hours(clock.due_at), clock.warn_at) == (
        False,
        ClockStatus.NOT_APPLICABLE,
        DUE,
        (),
    )


def test_clock_without_a_target_is_measured() -> None:
    state = project([says(10, DEV)], policy(RESPOND), now=20)
    assert [(clock.is_committed, clock.state, clock.counted) for clock in state.clocks] == [
        (True, ClockStatus.MET, timedelta(hours=10)),
        (False, ClockStatus.NOT_APPLICABLE, timedelta(hours=20)),
    ]


def test_both_clocks_can_have_targets() -> None:
    respond = SeverityTargets(SlaTarget(hours=24, binding="ideal"), SlaTarget(business_days=1))
    resolve = SeverityTargets(SlaTarget(hours=48), SlaTarget(business_days=5))
    state = project([CRITICAL], policy(Sla("", respond, resolve)), now=1)
    assert [(clock.is_committed, clock.severity, hours(clock.due_at)) for clock in state.clocks] == [
        (True, Severity.OTHER, 24),
        (True, Severity.CRITICAL, CRITICAL_DUE),
    ]
    assert [hours(clock.ideal_due_at) for clock in state.clocks] == [24, None]


def test_program_without_targets_is_measured() -> None:
    state = project([says(10, DEV)], policy(TRACK), now=20)
    assert [(clock.state, clock.due_at, clock.share) for clock in state.clocks] == [
        (ClockStatus.NOT_APPLICABLE, None, 0.0)
    ] * 2
    assert state.respond.counted == timedelta(hours=10)
