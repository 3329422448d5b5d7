"""Severity of an issue, determined by the labels of the policy."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from integrations.sla.engine.types import IssueEventKind, Severity, SlaPolicy, TimelineEvent

SEVERITY_KINDS = frozenset({IssueEventKind.OPENED, IssueEventKind.LABELED, IssueEventKind.SEVERITY_LOWERED})
OPENING_GRACE_PERIOD = timedelta(hours=1)  # a label added within this time counts from the opening


def list_severity_events(events: Iterable[TimelineEvent]) -> list[TimelineEvent]:
    """Return the events that determine the severity, in order. A granted request also counts from its time."""
    severity_events = [event for event in events if event.kind in SEVERITY_KINDS]
    severity_events += [
        replace(event, at=datetime.fromisoformat(str(event.data["asked"])))
        for event in severity_events
        if event.data.get("asked")
    ]
    return sorted(severity_events, key=lambda event: event.at)


def determine_severity(
    events: Iterable[TimelineEvent], policy: SlaPolicy, cutoff_at: datetime
) -> tuple[Severity, datetime | None]:
    """Return the severity at a time, and since when it is critical (None for other).

    Anyone can raise the severity with a critical label. Removing the label has no effect. Only a decision of the
    program lowers it, and a later label raises it again. `events` come from `list_severity_events`.
    """
    critical_since: datetime | None = None
    opened_at: datetime | None = None
    for event in events:
        if event.at > cutoff_at:
            break
        if event.kind == IssueEventKind.OPENED and opened_at is None:
            opened_at = event.at
        event_severity = _get_event_severity(event, policy)
        if event_severity == Severity.OTHER:
            critical_since = None
        elif event_severity == Severity.CRITICAL and critical_since is None:
            critical_since = opened_at if opened_at and event.at - opened_at <= OPENING_GRACE_PERIOD else event.at
    return (Severity.CRITICAL, critical_since) if critical_since else (Severity.OTHER, None)


def _get_event_severity(event: TimelineEvent, policy: SlaPolicy) -> Severity | None:
    """Return the severity that an event sets, or None."""
    if event.kind == IssueEventKind.LABELED:
        return Severity.CRITICAL if normalize_label(event.label) in policy.critical_labels else None
    if event.kind == IssueEventKind.OPENED:
        labels = event.data.get("labels", ())
        is_critical = isinstance(labels, list | tuple) and any(
            normalize_label(str(label)) in policy.critical_labels for label in labels
        )
        return Severity.CRITICAL if is_critical else None
    if event.kind == IssueEventKind.SEVERITY_LOWERED:
        return Severity(str(event.data.get("severity", Severity.OTHER)))
    return None


def normalize_label(label: str) -> str:
    """Return the label in the form that policies use."""
    return label.strip().lower()
