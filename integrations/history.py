"""How is a happening written down, and who hears of it? The only writer of events.

Listeners run in the same transaction as the happening and write rows only (mails, jobs): either all of it
is there or nothing. What is merely fast (a nudge to a worker) waits for the commit.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from integrations.models.event import Event
from integrations.models.integration import Integration
from integrations.models.partner import Partner

Listener = Callable[[Event], None]
LISTENERS: list[Listener] = []


def listen(listener: Listener) -> Listener:
    """Hear every event from now on, once each."""
    if listener not in LISTENERS:
        LISTENERS.append(listener)
    return listener


def record(
    about: Integration | Partner,
    verb: str,
    *,
    by: Any,
    now: datetime,
    note: str = "",
    internal: bool = False,
    **data: Any,
) -> Event:
    """Append one event to the stream of `about`, which the caller has locked, and tell the listeners.

    `by` is a person, or None for the machine; `data` must be JSON.
    """
    integration = about if isinstance(about, Integration) else None
    partner = about.partner if isinstance(about, Integration) else about
    stream = f"{'integration' if integration else 'partner'}:{about.pk}"
    last = Event.objects.filter(stream=stream).order_by("-seq").first()
    event = Event(
        stream=stream,
        seq=last.seq + 1 if last else 1,
        integration=integration,
        partner=partner,
        verb=verb,
        actor_id=by.pk if by else None,
        actor=str(by) if by else "",
        note=note,
        internal=internal,
        data=data,
        at=now,
        before=last.hash if last else "",
    )
    event.save()
    for listener in LISTENERS:
        listener(event)
    return event


def broken_links(events: Iterable[Event]) -> Iterator[tuple[Event, str]]:
    """Events (ordered by stream and seq) that do not fit the chain, each with what is wrong."""
    before: Event | None = None
    for event in events:
        same = before is not None and before.stream == event.stream
        expected = (before.seq + 1, before.hash) if same and before else (1, "")
        if (event.seq, event.before) != expected:
            yield event, "an event before it is missing or was exchanged"
        if event.hash != event.digest():
            yield event, "it was changed after it was written"
        before = event
