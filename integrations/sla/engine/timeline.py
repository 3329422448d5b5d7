"""Order and deduplication of issue events."""

from collections.abc import Iterable
from datetime import datetime

from integrations.sla.engine.types import DENIED_KEY, IssueEventKind, TimelineEvent

# Order of events within one second, GitHub's precision: comments before their action, closed before reopened
EVENT_ORDER = {kind: n for n, kind in enumerate(IssueEventKind)} | {
    IssueEventKind.CLOSED: 50,
    IssueEventKind.REOPENED: 51,
}
COMMENT_KINDS = frozenset({IssueEventKind.COMMENTED, IssueEventKind.COMMENT_EDITED, IssueEventKind.COMMENT_DELETED})


def order_events(events: Iterable[TimelineEvent], cutoff_at: datetime) -> list[TimelineEvent]:
    """Return the deduplicated events up to the cutoff in chronological order.

    Of two reports of the same action, the one with a link and more details wins. A guessed edit of the issue text is
    dropped if the actual edit is known. Events that GitHub doesn't confirm are left out.
    """
    events = list(events)
    events_by_identity: dict[object, TimelineEvent] = {}
    guesses = []
    denied_keys = find_denied_keys(events)
    for event in events:
        if event.at > cutoff_at or event.key in denied_keys or DENIED_KEY in event.data:
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
    """Return the keys of events that GitHub doesn't confirm."""
    return {event.data[DENIED_KEY] for event in events if DENIED_KEY in event.data}


def _get_identity(event: TimelineEvent) -> object:
    """Return a value that two reports of the same action share."""
    if event.kind == IssueEventKind.COMMENTED:
        return event.comment
    if event.kind in COMMENT_KINDS:
        return event.key
    return event.kind, event.at, event.actor.id, event.label


def _get_rank(event: TimelineEvent) -> tuple[bool, bool, str]:
    # The original text replaces the placeholder of an edited comment, and a listed event has an ID to link to. The key
    # decides between equal events, so that the order of their arrival changes nothing.
    return "unread" not in event.data, event.key.startswith("event:"), event.key
