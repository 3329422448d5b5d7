"""The order of the events of an issue, and which of them count."""

from collections.abc import Iterable
from datetime import datetime

from integrations.sla.engine.types import (
    DENIED_KEY,
    IssueEventKind,
    TimelineEvent,
)

# of facts of one second, as GitHub tells the time: words before the act that they go with, closed before reopened
EVENT_ORDER = {kind: n for n, kind in enumerate(IssueEventKind)} | {
    IssueEventKind.CLOSED: 50,
    IssueEventKind.REOPENED: 51,
}
COMMENT_KINDS = frozenset({IssueEventKind.COMMENTED, IssueEventKind.COMMENT_EDITED, IssueEventKind.COMMENT_DELETED})


def order_events(events: Iterable[TimelineEvent], cutoff_at: datetime) -> list[TimelineEvent]:
    """Each fact once, as they happened, up to a moment. An act told under two keys is one: that with a link is kept,
    and that which says more. A guess at who rewrote a report goes where somebody told. What is denied is left out,
    with all that was told of a comment that is not there.
    """
    events = list(events)
    events_by_identity: dict[object, TimelineEvent] = {}
    guesses, denied_keys = [], find_denied_keys(events)
    for event in events:
        if event.at > cutoff_at or (denied_keys and _is_denied(event, denied_keys)):
            continue
        if "guessed" in event.data:
            guesses.append(event)
            continue
        identity = _get_identity(event)
        other = events_by_identity.get(identity)
        if other is None or _get_rank(event) > _get_rank(other):
            events_by_identity[identity] = event
    if guesses:
        known_texts = {
            event.text
            for event in events_by_identity.values()
            if event.kind == IssueEventKind.EDITED and event.data.get("body")
        }
        events_by_identity |= {guess.key: guess for guess in guesses if guess.text not in known_texts}
    return sorted(events_by_identity.values(), key=lambda event: (event.at, EVENT_ORDER[event.kind], event.key))


def find_denied_keys(events: Iterable[TimelineEvent]) -> set[object]:
    """The keys of the facts and comments that GitHub does not know."""
    denial_data = [event.data for event in events if DENIED_KEY in event.data]
    return {key for data in denial_data for key in (data[DENIED_KEY], data.get("comment")) if key}


def _is_denied(event: TimelineEvent, denied_keys: set[object]) -> bool:
    comment = event.comment if event.kind in COMMENT_KINDS else ""
    return DENIED_KEY in event.data or event.key in denied_keys or comment in denied_keys


def _get_identity(event: TimelineEvent) -> object:
    """What two tellings of one fact share."""
    if event.kind == IssueEventKind.COMMENTED:
        return event.comment
    if event.kind in COMMENT_KINDS:
        return event.key
    return event.kind, event.at, event.actor.id, event.label


def _get_rank(event: TimelineEvent) -> tuple[bool, bool, str]:
    return "unread" not in event.data, event.key.startswith("event:"), event.key
