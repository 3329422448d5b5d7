"""Projection of an issue's events to its SLA state.

A pure function: the same events give the same state, in whatever order and however often they arrive.
docs/explanation/sla-clock.md explains the rules.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from integrations.programs.sla_policy import TargetType
from integrations.sla.engine.clock import EffectiveTarget, build_effective_targets, measure_clock
from integrations.sla.engine.participants import (
    ParticipantSide,
    identify_participants,
    is_machine,
    is_opened_by_partner,
)
from integrations.sla.engine.pause_rules import PauseTracker
from integrations.sla.engine.severity import find_critical_since, list_severity_events
from integrations.sla.engine.stop_rules import StopTracker
from integrations.sla.engine.timeline import find_denied_keys, order_events
from integrations.sla.engine.types import (
    LISTED_SUFFIX,
    REPLACED_KEY,
    ClockState,
    ClockStatus,
    IssueEventKind,
    IssueState,
    ProjectionContext,
    Segment,
    Severity,
    TimelineEvent,
)
from portal.core.local_time import RESOLUTION
from portal.core.translation import gettext_noop

INEFFECTIVE_EVENT_NOTES = {
    IssueEventKind.TRANSFERRED: gettext_noop("The issue was transferred. The clocks keep running."),
    IssueEventKind.DELETED: gettext_noop("The issue was deleted. The clocks keep running."),
    IssueEventKind.LOCKED: gettext_noop("The conversation was locked. The clocks keep running."),
}
BOT_NOTE = gettext_noop("A bot opened this issue. No SLA target applies.")
PARTNER_NOTE = gettext_noop("The partner opened this issue. SLA targets apply unless the program excludes it.")
LATE_LOWERING_NOTE = gettext_noop("The severity was lowered after the due date. The breach stays on record.")
MISSING_OPENING_NOTE = gettext_noop("We don't have the opening of this issue, so we can't calculate its clocks.")
UNVERIFIED_EVENT_NOTE = gettext_noop("GitHub doesn't confirm a webhook event. It doesn't affect the clock.")
UNVERIFIED_LABEL_NOTE = gettext_noop("GitHub doesn't confirm who added a critical label. The label counts.")
MESSAGE_KINDS = (IssueEventKind.OPENED, IssueEventKind.COMMENTED)
OPEN_KINDS = {IssueEventKind.CLOSED: False, IssueEventKind.DELETED: False, IssueEventKind.REOPENED: True}
BREACH_STATUSES = (ClockStatus.LATE, ClockStatus.OVERDUE)


class MissingOpeningError(ValueError):
    """The events of an issue don't include its opening."""


def project_issue_state(events: Iterable[TimelineEvent], context: ProjectionContext) -> IssueState:
    """Return the state of an issue at `context.now`. Raises MissingOpeningError."""
    return IssueProjection(list(events), context).build_state()


def _find_opening(events: list[TimelineEvent]) -> TimelineEvent:
    """Return the opening of an issue. Raises MissingOpeningError."""
    openings = [event for event in events if event.kind == IssueEventKind.OPENED]
    if not openings:
        raise MissingOpeningError("The opening of this issue is missing.")
    # A list can contradict the opening that a webhook reported. Both are stored, and that of the list counts.
    return next((event for event in openings if event.key.endswith(LISTED_SUFFIX)), openings[0])


