"""Projection of an issue's events to its SLA state.

A pure function: the same events give the same state, in whatever order and however often they arrive.
docs/explanation/sla-clock.md explains the rules.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from integrations.programs.schema import TargetType
from integrations.sla.engine.clock import EffectiveTarget, build_effective_targets, format_moment, measure_clock
from integrations.sla.engine.participants import (
    IssueParticipants,
    ParticipantSide,
    identify_participants,
    is_machine,
    is_opened_by_partner,
)
from integrations.sla.engine.pause_rules import PauseTracker, UncountedInterval
from integrations.sla.engine.severity import determine_severity, list_severity_events
from integrations.sla.engine.stop_rules import StopTracker
from integrations.sla.engine.timeline import find_denied_keys, order_events
from integrations.sla.engine.types import (
    ClockState,
    ClockStatus,
    IssueEventKind,
    IssueState,
    ProjectionContext,
    Severity,
    TimelineEvent,
)
from portal.core.local_time import RESOLUTION

INEFFECTIVE_EVENT_NOTES = {
    IssueEventKind.TRANSFERRED: "The issue was transferred. The clocks keep running.",
    IssueEventKind.DELETED: "The issue was deleted. The clocks keep running.",
    IssueEventKind.LOCKED: "The conversation was locked. The clocks keep running.",
}
UNVERIFIED_EVENT_NOTE = "GitHub doesn't confirm a webhook event. It doesn't affect the clock."
MESSAGE_KINDS = (IssueEventKind.OPENED, IssueEventKind.COMMENTED)
BREACH_STATUSES = (ClockStatus.LATE, ClockStatus.OVERDUE)


@dataclass(frozen=True, slots=True)
class TimelineAnalysis:
    """Issue events after one ordered pass. `severity_events` are those that determine the severity."""

    events: list[TimelineEvent]
    severity_events: list[TimelineEvent]
    opening: TimelineEvent
    participants: IssueParticipants
    stop_tracker: StopTracker
    pause_tracker: PauseTracker


def project_issue_state(events: Iterable[TimelineEvent], context: ProjectionContext) -> IssueState:
    """Return the state of an issue at `context.now`. Raises ValueError if its opening is missing."""
    events = list(events)
    analysis = _analyze_timeline(order_events(events, context.now), context)
    severity, _ = determine_severity(analysis.severity_events, context.policy, context.now)
    is_covered = not is_machine(analysis.opening.actor, context.policy) and not _is_excluded(analysis.events)
    clock_states = [
        _project_clock(target_type, analysis, context, is_covered)
        for target_type in (TargetType.RESPOND, TargetType.RESOLVE)
    ]
    clocks = respond, resolve = (
        _assign_segment_keys(clock_states, analysis.events) if context.segments else clock_states
    )
    last_commenter_role, last_commented_at = _find_last_speaker(analysis)
    return IssueState(
        severity=severity,
        is_open=_is_open(analysis.events),
        is_covered=is_covered,
        respond=respond,
        resolve=resolve,
        last_commenter_role=last_commenter_role,
        last_commented_at=last_commented_at,
        notes=(
            *_collect_notes(analysis, context, clocks),
            *([UNVERIFIED_EVENT_NOTE] if find_denied_keys(events) else []),
        ),
    )


def _analyze_timeline(events: list[TimelineEvent], context: ProjectionContext) -> TimelineAnalysis:
    opening = next((event for event in events if event.kind == IssueEventKind.OPENED), None)
    if opening is None:
        raise ValueError("The opening of this issue is missing.")
    participants = identify_participants(events, opening, context.policy)
    severity_events = list_severity_events(events)
    pause_tracker = PauseTracker(participants)
    analysis = TimelineAnalysis(
        events,
        severity_events,
        opening,
        participants,
        StopTracker(participants, opening.at, pause_tracker),
        pause_tracker,
    )
    for event in events:
        analysis.stop_tracker.read(event)
        analysis.pause_tracker.read(event)
    return analysis


def _project_clock(
    target_type: TargetType, analysis: TimelineAnalysis, context: ProjectionContext, is_covered: bool
) -> ClockState:
    opened_at = analysis.opening.at
    if not is_covered:
        return ClockState(target_type, False, Severity.OTHER, ClockStatus.NOT_APPLICABLE, opened_at)
    stops = (
        analysis.stop_tracker.list_respond_stops()
        if target_type == TargetType.RESPOND
        else analysis.stop_tracker.list_resolve_stops()
    )
    waits = analysis.pause_tracker.list_intervals() if target_type == TargetType.RESOLVE else []
    breached_state = _find_breach_before_lowering(target_type, analysis, stops, waits, context)
    if breached_state is not None:
        return breached_state
    targets = _build_targets(target_type, analysis, context, context.now)
    state = measure_clock(target_type, targets, stops, waits, context)
    if state.stopped_at is None:
        return state
    targets_at_stop = _build_targets(
        target_type, analysis, context, state.stopped_at
    )  # later labels don't affect a stopped clock
    return state if targets_at_stop == targets else measure_clock(target_type, targets_at_stop, stops, waits, context)


def _assign_segment_keys(clocks: list[ClockState], events: list[TimelineEvent]) -> list[ClockState]:
    """Set the key of the event that started each counted segment. Segments after a day off have none."""
    keys: dict[datetime, str] = {}
    for event in events:
        keys.setdefault(event.at, event.key)
    keyed_segments = (
        tuple(
            replace(segment, key=keys.get(segment.start, "")) if segment.counted else segment
            for segment in clock.segments
        )
        for clock in clocks
    )
    return [replace(clock, segments=segments) for clock, segments in zip(clocks, keyed_segments, strict=True)]


def _find_breach_before_lowering(
    target_type: TargetType,
    analysis: TimelineAnalysis,
    stops: list[UncountedInterval],
    waits: list[UncountedInterval],
    context: ProjectionContext,
) -> ClockState | None:
    """Return the clock breached before the program lowered the severity, which keeps the breach. None otherwise."""
    for lowered_at in (event.at for event in analysis.severity_events if event.kind == IssueEventKind.SEVERITY_LOWERED):
        state = measure_clock(
            target_type, _build_targets(target_type, analysis, context, lowered_at - RESOLUTION), stops, waits, context
        )
        was_in_time = state.stopped_at and state.due_at and state.stopped_at <= state.due_at
        if state.is_committed and state.due_at and state.due_at <= lowered_at and not was_in_time:
            return state
    return None


def _build_targets(
    target_type: TargetType, analysis: TimelineAnalysis, context: ProjectionContext, cutoff_at: datetime
) -> list[EffectiveTarget]:
    _, critical_since = determine_severity(analysis.severity_events, context.policy, cutoff_at)
    return build_effective_targets(
        context.policy.sla, target_type, analysis.opening.at, critical_since, context.calendar
    )


def _is_excluded(events: Iterable[TimelineEvent]) -> bool:
    return any(event.kind == IssueEventKind.NOT_AN_ISSUE for event in events)


def _is_open(events: Iterable[TimelineEvent]) -> bool:
    kinds = [
        event.kind
        for event in events
        if event.kind in (IssueEventKind.CLOSED, IssueEventKind.REOPENED, IssueEventKind.DELETED)
    ]
    return not kinds or kinds[-1] == IssueEventKind.REOPENED


def _find_last_speaker(analysis: TimelineAnalysis) -> tuple[str, datetime | None]:
    for event in reversed(analysis.events):
        side = analysis.participants.get_side(event.actor)
        if event.kind in MESSAGE_KINDS and side != ParticipantSide.MACHINE:
            return str(side), event.at
    return "", None


def _collect_notes(analysis: TimelineAnalysis, context: ProjectionContext, clocks: list[ClockState]) -> tuple[str, ...]:
    """Return the unique notes about events without effect and about ideal targets."""
    ineffective_event_notes = [
        INEFFECTIVE_EVENT_NOTES[event.kind] for event in analysis.events if event.kind in INEFFECTIVE_EVENT_NOTES
    ]
    notes = [
        *_build_opening_notes(analysis.opening, context),
        *analysis.stop_tracker.notes,
        *analysis.pause_tracker.notes,
        *ineffective_event_notes,
        *_build_late_lowering_notes(analysis, clocks),
        *_build_ideal_target_notes(analysis, context),
    ]
    return tuple(dict.fromkeys(notes))


def _build_opening_notes(opening: TimelineEvent, context: ProjectionContext) -> list[str]:
    if is_machine(opening.actor, context.policy):
        return ["A bot opened this issue. No SLA target applies."]
    if is_opened_by_partner(opening, context.policy):
        return ["The partner opened this issue. SLA targets apply unless the program excludes it."]
    return []


def _build_late_lowering_notes(analysis: TimelineAnalysis, clocks: list[ClockState]) -> list[str]:
    was_lowered = any(event.kind == IssueEventKind.SEVERITY_LOWERED for event in analysis.severity_events)
    was_breached = any(
        clock.severity == Severity.CRITICAL and clock.is_committed and clock.state in BREACH_STATUSES
        for clock in clocks
    )
    return (
        ["The severity was lowered after the due date. The breach stays on record."]
        if was_lowered and was_breached
        else []
    )


def _build_ideal_target_notes(analysis: TimelineAnalysis, context: ProjectionContext) -> list[str]:
    severity, critical_since = determine_severity(analysis.severity_events, context.policy, context.now)
    target = context.policy.sla.critical
    if (
        severity != Severity.CRITICAL
        or critical_since is None
        or target is None
        or not target.best_effort
        or target.hours is None
    ):
        return []
    due_at = critical_since + timedelta(hours=target.hours)
    return [f"Critical: ideally within {target.hours} hours, by {format_moment(due_at, ZoneInfo('UTC'))} UTC."]
