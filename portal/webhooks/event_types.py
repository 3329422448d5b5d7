"""Groups of webhook event types, and sample values of the payload fields.

Version 1 of the payload has `type`, `timestamp`, and `data`. New fields can be added. Changed or removed fields require
a new version, which each endpoint selects. Payloads never contain messages between people.
"""

from collections.abc import Iterator

from portal.audit.event_types import WEBHOOKS, Webhook
from portal.core.content_files import Content, load_content

PAYLOAD_VERSION = 1
TEST_EVENT_TYPE = "portal.test"


class WebhookGroup(Content):
    """Event types whose keys start with the same word."""

    key: str
    title: str


class WebhookDocumentation(Content):
    """Content of webhooks.yaml."""

    groups: tuple[WebhookGroup, ...]
    samples: dict[str, object]
    subject: dict[str, dict[str, str]]


DOCUMENTATION = load_content("portal/webhooks/content/webhooks.yaml", WebhookDocumentation)
ISSUE_KEYS = ("issue", "name", "url", "target_type", "severity", "due")


def list_available_event_types(*, includes_internal: bool) -> list[str]:
    """Return the event types, with those that only the program receives if requested."""
    # A partner must not learn which internal events exist.
    return [key for key, webhook in WEBHOOKS.items() if includes_internal or not webhook.is_program_only]


def iterate_webhook_groups(*, includes_internal: bool) -> Iterator[tuple[str, dict[str, Webhook]]]:
    """Yield the title of each group and its available event types."""
    available = list_available_event_types(includes_internal=includes_internal)
    for group in DOCUMENTATION.groups:
        webhooks = {key: WEBHOOKS[key] for key in available if key.startswith(f"{group.key}.")}
        if webhooks:
            yield group.title, webhooks
