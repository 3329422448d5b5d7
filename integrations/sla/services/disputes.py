"""Services for disputes: requests of partners and decisions of the program about an issue.

A decision about severity or coverage is stored as an issue event, like GitHub's events. A lower severity applies from
the decision, or from the partner's request, and doesn't retract earlier breaches. A correction applies from the event
that made the issue critical. Any decision about an issue resolves its open dispute.
"""

from collections.abc import Callable
from datetime import datetime

from django.utils.translation import gettext as _, gettext_noop

from integrations.partners import permissions
from integrations.sla.engine.projection import MISSING_OPENING_NOTE
from integrations.sla.engine.severity import find_raised_at, list_severity_events
from integrations.sla.engine.timeline import order_events
from integrations.sla.engine.types import Actor, BreachOutcome, IssueEventKind, Severity, TimelineEvent
from integrations.sla.models import SupportIssue, SupportIssueEvent
from integrations.sla.selectors import issue_states
from integrations.sla.services import monitoring, projection
from integrations.submissions.services.changes import IntegrationChange, change_integration
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues

RESOLVED_DISPUTE_FIELDS: NamedValues = {"disputed": "", "disputed_at": None}
SEVERITY_REQUESTED = "issue.severity_reduction_requested"
OUTCOME_EVENT_TYPES = (
    "issue.severity_reduced",
    "issue.severity_corrected",
    "issue.dispute_accepted",
    "issue.breach_waived",
    "issue.dispute_dismissed",
)
OPEN_DISPUTE_MESSAGE = gettext_noop("This issue already has an open dispute. Wait for the program to decide.")
NO_DISPUTE_MESSAGE = gettext_noop("This issue has no open dispute.")
SEVERITY_DISPUTE_MESSAGE = gettext_noop(
    "This dispute is about the severity. Lower or correct the severity, or dismiss the dispute."
)
# Reasons stored with breaches that a decision retracts
RETRACTION_REASONS = {
    IssueEventKind.SEVERITY_LOWERED: "The program agreed that the issue is not critical",
    IssueEventKind.NOT_AN_ISSUE: "The program excluded the issue from the SLA",
    BreachOutcome.ACCEPTED: "The program accepted the dispute",
    BreachOutcome.WAIVED: "The program waived the breach",
}


def lower_severity(issue: SupportIssue, reason: str, *, actor: User, now: datetime) -> AuditEvent:
    """Lower the severity from now, or from the partner's request. Raises ActionRefused."""
    kind = IssueEventKind.SEVERITY_LOWERED
    event_type = "issue.severity_reduced"
    return _record_decision(issue, kind, event_type, reason, _find_requested_at, actor=actor, now=now)


def _find_requested_at(issue: SupportIssue, _now: datetime) -> datetime | None:
    """Return the time of the partner's first undecided request for a lower severity, or None."""
    events = issue.integration.events.filter(data__issue=str(issue.uuid))
    events = events.filter(event_type__in=(SEVERITY_REQUESTED, *OUTCOME_EVENT_TYPES))
    requested_at: datetime | None = None
    for event_type, occurred_at in events.order_by("seq").values_list("event_type", "at"):
        # A decision settles all earlier requests, so only later ones can backdate the next decision.
        requested_at = (requested_at or occurred_at) if event_type == SEVERITY_REQUESTED else None
    return requested_at


def exclude_issue(issue: SupportIssue, reason: str, *, actor: User, now: datetime) -> AuditEvent:
    """Exclude an issue from the SLA and retract its breaches. Raises ActionRefused."""
    return _record_decision(issue, IssueEventKind.NOT_AN_ISSUE, "issue.excluded", reason, None, actor=actor, now=now)


def request_lower_severity(issue: SupportIssue, reason: str, *, actor: User | None, now: datetime) -> AuditEvent:
    """Request a lower severity. Nothing changes until the program decides. Raises ActionRefused."""
    with change_integration(issue.integration, permissions.can_edit, actor=actor, now=now) as change:
        _ensure_decidable(issue, IssueEventKind.SEVERITY_LOWERED)
        _ensure_projectable(issue)
        _mark_disputed(issue, SupportIssue.DisputeSubject.SEVERITY, now)
        return _record_event(change, issue, SEVERITY_REQUESTED, reason)


