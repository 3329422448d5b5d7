"""Periodic advance of compliance cases. It records and notifies, and never changes a listing status.

It pauses the deadline when the partner responds, notifies the program once when a period ends, and suggests a notice
when breaches add up, or when the partner leaves a repository with open issues. Each run can repeat, start late, or
overlap with another one.
"""

from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce
from pydantic_core import to_jsonable_python

from integrations.sla.engine.types import OPEN_STATES, ClockStatus
from integrations.sla.models import IS_MONITORED, SlaBreach, SlaClock
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock_integration, perform_transition, refresh_next_action
from integrations.submissions.workflow import evidence
from integrations.submissions.workflow.next_action import ActionTextParams, render_action_text
from integrations.submissions.workflow.states import ListingStatus, Stage
from portal.audit import services
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues
from portal.jobs.batches import process_each

ACTIVE_STATUSES = (ListingStatus.ON_NOTICE, ListingStatus.SUSPENDED)


def advance_cases(now: datetime, limit: int = 500) -> int:
    """Pause deadlines, record ended periods, and suggest notices. Return the number of changed integrations."""
    active_cases = Integration.objects.filter(
        listing_status__in=ACTIVE_STATUSES, deadline_pause_reason="", compliance_deadline_at__isnull=False
    )
    next_cases = active_cases.select_related("partner").order_by("compliance_deadline_at")[:limit]
    try:
        advanced_count = process_each(
            next_cases, partial(_advance_case, now=now), "advance the compliance case of integration"
        )
    finally:
        # Also if no case can be advanced, because other integrations are not affected by it.
        candidates = find_notice_candidates(now)
        suggested_count = process_each(
            candidates, lambda pk: _suggest_notice(pk, *candidates[pk], now), "suggest a notice to integration"
        )
    return advanced_count + suggested_count


def _advance_case(integration: Integration, now: datetime) -> bool:
    try:
        return _pause_deadline(integration, now) or _record_deadline_end(integration.pk, now)
    except ActionRefused:
        return False  # changed concurrently


def _pause_deadline(integration: Integration, now: datetime) -> bool:
    activities = evidence.PROVIDER.get_facts(integration, now).activities
    if not activities or integration.compliance_request:
        return False
    data: NamedValues = {"activities": to_jsonable_python(activities)}
    perform_transition(integration, "pause_deadline", actor=None, now=now, version=integration.version, **data)
    return True


@transaction.atomic
def _record_deadline_end(pk: int, now: datetime) -> bool:
    """Record the end of a period once and make the program responsible."""
    integration = lock_integration(pk)
    due_at = integration.compliance_deadline_at
    if (
        integration.listing_status not in ACTIVE_STATUSES
        or due_at is None
        or due_at > now
        or integration.deadline_notified_at is not None
    ):
        return False
    # At the end of a period, the next step becomes possible, but nothing happens automatically: reviewers make every
    # decision (docs/explanation/compliance.md).
    integration.deadline_notified_at = now
    refresh_next_action(integration, now)
    integration.save()
    services.record_event(
        integration, "compliance.deadline_expired", actor=None, now=now, compliance_deadline=due_at.isoformat()
    )
    return True


def find_notice_candidates(now: datetime) -> dict[int, tuple[str, ActionTextParams]]:
    """Return the request with its parameters for listed integrations above a breach threshold since the last review."""
    overdue_factor = settings.SLA_NOTICE_OVERDUE_FACTOR
    window_days = settings.SLA_NOTICE_WINDOW_DAYS
    requests: dict[int, tuple[str, ActionTextParams]] = {
        pk: ("slow_issue", {"factor": overdue_factor}) for pk in _find_overdue_integrations(now)
    }
    requests |= {
        pk: ("sla_breaches", {"count": count, "days": window_days}) for pk, count in _count_recent_breaches(now).items()
    }
    return requests | {pk: ("issues_left", {"count": count}) for pk, count in _count_left_issues().items()}


LISTED_CONDITION = Q(
    integration__listing_status=ListingStatus.LISTED,
    integration__stage=Stage.SUPPORT,
    integration__compliance_request="",
)


