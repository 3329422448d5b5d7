"""Evidence for compliance decisions: one JSON document that both sides see, current and frozen with each decision."""

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.utils import translation

from integrations.sla import metrics
from integrations.sla.engine import inputs
from integrations.sla.explanation import serialize_clock
from integrations.sla.metrics import MetricsScope
from integrations.sla.models import SlaBreach, SupportIssue
from integrations.submissions.models import Integration
from integrations.submissions.workflow.evidence import PartnerActivity
from portal.audit.catalog import EMAILS
from portal.audit.event_types import Category
from portal.audit.models import AuditEvent
from portal.notifications.models import EmailMessage

MAX_BREACHES = 25  # breaches with details in one document; the rest are only counted
SLA_EVENT_TYPES = ("issue.warning_sent", "issue.breached", "issue.breach_retracted")
COMPLIANCE_EVENT_TYPES = tuple(key for key, email in EMAILS.items() if email.category == Category.COMPLIANCE)
DECISION_EVENT_TYPES = tuple(key for key in COMPLIANCE_EVENT_TYPES if key != "program.notice_suggested")
ActivityLister = Callable[[Integration, datetime], list[PartnerActivity]]


def collect_evidence(integration: Integration, now: datetime, list_activities: ActivityLister) -> dict[str, object]:
    """Return the evidence about an integration at a moment, with timestamps as ISO 8601 in UTC.

    The texts are in the portal's default language, not the reader's, because decisions freeze them.
    """
    with translation.override(settings.LANGUAGE_CODE):
        return _build_evidence(integration, now, list_activities)


def _build_evidence(integration: Integration, now: datetime, list_activities: ActivityLister) -> dict[str, object]:
    scope = MetricsScope(integration_id=integration.pk)
    breaches = metrics.list_breaches(scope).select_related("clock", "issue")
    retractions = SlaBreach.objects.filter(scope.build_condition(), retracted_at__isnull=False).select_related(
        "issue__watch"
    )
    return {
        "at": now.isoformat(),
        "integration": integration.name,
        "company": integration.partner.name,
        "program": integration.program.name,
        "edition": integration.edition_date,
        "listing_status": str(integration.listing_status),
        "since": _format_timestamp(integration.listing_status_since),
        "due": _format_timestamp(integration.compliance_deadline_at),
        "held": integration.deadline_pause_reason,
        "asked": integration.compliance_request_label,
        "data_up_to": _format_timestamp(metrics.get_data_up_to(scope)),
        "rule": integration.edition.removal,
        "promise": integration.edition.sla.summary,
        "breaches": [_build_breach_entry(breach, now) for breach in breaches[:MAX_BREACHES]],
        "breaches_in_all": breaches.count(),
        "retracted": [_build_retraction_entry(breach) for breach in retractions[:MAX_BREACHES]],
        "told": list_sent_emails(integration),
        "activities": [
            _build_activity_entry(activity)
            for activity in list_activities(integration, integration.listing_status_since)
        ]
        if integration.listing_status_since
        else [],
        "decisions": [
            _build_decision_entry(event)
            for event in integration.events.filter(event_type__in=DECISION_EVENT_TYPES).order_by("seq")
        ],
    }


def _build_breach_entry(breach: SlaBreach, now: datetime) -> dict[str, object]:
    """Return a recorded breach with its clock explained as of `now`."""
    issue = inputs.find_issue(str(breach.issue.uuid))
    assert issue is not None
    return {
        "issue": str(issue),
        "title": issue.title,
        "url": issue.url,
        "target_type": breach.target_type,
        "severity": breach.severity,
        "due": breach.due_at.isoformat(),
        "found": breach.found_at.isoformat(),
        "answered": _format_timestamp(breach.clock.stopped_at),
        "clock": _build_clock_entry(issue, breach.target_type, now),
    }


def _build_clock_entry(issue: SupportIssue, target_type: str, now: datetime) -> dict[str, object]:
    """Return the explanation of a clock, or no text if its events don't include the opening."""
    context = inputs.build_projection_context(issue, now)
    try:
        clocks = inputs.compute_issue_state(issue, now).clocks
    except ValueError:
        return {"explanation": []}
    clock = next(clock for clock in clocks if str(clock.target_type) == target_type)
    return serialize_clock(clock, context.calendar, issue.url)


def _build_retraction_entry(breach: SlaBreach) -> dict[str, object]:
    return {
        "issue": str(breach.issue),
        "url": breach.issue.url,
        "due": breach.due_at.isoformat(),
        "retracted": _format_timestamp(breach.retracted_at),
        "why": breach.retracted_why,
    }


def list_sent_emails(integration: Integration) -> list[dict[str, object]]:
    """Return the last hundred SLA and compliance emails with their delivery status, oldest first."""
    related_emails = EmailMessage.objects.filter(
        integration=integration, event__event_type__in=(*SLA_EVENT_TYPES, *COMPLIANCE_EVENT_TYPES)
    )
    recent_emails = related_emails.order_by("-created_at", "-pk").values(
        "created_at", "subject", "to", "state", "sent_at"
    )[:100]
    return [
        {
            "at": email["created_at"].isoformat(),
            "subject": email["subject"],
            "to": email["to"],
            "fate": str(EmailMessage.State(email["state"]).label),
            "sent": _format_timestamp(email["sent_at"]),
        }
        for email in reversed(recent_emails)
    ]


def _build_activity_entry(activity: PartnerActivity) -> dict[str, object]:
    return {"key": activity.key, "at": activity.at.isoformat(), "summary": activity.summary, "url": activity.url}


def _build_decision_entry(event: AuditEvent) -> dict[str, object]:
    summary = event.sentence
    deadline = event.data.get("compliance_deadline", "")
    return {
        "seq": event.seq,
        "at": event.at.isoformat(),
        "by": event.actor or "The portal",
        "what": summary,
        "note": event.note,
        "due": deadline,
    }


def _format_timestamp(timestamp: datetime | None) -> str | None:
    return timestamp.isoformat() if timestamp else None
