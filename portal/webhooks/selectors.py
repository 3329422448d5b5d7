"""How is an endpoint doing, and what does its log show? Rows for pages; nothing is written."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from portal.webhooks.event_kinds import BY_NAME, TEST
from portal.webhooks.models import Endpoint, EndpointMessage
from portal.webhooks.permissions import visible_to

State = EndpointMessage.State
# what the log's tabs show: word, and the messages
STATES: dict[str, tuple[str, Q]] = {
    "": (gettext_noop("All"), Q()),
    "delivered": (gettext_noop("Delivered"), Q(state=State.DELIVERED)),
    "waiting": (gettext_noop("To be sent"), Q(state=State.WAITING)),
    "failed": (gettext_noop("Failed"), Q(state=State.FAILED) | Q(state=State.WAITING, tries__gt=0)),
}
SOON = timedelta(days=7)
Tab = tuple[str, str, bool]


def tabs_of(state: str, kind: str) -> list[Tab]:
    """The states as tabs: word, address, whether it is the one that is shown. The chosen kind goes along."""
    of = {"kind": kind} if kind else {}
    return [
        (_(word), f"?{urlencode({'state': key, **of})}#log", key == state) for key, (word, _query) in STATES.items()
    ]


def kinds_in(endpoint: Endpoint) -> list[str]:
    """What the log can be narrowed to: what the endpoint hears of, and whatever else its log holds."""
    held = set(endpoint.messages.order_by().values_list("kind", flat=True).distinct())
    known = {*endpoint.kinds, *held}
    return [kind for kind in (*BY_NAME, TEST) if kind in known]


@dataclass(frozen=True, slots=True)
class Health:
    """How an endpoint is: a word with its tone and icon, and one sentence."""

    word: str
    tone: str
    icon: str
    sentence: str


def health(endpoint: Endpoint, now: datetime) -> Health:
    if endpoint.pause:
        why = Endpoint.Pause(endpoint.pause).label
        return Health(_("Paused"), "warn", "pause", _("%(why)s. Nothing is sent until it is resumed.") % {"why": why})
    if endpoint.failing_since:
        return Health(_("Failing"), "bad", "circle-x", _("The last attempt failed; it is tried again by itself."))
    if endpoint.delivered_at is None:
        return Health(_("New"), "neutral", "circle-dashed", _("Nothing has been sent yet."))
    return Health(_("Works"), "good", "circle-check", _("The last message arrived."))


def endpoints_of(user: Any, now: datetime) -> list[tuple[Endpoint, Health]]:
    """The endpoints that a person manages, with what waits and failed in the last week."""
    late = Q(messages__state=State.FAILED, messages__made_at__gte=now - SOON)
    rows = visible_to(user).annotate(
        waiting=Count("messages", filter=Q(messages__state=State.WAITING)), failed=Count("messages", filter=late)
    )
    return [(row, health(row, now)) for row in rows.order_by("partner__name", "name", "pk")]


def log_of(endpoint: Endpoint, state: str, kind: str) -> QuerySet[EndpointMessage]:
    """The messages that the filters leave, newest first. What is no filter filters nothing."""
    _, wanted = STATES.get(state, STATES[""])
    rows = endpoint.messages.filter(wanted).defer("body")
    return rows.filter(kind=kind) if kind in BY_NAME or kind == TEST else rows
