"""Severity of an issue, determined by the labels of the policy."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from integrations.sla.engine.types import IssueEventKind, SlaPolicy, TimelineEvent

# GitHub reports labels that are set at the opening as events of their own.
SEVERITY_KINDS = frozenset({IssueEventKind.LABELED, IssueEventKind.SEVERITY_LOWERED})
OPENING_GRACE_PERIOD = timedelta(hours=1)  # a label added within this time counts from the opening


def list_severity_events(events: Iterable[TimelineEvent]) -> list[TimelineEvent]:
    """Return the events that determine the severity, in order. A granted request also counts from its time."""
    severity_events = [event for event in events if event.kind in SEVERITY_KINDS]
    starts = [
        (datetime.fromisoformat(str(event.data["requested_at"])), event)
        for event in severity_events
        if event.data.get("requested_at")
    ]
    # A decision that also applies to an earlier period applies to all labels of that period, not only the first one.
    effective_events = [
        event
        for event in severity_events
        if event.kind == IssueEventKind.SEVERITY_LOWERED
        or not any(start <= event.at <= decision.at for start, decision in starts)
    ]
    effective_events += [replace(decision, at=start) for start, decision in starts]
    return sorted(effective_events, key=lambda event: event.at)


def find_critical_since(
    events: Iterable[TimelineEvent], policy: SlaPolicy, opened_at: datetime, cutoff_at: datetime
) -> datetime | None:
    """Return since when an issue is critical, or None if it isn't critical at the cutoff.

    Anyone can raise the severity with a critical label. Removing the label has no effect. Only a decision of the
    program lowers it, and a later label raises it again. `events` come from `list_severity_events`.
    """
    raised_at = find_raised_at(events, policy, cutoff_at)
    if raised_at is not None and timedelta() <= raised_at - opened_at <= OPENING_GRACE_PERIOD:
        return opened_at
    return raised_at


def find_raised_at(events: Iterable[TimelineEvent], policy: SlaPolicy, cutoff_at: datetime) -> datetime | None:
    """Return the time of the event that made an issue critical, or None if it isn't critical at the cutoff."""
    raised_at: datetime | None = None
    for event in events:
        if event.at > cutoff_at:
            break
        if event.kind == IssueEventKind.SEVERITY_LOWERED:
            raised_at = None
        # Only the first critical label counts. A further one must not restart the target's time.
        elif raised_at is None and normalize_label(event.label) in policy.critical_labels:
            raised_at = event.at
    return raised_at


def normalize_label(label: str) -> str:
    """Return the label in the form that policies use."""
    # GitHub treats names of labels that differ only in letter case as the same label.
    return label.strip().lower()
