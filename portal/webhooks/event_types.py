"""Groups of webhook event types, and sample values of the payload fields.

Version 1 of the payload has `type`, `timestamp`, and `data`. New fields can be added. Changed or removed fields require
a new version, which each endpoint selects. Payloads never contain messages between people.
"""

from collections.abc import Iterator
from types import MappingProxyType

from django.utils.translation import gettext_noop as _

from portal.audit.catalog import WEBHOOKS
from portal.audit.event_types import Webhook

PAYLOAD_VERSION = 1
TEST_EVENT_TYPE = "portal.test"
GROUP_TITLES = MappingProxyType(
    {
        "integration": _("Integration"),
        "review": _("Review"),
        "finding": _("Findings"),
        "check": _("Checks"),
        "requirement": _("Requirements"),
        "tier": _("Tiers"),
        "message": _("Messages"),
        "agreement": _("Agreements"),
        "meeting": _("Meetings"),
        "credential": _("Test accounts"),
        "issue": _("Support issues"),
        "label_policy": _("Label policy"),
        "introduction": _("Introductions"),
        "compliance": _("Compliance"),
        "program": _("Program"),
    }
)
# sample values of the additional fields, for the documentation
SAMPLE_VALUES: MappingProxyType[str, object] = MappingProxyType(
    {
        "from": {"stage": "review", "step": "verify"},
        "to": {"stage": "release", "step": "release"},
        "was": "2021-04",
        "round": 2,
        "finding": 3,
        "requirement": "TP-4.2",
        "title": "Release signature",
        "tier": "premier",
        "until": "2026-10-01T00:00:00+00:00",
        "starts_at": "2026-04-20T14:00:00+00:00",
        "count": 1,
        "issues": [
            {
                "issue": "4f0c…",
                "name": "acme/rocket#412",
                "url": "https://github.com/acme/rocket/issues/412",
                "target_type": "respond",
                "severity": "critical",
                "due": "2026-04-16T09:00:00+00:00",
            }
        ],
        "listing_status": {"was": "listed", "is": "on_notice"},
        "compliance_deadline": "2026-05-14T09:00:00+00:00",
        "due": "2026-04-21T15:00:00+00:00",
        "issue": "4f0c…",
        "name": "acme/rocket#412",
        "commit": "9f3c1e0a77b2",
        "check": "repository.owner",
        "thing": "new owner",
        "reason": "2 SLA breaches within 90 days",
    }
)
ISSUE_KEYS = ("issue", "name", "url", "target_type", "severity", "due")


def iterate_webhook_groups(*, is_program_staff: bool) -> Iterator[tuple[str, dict[str, Webhook]]]:
    """Yield the title of each group and its event types that an endpoint can receive."""
    for group, title in GROUP_TITLES.items():
        webhooks = {
            key: webhook
            for key, webhook in WEBHOOKS.items()
            if key.startswith(f"{group}.") and (is_program_staff or not webhook.is_program_only)
        }
        if webhooks:
            yield title, webhooks
