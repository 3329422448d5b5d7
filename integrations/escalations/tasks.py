"""Emails of escalations: a recipient gets one a day with all of them, unless a critical issue can't wait.

The first of a day is sent after 15 minutes, later ones the next morning. Each escalation has a row of its own, which is
its notification in the portal. One job per recipient sends what waits.
"""

from collections.abc import Iterable
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q, QuerySet

from integrations.sla.engine.types import Severity
from integrations.submissions import notices
from portal.accounts.models import User
from portal.audit.event_types import EMAILS
from portal.audit.models import AuditEvent
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import TemplateContext
from portal.jobs.definitions import JobContext, job
from portal.jobs.services import enqueue
from portal.notifications import email
from portal.notifications.models import EmailMessage
from portal.notifications.preferences import DIGEST_TIME
from portal.notifications.tasks import enqueue_email

State = EmailMessage.State
# Escalations that follow each other within this time share one email.
MAX_WAIT = timedelta(minutes=15)
DIGEST_TEMPLATE = "escalation_digest"
SENT_STATES = (State.QUEUED, State.SENT, State.STORED)


def queue_escalation(event: AuditEvent, recipient: User | str, now: datetime) -> None:
    """Add an escalation to the next email to its recipient, which a critical issue sends immediately."""
    address = notices.get_address(recipient)
    is_critical = any(issue["severity"] == Severity.CRITICAL for issue in event.data["issues"])
    send_after = now if is_critical else _calculate_send_time(recipient, address, now)
    email.queue(
        EMAILS[event.event_type].template,
        f"{event.stream}:{event.seq}:{address}",
        recipient,
        notices.add_reader(notices.build_context(event), for_program=True),
        hold_until=send_after,
        event=event,
        state=State.BATCHED,
        group_key=_build_group_key(address),
        now=now,
    )
    # A pending job of the recipient keeps the earlier of the two times.
    enqueue(send_escalations, address=address, dedup_key=address, run_after=send_after)


def _calculate_send_time(recipient: User | str, address: str, now: datetime) -> datetime:
    """Return the end of the wait, or the next morning if the recipient had an email of escalations today."""
    zone = ZoneInfo(getattr(recipient, "zone", "UTC"))
    today = now.astimezone(zone).date()
    was_sent = Q(name=DIGEST_TEMPLATE) | Q(group_key=_build_group_key(address), state__in=SENT_STATES)
    began_at = datetime.combine(today, time(), zone)
    # An escalation that waited for the morning was created the day before.
    is_of_today = Q(created_at__gte=began_at) | Q(sent_at__gte=began_at) | Q(held_until__gte=began_at)
    if EmailMessage.objects.filter(was_sent, is_of_today, to=address).exists():
        return datetime.combine(today + timedelta(days=1), DIGEST_TIME, zone)
    return now + MAX_WAIT


def _build_group_key(address: str) -> str:
    return f"escalations:{address}"


def _list_waiting(address: str) -> QuerySet[EmailMessage]:
    return EmailMessage.objects.filter(group_key=_build_group_key(address), state=State.BATCHED)


def _give_up(message: str, *, address: str) -> None:
    """Let `delivery_failures` notify the next recipient of what could not be sent."""
    _list_waiting(address).update(state=State.FAILED, last_error=message[:300])


@job("escalations.send_escalations", queue="email", on_failure=_give_up)
@transaction.atomic
def send_escalations(context: JobContext, *, address: str) -> None:
    """Send what waits for a recipient: one escalation as its own email, several as one digest."""
    waiting = _list_waiting(address).select_for_update(of=("self",)).order_by("pk")
    escalations = list(waiting.select_related("event", "integration__partner", "person"))
    if len(escalations) == 1:
        (escalation,) = escalations
        EmailMessage.objects.filter(pk=escalation.pk).update(state=State.QUEUED)
        enqueue_email(escalation, escalation.created_at)
    elif escalations:
        first, last = escalations[0], escalations[-1]
        # The same batch has the same key, so a job that is repeated after a crash sends no second digest.
        key = f"{first.group_key}:{first.pk}-{last.pk}"
        digest = email.queue(DIGEST_TEMPLATE, key, first.person or address, build_digest_context(escalations))
        emails = EmailMessage.objects.filter(pk__in=[each.pk for each in escalations])
        emails.update(state=State.INCLUDED_IN_DIGEST, digest=digest)


def build_digest_context(escalations: Iterable[EmailMessage]) -> TemplateContext:
    """Return when the action or first issue of each was due, its subject, and its page, the earliest first."""
    items, names = [], []
    for escalation in escalations:
        assert escalation.event
        assert escalation.integration
        data, integration = escalation.event.data, escalation.integration
        due_times = [issue["due"] for issue in data["issues"]] or [data["due"]]
        page = build_absolute_url("reviews:review", integration.uuid)
        items.append((min(map(datetime.fromisoformat, due_times)), escalation.subject, page))
        names.append(integration.name)
    return {"items": sorted(items), "names": ", ".join(dict.fromkeys(names))}
