"""Catalog of event types: the one list from which history, webhooks, emails, and preferences are derived."""

from types import MappingProxyType

from portal.audit.account_events import ACCOUNT_EVENTS
from portal.audit.integration_events import INTEGRATION_EVENTS
from portal.audit.support_events import SUPPORT_EVENTS

CATALOG = (*INTEGRATION_EVENTS, *SUPPORT_EVENTS, *ACCOUNT_EVENTS)
EVENT_TYPES = MappingProxyType({event_type.key: event_type for event_type in CATALOG})
EVENT_TYPES_BY_TRANSITION = MappingProxyType({each.transition: each for each in CATALOG if each.transition})
WEBHOOKS = MappingProxyType({each.key: each.webhook for each in CATALOG if each.webhook})
EMAILS = MappingProxyType({each.key: each.email for each in CATALOG if each.email})
