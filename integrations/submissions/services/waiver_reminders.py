"""Reminders of waivers that end soon. Waivers end without a write, so nothing else would tell the partner."""

from datetime import datetime
from functools import partial

from django.db.models import Exists, F, OuterRef, Q
from django.db.models.fields.json import KeyTextTransform

from integrations.programs.requirements import FulfillingParty
from integrations.submissions.models import RequirementFulfillment
from integrations.submissions.models.requirements import WAIVER_RENEWAL_PERIOD
from integrations.submissions.selectors import context
from integrations.submissions.services.requirements import change_requirement
from integrations.submissions.workflow.states import FINAL_STAGES, FULFILLED_STATUSES
from portal.audit.models import AuditEvent
from portal.jobs.batches import process_each

# The partner learned the last day from each of these, so a shorter waiver has no reminder.
ANNOUNCING_EVENT_TYPES = ("requirement.waived", "requirement.waiver_ending")


def remind_of_ending_waivers(now: datetime, limit: int = 100) -> int:
    """Remind partners once of each waiver that ends within two weeks. Return the number of reminders."""
    announcements = AuditEvent.objects.annotate(subject=KeyTextTransform("requirement", "data")).filter(
        integration=OuterRef("integration"),
        subject=OuterRef("requirement_id"),
        event_type__in=ANNOUNCING_EVENT_TYPES,
        at__gte=OuterRef("reminder_at"),
    )
    ending = RequirementFulfillment.objects.filter(
        waiver_expires_at__gt=now, waiver_expires_at__lte=now + WAIVER_RENEWAL_PERIOD
    ).exclude(integration__stage__in=FINAL_STAGES)
    # A requirement that was fulfilled in the meantime no longer needs its waiver.
    is_fulfilled = Q(status__in=FULFILLED_STATUSES) & (Q(valid_until=None) | Q(valid_until__gt=now))
    unannounced = ending.exclude(is_fulfilled).alias(reminder_at=F("waiver_expires_at") - WAIVER_RENEWAL_PERIOD)
    rows = unannounced.exclude(Exists(announcements)).select_related("integration").order_by("waiver_expires_at")
    return process_each(rows[:limit], partial(_remind, now=now), "remind of waiver")


def _remind(fulfillment: RequirementFulfillment, *, now: datetime) -> int:
    """Record the reminder, which sends the email. Return the number of reminders."""
    requirement = fulfillment.requirement
    if requirement is None or not context.is_applicable(requirement, fulfillment.integration):
        return 0
    # The partner could do nothing about it.
    if requirement.responsible_party == FulfillingParty.PROGRAM:
        return 0
    with change_requirement(fulfillment.integration, requirement.id, actor=None, now=now) as change:
        state = change.state
        expires_at = state.waiver_expires_at
        # At the same time, a reviewer can end or extend the waiver, or the requirement is fulfilled.
        if expires_at is None or not state.is_waived(now) or not state.needs_waiver(now):
            return 0
        # Parallel runs read the same waivers, and only the first one to lock the integration reminds.
        announcements = change.integration.events.filter(
            event_type__in=ANNOUNCING_EVENT_TYPES, at__gte=expires_at - WAIVER_RENEWAL_PERIOD
        )
        if announcements.filter(data__requirement=requirement.id).exists():
            return 0
        change.record("requirement.waiver_ending", until=expires_at.isoformat())
    return 1
