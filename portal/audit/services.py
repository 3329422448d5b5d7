"""How is a happening written down, and who hears of it? The only writer of events.

Listeners run in the same transaction as the happening and write rows only (mails, jobs): either all of it
is there or nothing. What is merely fast (a nudge to a worker) waits for the commit.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from integrations.partners.models.partners import Partner
from integrations.submissions.models.integration import Integration
from portal.audit.models import Event

Listener = Callable[[Event], None]
LISTENERS: list[Listener] = []
TurnListener = Callable[[Integration, Event], None]
TURN_LISTENERS: list[TurnListener] = []
TURN = "turn_passed"


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
    event = _append(
        stream, integration=integration, partner=partner, verb=verb, actor_id=by.pk if by else None,
        actor=str(by) if by else "", note=note, internal=internal, data=data, at=now,
    )  # fmt: skip
    for listener in LISTENERS:
        listener(event)
    return event


def record_account_event(user: Any, verb: str, *, by: Any, now: datetime, note: str = "", **data: Any) -> Event:
    """Append one event to the stream of a person's account, which the caller has locked. Nobody listens to it."""
    return _append(
        f"account:{user.pk}", verb=verb, actor_id=by.pk if by else None, actor=str(by) if by else "", note=note,
        internal=True, data=data, at=now,
    )  # fmt: skip


def record_system_event(stream: str, verb: str, *, now: datetime, **data: Any) -> Event:
    """Append an event of the portal itself, which no page shows. `data` must be JSON."""
    return _append(stream, verb=verb, internal=True, data=data, at=now)


def turn_stream(pk: int) -> str:
    """Where the passing of an integration's turn is written, apart from what people read as its history."""
    return f"turn:{pk}"


def listen_to_turns(listener: TurnListener) -> TurnListener:
    """Hear from now on whenever a turn passes or a stage changes, once each."""
    if listener not in TURN_LISTENERS:
        TURN_LISTENERS.append(listener)
    return listener


def pass_turn(integration: Integration, holder: str, *, now: datetime, back: bool = False) -> Event:
    """Write down who holds a locked integration from now on; `back`: a decision was undone, as if never taken."""
    said: dict[str, Any] = {"stage": str(integration.stage), "holder": holder, "round": integration.review_round}
    if back:
        said["back"] = True
    event = _append(turn_stream(integration.pk), verb=TURN, internal=True, data=said, at=now)
    for listener in TURN_LISTENERS:
        listener(integration, event)
    return event


def _append(stream: str, **fields: Any) -> Event:
    """One more event at the end of a stream, linked to the last."""
    last = Event.objects.filter(stream=stream).order_by("-seq").first()
    event = Event(stream=stream, seq=last.seq + 1 if last else 1, before=last.hash if last else "", **fields)
    event.save()
    return event
