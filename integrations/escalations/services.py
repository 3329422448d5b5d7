"""Escalation to the next recipient when the program does not respond; the program's mailbox is the last.

An escalation starts with reported breaches, or with an action of the program that is running out of time. The first
recipient is notified immediately, for an action also at 50%, 75%, and 90% of its time, during working hours; the
Alliances manager a day later, the mailbox another day later. An escalation ends when a program member acts on the
integration, when the issues are resolved, or when no recipient is left.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from integrations.escalations import tasks
from integrations.escalations.models import Escalation
from integrations.escalations.selectors import is_answered
from integrations.partners import permissions
from integrations.partners.notices import get_address, localize_calendar
from integrations.submissions import notices
from integrations.submissions.models import Integration
from integrations.submissions.notices import list_program_contacts, list_remaining_contacts
from integrations.submissions.services.transitions import lock_integration
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.audit import services
from portal.audit.models import AuditEvent
from portal.core.value_types import JsonObject
from portal.core.working_hours import get_next_working_time
from portal.jobs.batches import process_each
from portal.notifications.models import EmailMessage

WARNING_PERCENTS = (50, 75, 90)  # of the program's time, as for issues
# The database can't count business days, so it selects candidates by this period.
MAX_WARNING_PERIOD = timedelta(days=30)
UNSENT_STATES = (EmailMessage.State.CANCELED, EmailMessage.State.SUPPRESSED)
EVENT_TYPE_BY_KIND = {
    Escalation.Kind.ACTION: "program.action_overdue",
    Escalation.Kind.BREACHES: "program.breach_escalated",
}


def start_escalation(event: AuditEvent) -> None:
    """Start an escalation after breaches were reported to its first recipient."""
    integration = event.integration
    assert integration is not None
    first = get_address(list_program_contacts(integration)[0])
    Escalation.objects.get_or_create(
        integration=integration,
        kind=Escalation.Kind.BREACHES,
        due_at=event.at,
        defaults={
            "event": event,
            "notified_addresses": [first],
            "began_at": event.at,
            "next_at": event.at + _get_interval(),
        },
    )


def notify_of_retraction(event: AuditEvent) -> None:
    """Notify of retracted breaches those who received the escalation but no other notice, if they still have access."""
    integration = event.integration
    assert integration is not None
    retracted_keys = _get_breach_keys(event)
    earlier = integration.events.filter(
        event_type__in=("issue.breached", "program.breach_escalated"), seq__lt=event.seq
    )
    notified_addresses = {get_address(each) for each in notices.list_both_teams(integration)}
    context = notices.build_context(event)
    emails = EmailMessage.objects.filter(event__in=[e.pk for e in earlier if retracted_keys & _get_breach_keys(e)])
    # An escalation that was answered while it waited was sent to no one.
    for sent_email in emails.exclude(state__in=UNSENT_STATES).select_related("event", "integration", "person"):
        is_waiting_escalation = sent_email.group_key and sent_email.state == EmailMessage.State.BATCHED
        if is_waiting_escalation and tasks.is_no_longer_needed(sent_email):
            continue
        # People who have left must not read about the integration anymore.
        if sent_email.to not in notified_addresses and _has_access(integration, sent_email.person):
            notified_addresses.add(sent_email.to)
            notices.queue_email(event, sent_email.person or sent_email.to, context)


def _has_access(integration: Integration, person: User | None) -> bool:
    """Return whether an earlier recipient still has access. None is the program's mailbox."""
    return person is None or (person.is_active and permissions.can_view(integration, person))


def _get_breach_keys(event: AuditEvent) -> set[tuple[str, str]]:
    """Return the (issue, due date) pairs of the breaches in an event."""
    return {(issue["issue"], issue["due"]) for issue in event.data.get("issues", ())}


def _get_interval() -> timedelta:
    return timedelta(hours=settings.ESCALATION_INTERVAL_HOURS)


def escalate_due(now: datetime, limit: int = 500) -> int:
    """Warn of the program's overdue actions and advance escalations without a response. Return the number of emails."""
    Escalation.objects.bulk_create(_build_new_escalations(now, limit), ignore_conflicts=True)  # others may run too
    due = Escalation.objects.filter(next_at__lte=now).order_by("next_at").values_list("pk", flat=True)
    return process_each(list(due[:limit]), partial(_advance_or_postpone, now=now), "advance escalation")


