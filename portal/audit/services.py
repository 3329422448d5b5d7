"""How is a happening written down, and who hears of it? The only writer of events.

Listeners run in the same transaction as the happening and write rows only (mails, jobs): either all of it
is there or nothing. What is merely fast (a nudge to a worker) waits for the commit.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from integrations.partners.models.partners import Partner
from integrations.submissions.models.integration import Integration
from portal.audit.models import AuditEvent

Listener = Callable[[AuditEvent], None]
LISTENERS: list[Listener] = []
ResponsibilityListener = Callable[[Integration, AuditEvent], None]
RESPONSIBILITY_LISTENERS: list[ResponsibilityListener] = []
RESPONSIBILITY_EVENT_TYPE = "turn_passed"


def subscribe(listener: Listener) -> Listener:
    """Hear every event from now on, once each."""
    if listener not in LISTENERS:
        LISTENERS.append(listener)
    return listener


def record_event(
    audited_object: Integration | Partner,
    event_type: str,
    *,
    actor: Any,
    now: datetime,
    note: str = "",
    internal: bool = False,
    **data: Any,
) -> AuditEvent:
    """Append one event to the stream of `audited_object`, which the caller has locked, and tell the listeners.

    `actor` is a person, or None for the machine; `data` must be JSON.
    """
    integration = audited_object if isinstance(audited_object, Integration) else None
    partner = audited_object.partner if isinstance(audited_object, Integration) else audited_object
    stream = f"{'integration' if integration else 'partner'}:{audited_object.pk}"
    event = _append_event(
        stream, integration=integration, partner=partner, event_type=event_type, actor_id=actor.pk if actor else None,
        actor=str(actor) if actor else "", note=note, internal=internal, data=data, at=now,
    )  # fmt: skip
    for listener in LISTENERS:
        listener(event)
    return event


def record_account_event(
    user: Any, event_type: str, *, actor: Any, now: datetime, note: str = "", **data: Any
) -> AuditEvent:
    """Append one event to the stream of a person's account, which the caller has locked. Nobody listens to it."""
    return _append_event(
        f"account:{user.pk}",
        event_type=event_type,
        actor_id=actor.pk if actor else None,
        actor=str(actor) if actor else "",
        note=note,
        internal=True,
        data=data,
        at=now,
    )


def record_system_event(stream: str, event_type: str, *, now: datetime, **data: Any) -> AuditEvent:
    """Append an event of the portal itself, which no page shows. `data` must be JSON."""
    return _append_event(stream, event_type=event_type, internal=True, data=data, at=now)


def get_turn_stream(pk: int) -> str:
    """Where the passing of an integration's turn is written, apart from what people read as its history."""
    return f"turn:{pk}"


def subscribe_to_responsibility_changes(listener: ResponsibilityListener) -> ResponsibilityListener:
    """Hear from now on whenever a turn passes or a stage changes, once each."""
    if listener not in RESPONSIBILITY_LISTENERS:
        RESPONSIBILITY_LISTENERS.append(listener)
    return listener


def record_responsibility_change(
    integration: Integration, responsible_party: str, *, now: datetime, is_undo: bool = False
) -> AuditEvent:
    """Write down who holds a locked integration from now on; `is_undo`: a decision was undone, as if never taken."""
    data: dict[str, Any] = {
        "stage": str(integration.stage),
        "holder": responsible_party,
        "round": integration.review_round,
    }
    if is_undo:
        data["back"] = True
    event = _append_event(
        get_turn_stream(integration.pk), event_type=RESPONSIBILITY_EVENT_TYPE, internal=True, data=data, at=now
    )
    for listener in RESPONSIBILITY_LISTENERS:
        listener(integration, event)
    return event


def _append_event(stream: str, **fields: Any) -> AuditEvent:
    """One more event at the end of a stream, linked to the last."""
    last = AuditEvent.objects.filter(stream=stream).order_by("-seq").first()
    event = AuditEvent(stream=stream, seq=last.seq + 1 if last else 1, before=last.hash if last else "", **fields)
    event.save()
    return event