def dispute_breach(issue: SupportIssue, reason: str, *, actor: User | None, now: datetime) -> AuditEvent:
    """Dispute a breach. It stays on record until the program decides. Raises ActionRefused."""
    with change_integration(issue.integration, permissions.can_edit, actor=actor, now=now) as change:
        _ensure_decidable(issue, IssueEventKind.NOT_AN_ISSUE)
        if not issue.breaches.filter(retracted_at=None).exists():
            raise ActionRefused(_("This issue has no breach to dispute."), "invalid-transition")
        _mark_disputed(issue, SupportIssue.DisputeSubject.BREACH, now)
        return _record_event(change, issue, "issue.disputed", reason)


def dismiss_dispute(issue: SupportIssue, reason: str, *, actor: User | None, now: datetime) -> AuditEvent:
    """Dismiss an open dispute with a reason. Raises ActionRefused."""
    with change_integration(issue.integration, permissions.can_decide, actor=actor, now=now) as change:
        _resolve_dispute(issue)
        return _record_event(change, issue, "issue.dispute_dismissed", reason)


def accept_dispute(issue: SupportIssue, reason: str, *, actor: User, now: datetime) -> AuditEvent:
    """Accept the dispute of a breach: retract the issue's breaches. Raises ActionRefused."""
    return _settle_breaches(issue, BreachOutcome.ACCEPTED, "issue.dispute_accepted", reason, actor=actor, now=now)


def waive_breach(issue: SupportIssue, reason: str, *, actor: User, now: datetime) -> AuditEvent:
    """Waive the breaches of a disputed issue: they stay on record and don't count. Raises ActionRefused."""
    return _settle_breaches(issue, BreachOutcome.WAIVED, "issue.breach_waived", reason, actor=actor, now=now)


def correct_severity(issue: SupportIssue, reason: str, *, actor: User, now: datetime) -> AuditEvent:
    """Accept a dispute with a correction: the issue was never critical. Raises ActionRefused.

    The standard target applies as if the event that made the issue critical had not happened.
    """
    kind = IssueEventKind.SEVERITY_LOWERED
    event_type = "issue.severity_corrected"
    return _record_decision(issue, kind, event_type, reason, _find_disputed_raise, actor=actor, now=now)


def _find_disputed_raise(issue: SupportIssue, now: datetime) -> datetime | None:
    """Return when a disputed issue became critical, or None. Raises ActionRefused without an open dispute."""
    if not SupportIssue.objects.filter(pk=issue.pk, disputed_at__isnull=False).exists():
        raise ActionRefused(_(NO_DISPUTE_MESSAGE), "invalid-transition")
    issue = issue_states.select_issues().get(pk=issue.pk)  # the caller may have read the events before the lock
    context = issue_states.build_projection_context(issue, now)
    events = order_events(issue_states.list_timeline_events(issue), now)  # without those that GitHub doesn't confirm
    return find_raised_at(list_severity_events(events), context.policy, now)


def _settle_breaches(
    issue: SupportIssue, outcome: BreachOutcome, event_type: str, reason: str, *, actor: User, now: datetime
) -> AuditEvent:
    with change_integration(issue.integration, permissions.can_decide, actor=actor, now=now) as change:
        monitoring.lock_repository(issue.monitored_repository_id, wait=True)
        # Read under the lock: the partner may have changed the subject since the reviewer opened the page.
        disputed_severity = SupportIssue.objects.filter(pk=issue.pk, disputed=SupportIssue.DisputeSubject.SEVERITY)
        if outcome == BreachOutcome.ACCEPTED and disputed_severity.exists():
            raise ActionRefused(_(SEVERITY_DISPUTE_MESSAGE), "invalid-transition")
        _resolve_dispute(issue)
        if not projection.settle_breaches(issue, outcome, f"{RETRACTION_REASONS[outcome]}: {reason}", now):
            raise ActionRefused(_("This issue has no breach to decide on."), "invalid-transition")
        return _record_event(change, issue, event_type, reason)