class IssueProjection:
    """Projection of one issue: its events in order, its participants, and the stops and pauses of its clocks."""

    def __init__(self, events: list[TimelineEvent], context: ProjectionContext) -> None:
        self.context = context
        self.has_unverified_events = bool(find_denied_keys(events))
        self.events = order_events(events, context.now)
        self.opening = _find_opening(self.events)
        self.severity_events = list_severity_events(self.events)
        self.lowered_times = [e.at for e in self.severity_events if e.kind == IssueEventKind.SEVERITY_LOWERED]
        self.is_from_machine = is_machine(self.opening.actor, context.policy)
        self.is_covered = not self.is_from_machine and not any(
            event.kind == IssueEventKind.NOT_AN_ISSUE for event in self.events
        )
        self.participants = identify_participants(self.events, self.opening, context.policy)
        self.pauses = PauseTracker(self.participants, opened_at=self.opening.at)
        self.stops = StopTracker(self.participants, opened_at=self.opening.at, pause_tracker=self.pauses)
        for event in self.events:
            self.stops.read(event)
            self.pauses.read(event)

    def build_state(self) -> IssueState:
        clocks = [self._project_clock(target_type) for target_type in (TargetType.RESPOND, TargetType.RESOLVE)]
        respond, resolve = self._set_segment_keys(clocks)
        last_message = self._find_last_message()
        return IssueState(
            severity=Severity.CRITICAL if self._find_critical_since(self.context.now) else Severity.OTHER,
            is_open=next((OPEN_KINDS[event.kind] for event in reversed(self.events) if event.kind in OPEN_KINDS), True),
            is_covered=self.is_covered,
            respond=respond,
            resolve=resolve,
            last_commenter_role=str(self.participants.get_side(last_message.actor)) if last_message else "",
            last_commented_at=last_message.at if last_message else None,
            notes=tuple(dict.fromkeys(self._list_notes(clocks))),
        )

    def _project_clock(self, target_type: TargetType) -> ClockState:
        if not self.is_covered:
            opened_at = self.opening.at
            return ClockState(target_type, False, Severity.OTHER, ClockStatus.NOT_APPLICABLE, opened_at)
        for lowered_at in self.lowered_times:
            # A decision that lowers the severity retracts nothing, so the targets just before it decide about a breach.
            state = self._measure_clock(target_type, self._build_targets(target_type, lowered_at - RESOLUTION))
            was_in_time = state.stopped_at and state.due_at and state.stopped_at <= state.due_at
            if state.is_committed and state.due_at and state.due_at <= lowered_at and not was_in_time:
                return state  # a breach before the program lowered the severity stays
        targets = self._build_targets(target_type, self.context.now)
        state = self._measure_clock(target_type, targets)
        # Later labels don't affect a stopped clock.
        targets_at_stop = self._build_targets(target_type, state.stopped_at) if state.stopped_at else targets
        return state if targets_at_stop == targets else self._measure_clock(target_type, targets_at_stop)

    def _measure_clock(self, target_type: TargetType, targets: list[EffectiveTarget]) -> ClockState:
        if target_type == TargetType.RESPOND:
            # Only resolve pauses: a question of the partner is itself a response, so it stops this clock.
            return measure_clock(target_type, targets, self.stops.list_respond_stops(), [], self.context)
        stops = self.stops.list_resolve_stops()
        pauses = self.pauses.list_intervals()
        return measure_clock(target_type, targets, stops, pauses, self.context)

    def _build_targets(self, target_type: TargetType, cutoff_at: datetime) -> list[EffectiveTarget]:
        critical_since = self._find_critical_since(cutoff_at)
        policy = self.context.policy
        calendar = self.context.calendar
        return build_effective_targets(policy.sla, target_type, self.opening.at, critical_since, calendar)

    def _find_critical_since(self, cutoff_at: datetime) -> datetime | None:
        return find_critical_since(self.severity_events, self.context.policy, self.opening.at, cutoff_at)

    def _set_segment_keys(self, clocks: list[ClockState]) -> list[ClockState]:
        """Set the key of the event that started each counted segment. Segments after a day off have none."""
        keys: dict[datetime, str] = {}
        for event in self.events:
            # Events are ordered, so the first one at a moment is the cause of what begins then.
            keys.setdefault(event.at, event.key)

        def set_key(segment: Segment) -> Segment:
            return replace(segment, key=keys.get(segment.start, "")) if segment.counted else segment

        return [replace(clock, segments=tuple(map(set_key, clock.segments))) for clock in clocks]

    def _find_last_message(self) -> TimelineEvent | None:
        messages = (event for event in reversed(self.events) if event.kind in MESSAGE_KINDS)
        get_side = self.participants.get_side
        return next((event for event in messages if get_side(event.actor) != ParticipantSide.MACHINE), None)

    def _list_notes(self, clocks: list[ClockState]) -> Iterable[str]:
        """Yield the notes about events without effect."""
        if self.is_from_machine:
            yield BOT_NOTE
        elif is_opened_by_partner(self.opening, self.context.policy):
            yield PARTNER_NOTE
        yield from self.stops.notes
        yield from self.pauses.notes
        yield from (INEFFECTIVE_EVENT_NOTES[e.kind] for e in self.events if e.kind in INEFFECTIVE_EVENT_NOTES)
        critical_clocks = [clock for clock in clocks if clock.severity == Severity.CRITICAL and clock.is_committed]
        if self.lowered_times and any(clock.state in BREACH_STATUSES for clock in critical_clocks):
            yield LATE_LOWERING_NOTE
        if self.has_unverified_events:
            yield UNVERIFIED_EVENT_NOTE
        if any(REPLACED_KEY in event.data for event in self.events):
            yield UNVERIFIED_LABEL_NOTE