def _count_recent_breaches(now: datetime) -> dict[int, int]:
    window_started_at = now - timedelta(days=settings.SLA_NOTICE_WINDOW_DAYS)
    reviewed_at = F("integration__compliance_reviewed_at")
    # A reviewer who dismissed the last suggestion knew the breaches that were found until then.
    unreviewed_condition = Q(integration__compliance_reviewed_at=None) | Q(found_at__gt=reviewed_at)
    recent_breaches = SlaBreach.objects.filter(
        LISTED_CONDITION & unreviewed_condition, retracted_at=None, due_at__gte=window_started_at
    )
    breach_counts = recent_breaches.order_by().values_list("integration").annotate(count=Count("pk"))
    return {pk: count for pk, count in breach_counts if count >= settings.SLA_NOTICE_BREACH_COUNT}


def _find_overdue_integrations(now: datetime) -> set[int]:
    """Return integrations with an issue that exceeds its target by the configured factor within the known data."""
    # The program decided that missing the due date doesn't count, although the issue stays overdue.
    settled_breaches = SlaBreach.objects.filter(
        clock=OuterRef("pk"), due_at=OuterRef("due_at"), retracted_at__isnull=False
    ).exclude(outcome="")
    overdue_clocks = SlaClock.objects.filter(
        LISTED_CONDITION,
        IS_MONITORED,
        ~Exists(settled_breaches),
        state=ClockStatus.OVERDUE,
        is_committed=True,
        due_at__lt=now,
    )
    integration_ids = set()
    columns = (
        "integration_id",
        "started_at",
        "due_at",
        "monitored_repository__data_up_to",
        "integration__compliance_reviewed_at",
    )
    for pk, started_at, due_at, data_up_to, reviewed_at in overdue_clocks.values_list(*columns).iterator():
        # An issue may have been resolved after the end of our data, so it counts only until then.
        threshold_crossed_at = due_at + (settings.SLA_NOTICE_OVERDUE_FACTOR - 1) * (due_at - started_at)
        if threshold_crossed_at <= min(now, data_up_to) and (reviewed_at is None or reviewed_at < threshold_crossed_at):
            integration_ids.add(pk)
    return integration_ids


def _count_left_issues() -> dict[int, int]:
    """Return the number of issues with an open clock that ended with a move to another repository, by integration."""
    # At the beginning of a new support, the issues of the previous one ended as agreed.
    is_moved = Q(issue__ended_at__gt=F("monitored_repository__began_at"))
    is_removed = Q(issue__ended_at=None, monitored_repository__ended_at__isnull=False)
    left_clocks = SlaClock.objects.filter(
        LISTED_CONDITION, is_moved | is_removed, is_committed=True, state__in=OPEN_STATES
    ).alias(left_at=Coalesce("issue__ended_at", "monitored_repository__ended_at"))
    unreviewed_clocks = left_clocks.filter(
        Q(integration__compliance_reviewed_at=None) | Q(left_at__gt=F("integration__compliance_reviewed_at"))
    )
    return dict(unreviewed_clocks.order_by().values_list("integration").annotate(Count("issue", distinct=True)))


def _find_repository_change(integration: Integration) -> int | None:
    """Return the number of the change of the repository that left issues, whose email tells of the suggestion."""
    moves = integration.events.filter(event_type="monitoring.repository_left").order_by("-seq")
    # The issue tracker can change alone.
    changes = integration.events.filter(event_type="integration.repository_changed", at__in=moves.values("at")[:1])
    return changes.values_list("seq", flat=True).first()


def _suggest_notice(pk: int, request: str, params: ActionTextParams, now: datetime) -> bool:
    integration = Integration.objects.select_related("partner").get(pk=pk)
    data: NamedValues = {"request": request, "params": params, "reason": render_action_text(request, params)}
    if request == "issues_left" and (change := _find_repository_change(integration)):
        data["included_in"] = change
    try:
        perform_transition(integration, "suggest_notice", actor=None, now=now, version=integration.version, **data)
    except ActionRefused:
        return False  # changed concurrently
    return True
