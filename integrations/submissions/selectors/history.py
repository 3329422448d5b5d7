"""Latest events of an integration, and its important dates."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import Stage, Status
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.accounts.requests import AnyUser
from portal.audit.event_types import EVENT_TYPES_BY_TRANSITION
from portal.audit.models import AuditEvent, AuditEventQuerySet
from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.core.value_types import JsonObject

DECISIONS = tuple(EVENT_TYPES_BY_TRANSITION[name].key for name in ("approve", "decline", "request_changes"))
REVIEW_REQUESTS = ("review.requested", "review.requested_again")
MENTION = "message.mentioned"  # the text that mentions someone is an event of its own
UNDOABLE_DECISIONS = tuple(
    EVENT_TYPES_BY_TRANSITION[name].key for name, options in TRANSITION_OPTIONS.items() if options.is_decision
)
UNDONE = EVENT_TYPES_BY_TRANSITION["undo_decision"].key
MAX_RECENT_EVENTS = 12


def list_visible_events(integration: Integration, user: AnyUser) -> AuditEventQuerySet:
    """Return the events that the user can see. Only program staff see internal ones."""
    events = AuditEvent.objects.filter(integration=integration)
    return events if permissions.can_view_notes(integration, user) else events.visible_to_partner()


def _select_events(integration: Integration | Parameter) -> QuerySet[AuditEvent]:
    """Return the events that the partner can see, newest first. Errors of checks are in the banner about the outage."""
    is_check_error = Q(event_type="requirement.checked", data__outcome=str(Status.ERROR))
    visible = AuditEvent.objects.filter(integration=integration).visible_to_partner()
    return visible.exclude(is_check_error | Q(event_type=MENTION)).order_by("-seq")


RECENT_EVENTS = CompiledQuery(lambda: _select_events(Parameter("integration", BigIntegerField()))[:MAX_RECENT_EVENTS])


def list_recent_events(integration: Integration) -> tuple[list[AuditEvent], AuditEvent | None]:
    """Return the latest events that the partner can see, newest first, and the last decision of a review.

    An undone decision doesn't count.
    """
    events = RECENT_EVENTS.fetch(integration=integration.pk)
    decision = _find_review_decision(events)
    # The decision is usually among the latest events. Only if they are cut off can an older one exist.
    if decision is None and len(events) == MAX_RECENT_EVENTS and integration.review_round:
        decision = _find_review_decision(
            _select_events(integration).filter(event_type__in=(*UNDOABLE_DECISIONS, UNDONE))
        )
    return events, decision


def _find_review_decision(events: Iterable[AuditEvent]) -> AuditEvent | None:
    """Return the last decision of a review that was not undone, among events from the newest to the oldest."""
    is_undone = False
    for event in events:
        # Each transition makes the decision before it final, so an undo reverses the decision that precedes it.
        if event.event_type == UNDONE:
            is_undone = True
        elif event.event_type in UNDOABLE_DECISIONS:
            if event.event_type in DECISIONS and not is_undone:
                return event
            is_undone = False
    return None


def annotate_requested_at(events: QuerySet[AuditEvent]) -> QuerySet[Any]:
    """Annotate events with `requested_at`, the time of the last request of a review before each, or None."""
    requests = AuditEvent.objects.filter(
        stream=OuterRef("stream"), seq__lt=OuterRef("seq"), event_type__in=REVIEW_REQUESTS
    )
    return events.annotate(requested_at=Subquery(requests.order_by("-seq").values("at")[:1]))


def list_dates(integration: Integration, decision: AuditEvent | None) -> list[tuple[str, datetime, str]]:
    """Return the known dates of an integration in the order of its path, each with its label and what happened."""
    round_label = _("Round %(round)s") % {"round": integration.review_round}
    released_label = _("Released, in support since") if integration.stage == Stage.SUPPORT else _("Released")
    dates: Sequence[tuple[str, datetime | None, str]] = (
        (_("Created"), integration.created_at, ""),
        (_("Review requested"), integration.review_requested_at, round_label),
        (_("Decided"), decision.at if decision else None, decision.summary if decision else ""),
        (released_label, integration.released_at, ""),
        (_("Ended"), integration.ended_at, ""),
        (_("Next due"), integration.action_due_at, integration.next_action_label),
    )
    return [(label, at, detail) for label, at, detail in dates if at is not None]


def get_left_repository(event: AuditEvent) -> JsonObject | None:
    """Return the data of the end of issue monitoring that a change of the repository caused, None if it caused none."""
    return _list_consequences(event, "monitoring.repository_left").first()


def list_waiver_consequences(event: AuditEvent, event_type: str) -> list[str]:
    """Return the titles of the requirements whose waivers or requests a change of the repository ended."""
    return [data["title"] for data in _list_consequences(event, event_type).order_by("seq")]


def _list_consequences(event: AuditEvent, event_type: str) -> QuerySet[AuditEvent, JsonObject]:
    """Return the data of the events of a type that a change of the repository caused."""
    events = AuditEvent.objects.filter(stream=event.stream, seq__gt=event.seq, at=event.at, event_type=event_type)
    is_change = event.event_type == "integration.repository_changed"
    return (events if is_change else events.none()).values_list("data", flat=True)