def _resolve_dispute(issue: SupportIssue) -> None:
    if not SupportIssue.objects.filter(pk=issue.pk, disputed_at__isnull=False).update(**RESOLVED_DISPUTE_FIELDS):
        raise ActionRefused(_(NO_DISPUTE_MESSAGE), "invalid-transition")


def _mark_disputed(issue: SupportIssue, subject: str, now: datetime) -> None:
    """Open a dispute. An open one stays as it is, except that a breach can be disputed after the severity."""
    undisputed = SupportIssue.objects.exclude(disputed__in=(subject, SupportIssue.DisputeSubject.BREACH))
    if not undisputed.filter(pk=issue.pk).update(disputed=subject, disputed_at=now):
        raise ActionRefused(_(OPEN_DISPUTE_MESSAGE), "invalid-transition")


def _record_decision(
    issue: SupportIssue,
    kind: IssueEventKind,
    event_type: str,
    reason: str,
    find_start: Callable[[SupportIssue, datetime], datetime | None] | None,
    *,
    actor: User | None,
    now: datetime,
) -> AuditEvent:
    """Store a decision as an event. `find_start`, called under the lock, returns since when it applies."""
    with change_integration(issue.integration, permissions.can_decide, actor=actor, now=now) as change:
        monitoring.lock_repository(issue.monitored_repository_id, wait=True)
        # Polls and webhooks store events under this lock, so what the decision is based on can't change anymore.
        start = find_start(issue, now) if find_start else None
        # After the end of monitoring, the clocks keep their state, so a decision applies to that time at the latest.
        decided_at = min(now, issue.monitoring_ended_at or now)
        _ensure_decidable(issue, kind)
        _ensure_projectable(issue)
        data = {"requested_at": min(start, decided_at).isoformat()} if start else {}
        key = f"{kind}:{now:%Y%m%dT%H%M%S}"
        # Without a GitHub ID, the reviewer doesn't become a participant of the issue.
        event = TimelineEvent(key, kind, decided_at, Actor(0, str(actor)), reason, data=data)
        SupportIssueEvent.from_timeline(issue.pk, event, "portal", now).save()
        projection.rebuild_projections([issue.pk], now, f"{RETRACTION_REASONS[kind]}: {reason}")
        SupportIssue.objects.filter(pk=issue.pk).update(**RESOLVED_DISPUTE_FIELDS)
        return _record_event(change, issue, event_type, reason)


def _ensure_projectable(issue: SupportIssue) -> None:
    """Raise ActionRefused if the clocks can't be calculated, so that the decision would change nothing.

    A breach can still be accepted as wrong or waived, because that changes no clock.
    """
    if not SupportIssueEvent.objects.filter(issue=issue, kind=IssueEventKind.OPENED).exists():
        raise ActionRefused(_(MISSING_OPENING_NOTE), "invalid-transition")


def _ensure_decidable(issue: SupportIssue, kind: IssueEventKind) -> None:
    """Raise ActionRefused if the decision no longer applies to the issue."""
    if SupportIssueEvent.objects.filter(issue=issue, kind=IssueEventKind.NOT_AN_ISSUE).exists():
        raise ActionRefused(_("This issue is already excluded from the SLA."), "invalid-transition")
    if kind == IssueEventKind.SEVERITY_LOWERED and SupportIssue.objects.get(pk=issue.pk).severity != Severity.CRITICAL:
        raise ActionRefused(_("This issue is not critical."), "invalid-transition")


def _record_event(change: IntegrationChange, issue: SupportIssue, event_type: str, reason: str) -> AuditEvent:
    return change.record(event_type, reason, issue=str(issue.uuid), name=str(issue), title=issue.title)
