"""What changed since a person last looked? Events in plain words, what belongs together in one line."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration, Look
from portal.audit.event_types import actor_of, words_of
from portal.audit.models import Event

# What the program does among itself is no news about the integration.
NO_NEWS = ("claimed", "put_back", "assigned")
OFTEN = gettext_noop("{said}, {count} times")
TOGETHER = {
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
class Change:
    """One line of news: who did what, the last time it happened, and the single things in words, oldest first."""

    who: str
    what: str
    at: datetime
    tone: str
    icon: str
    internal: bool
    items: tuple[str, ...]


def last_look(integration: Integration, user: Any) -> Look | None:
    """Up to where this person has seen it; None for somebody who never looked."""
    return Look.objects.filter(integration=integration, user=user).first()


def changes_since(integration: Integration, look: Look, *, with_notes: bool) -> list[Change]:
    """What others did after that look, newest first. `with_notes`: also what partners never see."""
    events = integration.events.filter(seq__gt=look.seq).exclude(actor_id=look.user_id).exclude(verb__in=NO_NEWS)
    return grouped(events if with_notes else events.filter(internal=False))


def grouped(events: Iterable[Event]) -> list[Change]:
    """One change for each actor and verb, newest first."""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        groups.setdefault((event.actor, event.verb), []).append(event)
    changes = [_change(group) for group in groups.values()]
    return sorted(changes, key=lambda change: change.at, reverse=True)


def _change(events: list[Event]) -> Change:
    last = events[-1]
    said, tone, icon = words_of(last)
    if len(events) > 1:
        said = _(TOGETHER.get(last.verb, OFTEN)).format(count=len(events), said=said)
    items = tuple(dict.fromkeys(text for event in events if (text := _single(event, alone=len(events) == 1))))
    return Change(actor_of(last), said, last.at, tone, icon, last.internal, items)


def _single(event: Event, *, alone: bool) -> str:
    """What one event of a group adds to its line: old and new values, a title, or what was written."""
    changes = event.data.get("changes")
    if isinstance(changes, dict):
        none = _("nothing")
        return "; ".join(f"{name}: {old or none} → {new or none}" for name, (old, new) in changes.items())
    if alone:
        return event.note
    title = event.data.get("title") or (
        _("Finding %(finding)s") % {"finding": event.data["finding"]} if "finding" in event.data else ""
    )
    was, outcome = event.data.get("was"), event.data.get("outcome")
    moved = f"{was} → {outcome}".replace("_", " ") if was and outcome else ""
    return ": ".join(part for part in (str(title), moved or event.note) if part)
