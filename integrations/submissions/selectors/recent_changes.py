"""Changes since a reader's last visit, grouped by actor and event type."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import BigIntegerField, Q, QuerySet
from django.utils.translation import gettext as _, gettext_lazy, gettext_noop

from integrations.programs.schema import Edition
from integrations.submissions.forms.drafts import IntegrationForm
from integrations.submissions.models import DESCRIPTION_FIELDS, Integration, ReadMarker
from portal.audit.models import AuditEvent
from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.ui.components.inline import OUTCOMES

# Internal events of the program don't change the integration, and mentions are in other events.
EXCLUDED_EVENT_TYPES = (
    "review.claimed",
    "review.claim_released",
    "review.assigned",
    "review.snooze_ended",
    "review.snoozed",
    "message.mentioned",
)
MESSAGE_EVENT_TYPES = frozenset(
    {"message.sent_to_partner", "message.reminder_sent", "message.sent_to_program", "message.note_added"}
)
FINDING_PREFIX = "finding."
MAX_SEQ = BigIntegerField.MAX_BIGINT  # follows all events
# Others, such as the number of the repository's owner, say nothing to people.
FIELD_LABELS = {name: IntegrationForm.base_fields[name].label for name in DESCRIPTION_FIELDS} | {
    "repository": gettext_lazy("Repository")
}
REPEATED_TEMPLATE = gettext_noop("{summary} ({count} times)")


@dataclass(frozen=True, slots=True)
class RecentChange:
    """Line of changes: the latest event, what happened, and the single items, oldest first."""

    event: AuditEvent
    what: str
    items: tuple[str, ...]


def _select_review_events() -> QuerySet[AuditEvent]:
    is_message = Q(event_type__in=MESSAGE_EVENT_TYPES)
    # Messages and threads of findings are shown in full, so one query reads them with the changes.
    is_shared_finding = Q(event_type__startswith=FINDING_PREFIX, internal=False)
    is_new = Q(seq__gt=Parameter("seen_seq", BigIntegerField()))
    events = AuditEvent.objects.filter(is_message | is_shared_finding | is_new)
    return events.filter(integration=Parameter("integration", BigIntegerField())).order_by("seq")


REVIEW_EVENTS = CompiledQuery(_select_review_events)


def load_review_events(
    integration: Integration, read_marker: ReadMarker | None
) -> tuple[list[RecentChange], list[AuditEvent]]:
    """Return what others did since the marker, newest first, and the messages and notes, oldest first.

    The same query loads `Integration.finding_events`.
    """
    # On the first visit, everything would be new, so nothing is listed as a change.
    seen_seq = MAX_SEQ if read_marker is None else read_marker.seq
    events = REVIEW_EVENTS.fetch(integration=integration.pk, seen_seq=seen_seq)
    integration.finding_events = [
        event for event in events if event.event_type.startswith(FINDING_PREFIX) and not event.internal
    ]
    messages = [event for event in events if event.event_type in MESSAGE_EVENT_TYPES]
    changes = [event for event in events if read_marker is not None and _is_change(event, read_marker)]
    return group_events(changes, integration.edition), messages


def _is_change(event: AuditEvent, read_marker: ReadMarker) -> bool:
    """Return whether the event is after the marker, by someone else, and not only organizational."""
    is_new = event.seq > read_marker.seq and event.actor_id != read_marker.user_id
    return is_new and event.event_type not in EXCLUDED_EVENT_TYPES


def group_events(events: Iterable[AuditEvent], edition: Edition) -> list[RecentChange]:
    """Return one change per actor and event type, newest first."""
    groups: dict[tuple[str, str], list[AuditEvent]] = {}
    for event in events:
        groups.setdefault((event.actor, event.event_type), []).append(event)
    changes = [_build_change(group, edition) for group in groups.values()]
    return sorted(changes, key=lambda change: change.event.at, reverse=True)


def _build_change(events: list[AuditEvent], edition: Edition) -> RecentChange:
    last = events[-1]
    summary = last.action
    if len(events) > 1:
        summary = _(last.type.plural_action or REPEATED_TEMPLATE).format(count=len(events), summary=summary)
    texts = [_describe_event(event, edition, is_alone=len(events) == 1) for event in events]
    return RecentChange(last, summary, tuple(dict.fromkeys(filter(None, texts))))


def _describe_event(event: AuditEvent, edition: Edition, *, is_alone: bool) -> str:
    """Return what one event adds to its line: old and new values, a title, or a note."""
    changes = event.data.get("changes")
    if isinstance(changes, dict):
        return _describe_fields(changes, edition)
    if is_alone:
        return event.note
    title = event.data.get("title") or (
        _("Finding %(finding)s") % {"finding": event.data["finding"]} if "finding" in event.data else ""
    )
    return ": ".join(part for part in (str(title), _describe_outcomes(event) or event.note) if part)


def _describe_fields(changes: Mapping[str, tuple[object, object]], edition: Edition) -> str:
    """Return the old and new value of each changed field of an integration, in the order of the form."""
    # PostgreSQL doesn't store the order of the keys of JSON.
    return "; ".join(
        f"{label}: {' → '.join(_format_value(name, value, edition) for value in changes[name])}"
        for name, label in FIELD_LABELS.items()
        if name in changes
    )


def _format_value(name: str, value: object, edition: Edition) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    category = edition.get_category(text) if name == "category" else None
    if category is not None:
        return category.name
    return text or _("none")


def _describe_outcomes(event: AuditEvent) -> str:
    """Return the old and new status of a checked requirement, blank for other events."""
    if "old_outcome" not in event.data or "outcome" not in event.data:
        return ""
    return " → ".join(_(OUTCOMES[event.data[name]][2]) for name in ("old_outcome", "outcome"))
