"""Queries for the webhook pages: endpoints with their health, and the delivery log."""

from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _, gettext_noop

from portal.accounts.requests import AnyUser
from portal.webhooks.event_types import TEST_EVENT_TYPE, list_available_event_types
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from portal.webhooks.permissions import list_visible_endpoints

DeliveryState = WebhookDelivery.State
# Includes deliveries that are still retried.
HAS_FAILED = Q(state=DeliveryState.FAILED) | Q(state=DeliveryState.PENDING, failure_count__gt=0)
# Label and condition of each tab of the log.
STATE_TABS: dict[str, tuple[str, Q]] = {
    "": (gettext_noop("All"), Q()),
    "delivered": (gettext_noop("Delivered"), Q(state=DeliveryState.DELIVERED)),
    "pending": (gettext_noop("Pending"), Q(state=DeliveryState.PENDING)),
    "failed": (gettext_noop("Failed"), HAS_FAILED),
    "skipped": (gettext_noop("Skipped"), Q(state=DeliveryState.SKIPPED)),
}
RECENT_PERIOD = timedelta(days=7)


def build_tabs(state: str, event_type: str) -> list[tuple[str, str, bool]]:
    """Return the tabs as label, URL, and whether the tab is current. They keep the event filter."""
    event_type_params = {"event_type": event_type} if event_type else {}
    return [
        (_(label), f"?{urlencode({'state': key, **event_type_params})}#log", key == state)
        for key, (label, _query) in STATE_TABS.items()
    ]


def list_possible_event_types(endpoint: WebhookEndpoint) -> list[str]:
    """Return the event types that the log of an endpoint can contain."""
    return [*list_available_event_types(includes_internal=endpoint.partner_id is None), TEST_EVENT_TYPE]


def list_event_type_options(endpoint: WebhookEndpoint) -> list[str]:
    """Return the options of the event filter: the event types of the endpoint and of its log."""
    # The log can contain events from which the endpoint has unsubscribed.
    logged_event_types = set(endpoint.deliveries.order_by().values_list("event_type", flat=True).distinct())
    available_event_types = {*endpoint.event_types, *logged_event_types}
    return [event_type for event_type in list_possible_event_types(endpoint) if event_type in available_event_types]


def list_managed_endpoints(user: AnyUser | None, now: datetime) -> QuerySet[WebhookEndpoint]:
    """Return the endpoints that the user can manage, with counts of pending and recently failed deliveries."""
    recent_failures = Q(deliveries__state=DeliveryState.FAILED, deliveries__created_at__gte=now - RECENT_PERIOD)
    rows = list_visible_endpoints(user).annotate(
        pending=Count("deliveries", filter=Q(deliveries__state=DeliveryState.PENDING)),
        failed=Count("deliveries", filter=recent_failures),
    )
    return rows.order_by("partner__name", "name", "pk")


def list_deliveries(endpoint: WebhookEndpoint, state: str, event_type: str) -> QuerySet[WebhookDelivery]:
    """Return the deliveries that match the filters, newest first. Unknown filter values are ignored."""
    _, state_condition = STATE_TABS.get(state, STATE_TABS[""])
    rows = endpoint.deliveries.filter(state_condition).defer("body")
    return rows.filter(event_type=event_type) if event_type in list_possible_event_types(endpoint) else rows
