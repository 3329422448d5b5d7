"""How is an endpoint doing, and what does its log show? Rows for pages; nothing is written."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from portal.webhooks.event_kinds import EVENT_TYPES_BY_NAME, TEST_EVENT_TYPE
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from portal.webhooks.permissions import list_visible_endpoints

DeliveryState = WebhookDelivery.State
# what the log's tabs show: word, and the messages
STATE_TABS: dict[str, tuple[str, Q]] = {
    "": (gettext_noop("All"), Q()),
    "delivered": (gettext_noop("Delivered"), Q(state=DeliveryState.DELIVERED)),
    "waiting": (gettext_noop("To be sent"), Q(state=DeliveryState.WAITING)),
    "failed": (gettext_noop("Failed"), Q(state=DeliveryState.FAILED) | Q(state=DeliveryState.WAITING, tries__gt=0)),
}
RECENT_PERIOD = timedelta(days=7)
Tab = tuple[str, str, bool]


def build_tabs(state: str, kind: str) -> list[Tab]:
    """The states as tabs: word, address, whether it is the one that is shown. The chosen kind goes along."""
    kind_params = {"kind": kind} if kind else {}
    return [
        (_(label), f"?{urlencode({'state': key, **kind_params})}#log", key == state)
        for key, (label, _query) in STATE_TABS.items()
    ]


def list_kinds(endpoint: WebhookEndpoint) -> list[str]:
    """What the log can be narrowed to: what the endpoint hears of, and whatever else its log holds."""
    logged_kinds = set(endpoint.messages.order_by().values_list("kind", flat=True).distinct())
    available_kinds = {*endpoint.kinds, *logged_kinds}
    return [kind for kind in (*EVENT_TYPES_BY_NAME, TEST_EVENT_TYPE) if kind in available_kinds]


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """How an endpoint is: a word with its tone and icon, and one sentence."""

    word: str
    tone: str
    icon: str
    sentence: str


def get_health(endpoint: WebhookEndpoint, now: datetime) -> EndpointHealth:
    if endpoint.pause:
        reason = WebhookEndpoint.Pause(endpoint.pause).label
        return EndpointHealth(
            _("Paused"), "warn", "pause", _("%(why)s. Nothing is sent until it is resumed.") % {"why": reason}
        )
    if endpoint.failing_since:
        return EndpointHealth(
            _("Failing"), "bad", "circle-x", _("The last attempt failed; it is tried again by itself.")
        )
    if endpoint.delivered_at is None:
        return EndpointHealth(_("New"), "neutral", "circle-dashed", _("Nothing has been sent yet."))
    return EndpointHealth(_("Works"), "good", "circle-check", _("The last message arrived."))


def list_managed_endpoints(user: Any, now: datetime) -> list[tuple[WebhookEndpoint, EndpointHealth]]:
    """The endpoints that a person manages, with what waits and failed in the last week."""
    recent_failures = Q(messages__state=DeliveryState.FAILED, messages__created_at__gte=now - RECENT_PERIOD)
    rows = list_visible_endpoints(user).annotate(
        waiting=Count("messages", filter=Q(messages__state=DeliveryState.WAITING)),
        failed=Count("messages", filter=recent_failures),
    )
    return [(row, get_health(row, now)) for row in rows.order_by("partner__name", "name", "pk")]


def list_deliveries(endpoint: WebhookEndpoint, state: str, kind: str) -> QuerySet[WebhookDelivery]:
    """The messages that the filters leave, newest first. What is no filter filters nothing."""
    _, state_condition = STATE_TABS.get(state, STATE_TABS[""])
    rows = endpoint.messages.filter(state_condition).defer("body")
    return rows.filter(kind=kind) if kind in EVENT_TYPES_BY_NAME or kind == TEST_EVENT_TYPE else rows
