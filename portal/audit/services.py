"""Services that append audit events and call their listeners.

This module is the only writer of events. Listeners run in the same transaction as the change and only write rows
(notifications, jobs), so all of it is committed or none of it. Other side effects wait for the commit.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

from portal.audit.event_types import EVENT_TYPES
from portal.audit.models import AuditEvent
from portal.core.value_types import NamedValues

Listener = Callable[[AuditEvent], None]
LISTENERS: list[Listener] = []


class AuditedObject(Protocol):
    """Integration or partner with a stream of its own.

    `audit_fields`: the stream, and the integration and partner of its events.
    """

    @property
    def audit_fields(self) -> NamedValues: ...


def subscribe(listener: Listener) -> Listener:
    """Call the listener once for each new event."""
    if listener not in LISTENERS:
        LISTENERS.append(listener)
    return listener


def record_event(
    audited_object: AuditedObject,
    event_type: str,
    *,
    actor: Any,
    now: datetime,
    note: str = "",
    internal: bool = False,
    **data: object,
) -> AuditEvent:
    """Append an event to the stream of `audited_object` and call the listeners.

    The caller holds the lock of the object. Automatic events have no `actor`. `data` must be JSON. `internal` hides an
    event of a type that the partner usually sees.
    """
    event = _append_event(
        **audited_object.audit_fields,
        event_type=event_type,
        actor=actor,
        note=note,
        internal=internal,
        data=data,
        at=now,
    )
    for listener in LISTENERS:
        listener(event)
    return event


def record_account_event(
    user: Any, event_type: str, *, actor: Any, now: datetime, note: str = "", **data: object
) -> AuditEvent:
    """Append an event to the stream of a user account, which the caller has locked. Listeners are not called."""
    stream = f"account:{user.pk}"
    return _append_event(stream, event_type=event_type, actor=actor, note=note, data=data, at=now)


def record_system_event(
    stream: str, event_type: str, *, now: datetime, actor: Any = None, **data: object
) -> AuditEvent:
    """Append an event of the portal itself, which only the audit log shows. `data` must be JSON."""
    return _append_event(stream, event_type=event_type, actor=actor, data=data, at=now)


def _append_event(stream: str, *, event_type: str, actor: Any, internal: bool = False, **fields: object) -> AuditEvent:
    """Append an event to a stream, linked to the last event. Raises KeyError if the catalog lacks its type."""
    # A caller can hide an event of a visible type, but never show one of an internal type.
    internal = EVENT_TYPES[event_type].is_internal or internal
    # The caller's lock makes this safe: another event with the same number would violate the unique constraint.
    last = AuditEvent.objects.filter(stream=stream).order_by("-seq").values_list("seq", "hash").first()
    last_seq, last_hash = last or (0, "")
    event = AuditEvent(
        stream=stream,
        seq=last_seq + 1,
        before=last_hash,
        event_type=event_type,
        internal=internal,
        actor_id=actor.pk if actor else None,
        # The name at this time, which later changes of the account don't touch.
        actor=str(actor) if actor else "",
        **fields,
    )
    event.save()
    return event
