"""Notification of people whom a message, finding, response, or note mentions."""

from integrations.submissions.selectors.people import find_mentions
from integrations.submissions.services.changes import IntegrationChange
from portal.audit.event_types import EVENT_TYPES
from portal.audit.models import AuditEvent
from portal.core.value_types import NamedValues


def record_with_mentions(
    change: IntegrationChange,
    event_type: str,
    text: str,
    *,
    internal: bool = False,
    **data: object,
) -> AuditEvent:
    """Record an event with its text, then one for the people whom the text mentions.

    The second event notifies them. The first one names them in `mentioned`, so that it notifies only the others.
    """
    # A mention in a note must not tell the partner that the note exists.
    is_internal = internal or EVENT_TYPES[event_type].is_internal
    mentions = find_mentions(change.integration, text, author=change.actor, internal=is_internal)
    people = [user.pk for user in mentions.people]
    named: NamedValues = {"mentioned": people} if people else {}
    event = change.record(event_type, text, internal=internal, **data, **named)
    if people:
        names = ", ".join(map(str, mentions.people))
        change.record(
            "message.mentioned", "", internal=is_internal, people=people, names=names, source=event.seq, **data
        )
    return event
