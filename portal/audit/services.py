"""Services that append audit events and call their listeners.

This module is the only writer of events. Listeners run in the same transaction as the change and only write rows
(notifications, jobs), so all of it is committed or none of it. Other side effects wait for the commit.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from integrations.partners.models.partners import Partner
from integrations.submissions.models.integration import Integration
from portal.audit.catalog import EVENT_TYPES
from portal.audit.models import AuditEvent

Listener = Callable[[AuditEvent], None]
LISTENERS: list[Listener] = []
ResponsibilityListener = Callable[[Integration, AuditEvent], None]
RESPONSIBILITY_LISTENERS: list[ResponsibilityListener] = []
RESPONSIBILITY_EVENT_TYPE = "responsibility.changed"


def subscribe(listener: Listener) -> Listener:
    """Call the listener once for each new event."""
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
    """Append an event to the stream of `audited_object` and call the listeners.

    The caller holds the lock of the object. Automatic events have no `actor`. `data` must be JSON. `internal` hides an
    event of a type that the partner usually sees.
    """
    integration = audited_object if isinstance(audited_object, Integration) else None
    partner = audited_object.partner if isinstance(audited_object, Integration) else audited_object
    stream = f"{'integration' if integration else 'partner'}:{audited_object.pk}"
    event = _append_event(
        stream,
        integration=integration,
        partner=partner,
        event_type=event_type,
        actor_id=actor.pk if actor else None,
        actor=str(actor) if actor else "",
        note=note,
        internal=internal,
        data=data,
        at=now,
    )
    for listener in LISTENERS:
        listener(event)
    return event


def record_account_event(
    user: Any, event_type: str, *, actor: Any, now: datetime, note: str = "", **data: Any
) -> AuditEvent:
    """Append an event to the stream of a user account, which the caller has locked. Listeners are not called."""
    return _append_event(
        f"account:{user.pk}",
        event_type=event_type,
        actor_id=actor.pk if actor else None,
        actor=str(actor) if actor else "",
        note=note,
        data=data,
        at=now,
    )


def record_system_event(stream: str, event_type: str, *, now: datetime, **data: object) -> AuditEvent:
    """Append an event of the portal itself, which no page shows. `data` must be JSON."""
    return _append_event(stream, event_type=event_type, data=data, at=now)


def get_turn_stream(pk: int) -> str:
    """Return the stream of responsibility changes, which is separate from the visible history."""
    return f"turn:{pk}"


def subscribe_to_responsibility_changes(listener: ResponsibilityListener) -> ResponsibilityListener:
    """Call the listener once for each new change of the responsible party or stage."""
    if listener not in RESPONSIBILITY_LISTENERS:
        RESPONSIBILITY_LISTENERS.append(listener)
    return listener


def record_responsibility_change(
    integration: Integration, responsible_party: str, *, now: datetime, is_undo: bool = False
) -> AuditEvent:
    """Record the responsible party of a locked integration. `is_undo` marks the reversal of a decision."""
    data: dict[str, object] = {
        "stage": str(integration.stage),
        "holder": responsible_party,
        "round": integration.review_round,
    }
    if is_undo:
        data["back"] = True
    event = _append_event(get_turn_stream(integration.pk), event_type=RESPONSIBILITY_EVENT_TYPE, data=data, at=now)
    for listener in RESPONSIBILITY_LISTENERS:
        listener(integration, event)
    return event


def _append_event(stream: str, *, event_type: str, internal: bool = False, **fields: object) -> AuditEvent:
    """Append an event to a stream, linked to the last event. Raises KeyError if the catalog lacks its type."""
    internal = EVENT_TYPES[event_type].is_internal or internal
    last = AuditEvent.objects.filter(stream=stream).order_by("-seq").first()
    event = AuditEvent(
        stream=stream,
        seq=last.seq + 1 if last else 1,
        before=last.hash if last else "",
        event_type=event_type,
        internal=internal,
        **fields,
    )
    event.save()
    return event
