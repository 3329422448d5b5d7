"""What changed since a person last looked? Events in plain words, what belongs together in one line."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration, ReadMarker
from portal.audit.event_types import describe_event, get_actor_name
from portal.audit.models import AuditEvent

# What the program does among itself is no news about the integration.
EXCLUDED_EVENT_TYPES = ("claimed", "put_back", "assigned")
REPEATED_TEMPLATE = gettext_noop("{said}, {count} times")
GROUP_TEMPLATES = {
    "answered": gettext_noop("answered {count} requirements"),
    "checked": gettext_noop("checked {count} requirements again"),
    "finding_fixed": gettext_noop("answered {count} findings"),
    "finding_raised": gettext_noop("wrote {count} findings"),
    "finding_verified": gettext_noop("verified {count} findings"),
    "document_uploaded": gettext_noop("handed in {count} documents"),
    "said_to_partner": gettext_noop("wrote to the company {count} times"),
    "said_to_program": gettext_noop("wrote to the program {count} times"),
    "noted": gettext_noop("kept {count} notes"),
}


@dataclass(frozen=True, slots=True)
class RecentChange:
    """One line of news: who did what, the last time it happened, and the single things in words, oldest first."""

    who: str
    what: str
    at: datetime
    tone: str
    icon: str
    internal: bool
    items: tuple[str, ...]


def get_read_marker(integration: Integration, user: Any) -> ReadMarker | None:
    """Up to where this person has seen it; None for somebody who never looked."""
    return ReadMarker.objects.filter(integration=integration, user=user).first()


def list_changes_since(integration: Integration, read_marker: ReadMarker, *, with_notes: bool) -> list[RecentChange]:
    """What others did after that look, newest first. `with_notes`: also what partners never see."""
    events = (
        integration.events.filter(seq__gt=read_marker.seq)
        .exclude(actor_id=read_marker.user_id)
        .exclude(event_type__in=EXCLUDED_EVENT_TYPES)
    )
    return group_events(events if with_notes else events.filter(internal=False))


def group_events(events: Iterable[AuditEvent]) -> list[RecentChange]:
    """One change for each actor and verb, newest first."""
    groups: dict[tuple[str, str], list[AuditEvent]] = {}
    for event in events:
        groups.setdefault((event.actor, event.event_type), []).append(event)
    changes = [_build_change(group) for group in groups.values()]
    return sorted(changes, key=lambda change: change.at, reverse=True)


def _build_change(events: list[AuditEvent]) -> RecentChange:
    last = events[-1]
    summary, tone, icon = describe_event(last)
    if len(events) > 1:
        summary = _(GROUP_TEMPLATES.get(last.event_type, REPEATED_TEMPLATE)).format(count=len(events), said=summary)
    items = tuple(
        dict.fromkeys(text for event in events if (text := _describe_event(event, is_alone=len(events) == 1)))
    )
    return RecentChange(get_actor_name(last), summary, last.at, tone, icon, last.internal, items)


def _describe_event(event: AuditEvent, *, is_alone: bool) -> str:
    """What one event of a group adds to its line: old and new values, a title, or what was written."""
    changes = event.data.get("changes")
    if isinstance(changes, dict):
        nothing_label = _("nothing")
        return "; ".join(
            f"{name}: {previous or nothing_label} → {current or nothing_label}"
            for name, (previous, current) in changes.items()
        )
    if is_alone:
        return event.note
    title = event.data.get("title") or (
        _("Finding %(finding)s") % {"finding": event.data["finding"]} if "finding" in event.data else ""
    )
    previous_status, outcome = event.data.get("was"), event.data.get("outcome")
    status_change = f"{previous_status} → {outcome}".replace("_", " ") if previous_status and outcome else ""
    return ": ".join(part for part in (str(title), status_change or event.note) if part)
