"""Queries of escalations without a response, and of undelivered emails."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from integrations.escalations.models import Escalation
from integrations.partners import permissions
from integrations.sla.engine.types import ClockStatus
from integrations.sla.models import IS_MONITORED, SlaClock
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.notifications.models import EmailMessage

DISPLAY_PERIOD = timedelta(days=30)


def list_undelivered_emails(integration: Integration, *, for_program: bool, now: datetime) -> QuerySet[EmailMessage]:
    """Return the undeliverable emails of the last month. Partners see only their own."""
    failed = EmailMessage.objects.filter(
        integration=integration, state=EmailMessage.State.FAILED, created_at__gte=now - DISPLAY_PERIOD
    )
    if not for_program:
        failed = failed.filter(person__memberships__partner=integration.partner_id, person__memberships__ended_at=None)
    return failed.only("subject", "to", "created_at").order_by("-created_at")[:5]


def is_answered(escalation: Escalation, integration: Integration) -> bool:
    """Return whether a program member has acted since, or nothing is left to respond to."""
    if escalation.kind == Escalation.Kind.ACTION:
        is_responsible = integration.responsible_party == ResponsibleParty.PROGRAM
        # Another due date belongs to another action, which gets its own escalation.
        return not is_responsible or integration.action_due_at != escalation.due_at
    # Any action of program staff shows that someone has noticed. Events of the portal itself have no actor.
    later_events = integration.events.filter(at__gt=escalation.began_at).exclude(actor_id=None)
    actors = User.objects.filter(pk__in=set(later_events.values_list("actor_id", flat=True)))
    if any(permissions.can_act_for_program(integration, actor) for actor in actors):
        return True
    issues = [issue["issue"] for issue in (escalation.event.data.get("issues", ()) if escalation.event else ())]
    committed_clocks = SlaClock.objects.filter(IS_MONITORED, issue__uuid__in=issues, is_committed=True)
    # With incomplete data, an issue may still be open.
    return not committed_clocks.filter(state__in=(ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE)).exists()
