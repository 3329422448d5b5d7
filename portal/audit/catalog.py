"""Catalog of event types: the one list from which history, webhooks, emails, and preferences are derived."""

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pydantic import TypeAdapter

from portal.audit.event_types import EventType
from portal.core.content_files import Content, load_content

CONTENT = Path(__file__).with_name("content")


@dataclass(frozen=True, slots=True)
class EventTypeList(Content):
    """The content of a file of event types. `translatable` names the keys whose values are messages."""

    translatable: tuple[str, ...]
    events: tuple[EventType, ...]


def _load_catalog() -> tuple[EventType, ...]:
    adapter = TypeAdapter(EventTypeList)
    names = ("integration_events", "support_events", "account_events")
    return tuple(event for name in names for event in load_content(CONTENT / f"{name}.yaml", adapter).events)


CATALOG = _load_catalog()
EVENT_TYPES = MappingProxyType({event_type.key: event_type for event_type in CATALOG})
EVENT_TYPES_BY_TRANSITION = MappingProxyType({each.transition: each for each in CATALOG if each.transition})
WEBHOOKS = MappingProxyType({each.key: each.webhook for each in CATALOG if each.webhook})
EMAILS = MappingProxyType({each.key: each.email for each in CATALOG if each.email})
# What happened, by the type of each event that can be an email
DESCRIPTIONS = MappingProxyType(
    {key: email.description or WEBHOOKS[key].description for key, email in EMAILS.items() if email.category}
)