def _build_new_escalations(now: datetime, limit: int) -> Iterator[Escalation]:
    """Yield an escalation for each action of the program that has used much of its time and has none yet."""
    existing = Escalation.objects.filter(
        integration=OuterRef("pk"), kind=Escalation.Kind.ACTION, due_at=OuterRef("action_due_at")
    )
    soon = Integration.objects.filter(
        responsible_party=ResponsibleParty.PROGRAM, action_due_at__lte=now + MAX_WARNING_PERIOD
    )
    rows = soon.exclude(Exists(existing)).select_related("partner__alliances_manager", "reviewer")
    for integration in rows.order_by("action_due_at")[:limit]:
        assert integration.action_due_at
        # Overdue actions start at any time, so their recipients aren't read: up to `limit` rows of each run.
        if list_warnings(integration)[0][1] <= now and (
            integration.action_due_at <= now or get_warning_time(integration, now) <= now
        ):
            yield Escalation(
                integration=integration,
                kind=Escalation.Kind.ACTION,
                due_at=integration.action_due_at,
                began_at=now,
                next_at=now,
            )


def list_warnings(integration: Integration) -> list[tuple[int, datetime]]:
    """Return each share of the program's time with the time at which it is used, in business days."""
    assert integration.action_due_at
    scale = integration.edition.business_calendar.days
    begin = scale.get_position(integration.responsible_since or integration.action_due_at)
    end = scale.get_position(integration.action_due_at)
    return [(share, scale.get_moment(begin + (end - begin) * share / 100)) for share in WARNING_PERCENTS]


def get_warning_time(integration: Integration, now: datetime) -> datetime:
    """Return the first recipient's next working time, or now if the action is due before that."""
    recipient = list_program_contacts(integration)[0]
    calendar = localize_calendar(integration.edition.business_calendar, recipient)
    working_time = get_next_working_time(now, calendar)
    return now if integration.action_due_at and working_time >= integration.action_due_at else working_time


def _warn(integration: Integration, escalation: Escalation, now: datetime) -> bool:
    """Send a warning in the recipient's working hours and wait for the next share."""
    escalation.next_at = get_warning_time(integration, now)
    if escalation.next_at > now:
        escalation.save()
        return False
    share = max((share for share, at in list_warnings(integration) if at <= now), default=WARNING_PERCENTS[0])
    escalation.next_at = min((at for _, at in list_warnings(integration) if at > now), default=escalation.due_at)
    escalation.save()
    _notify(
        integration, "program.action_warning_sent", list_program_contacts(integration)[0], escalation, now, share=share
    )
    return True


def _advance_or_postpone(pk: int, now: datetime) -> bool:
    """Advance an escalation. After an error, postpone it, so that it doesn't delay the others."""
    try:
        return _advance(pk, now)
    except Exception:
        Escalation.objects.filter(pk=pk, next_at__lte=now).update(next_at=now + timedelta(minutes=5))
        raise


@transaction.atomic
def _advance(pk: int, now: datetime) -> bool:
    """Warn the first recipient of an escalation, notify the next one, or end it."""
    integration = lock_integration(Escalation.objects.values_list("integration_id", flat=True).get(pk=pk))
    escalation = Escalation.objects.select_for_update(of=("self",)).get(pk=pk)
    if escalation.next_at is None or escalation.next_at > now:
        return False  # another process has advanced it
    remaining = list_remaining_contacts(integration, escalation.notified_addresses)
    # A breach has already happened. Only an action that isn't overdue yet gets a warning.
    is_over = escalation.kind == Escalation.Kind.BREACHES or escalation.due_at <= now
    has_answer = is_answered(escalation, integration)
    if not is_over and not has_answer:
        return _warn(integration, escalation, now)
    if has_answer and integration.undo_until is not None and integration.undo_until > now:
        # An undo restores the action with its due date, for which no other escalation starts.
        escalation.next_at = integration.undo_until
        escalation.save()
        return False
    if has_answer or not remaining:
        escalation.ended_at = now
        escalation.next_at = None
        escalation.save()
        return False
    escalation.notified_addresses = [*escalation.notified_addresses, get_address(remaining[0])]
    # The mailbox is the last contact. Afterwards, no one is left to notify.
    escalation.next_at = now + _get_interval() if len(remaining) > 1 else None
    escalation.ended_at = None if escalation.next_at else now
    escalation.save()
    _notify(integration, EVENT_TYPE_BY_KIND[Escalation.Kind(escalation.kind)], remaining[0], escalation, now)
    return True


def _notify(
    integration: Integration,
    event_type: str,
    recipient: User | str,
    escalation: Escalation,
    now: datetime,
    *,
    share: int = 100,
) -> None:
    """Record an internal event and notify the recipient."""
    issues = escalation.event.data.get("issues", []) if escalation.event else []
    event_data: JsonObject = {
        "recipient": str(recipient),
        "due": escalation.due_at.isoformat(),
        "issues": issues,
        "count": len(issues),
        "share": share,
    }
    event = services.record_event(integration, event_type, actor=None, now=now, **event_data)
    tasks.queue_escalation(event, recipient, now)
