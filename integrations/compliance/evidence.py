"""Evidence for compliance decisions: one JSON document that both sides see, current and frozen with each decision.

It contains the partner's activity since a notice or suspension. Each activity pauses the deadline once: one answer per
issue, one release, one finding. Repeating an activity can't delay a decision forever, and no activity is overlooked.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext
from pydantic_core import to_jsonable_python

from integrations.partners.selectors import select_all_memberships
from integrations.sla import metrics
from integrations.sla.engine.participants import ParticipantSide
from integrations.sla.engine.projection import IssueProjection, MissingOpeningError
from integrations.sla.explanation import serialize_clock
from integrations.sla.metrics import MetricsScope
from integrations.sla.models import MonitoredRepository, SlaBreach, SupportIssue
from integrations.sla.selectors import issue_states
from integrations.sla.selectors.policies import get_calendar
from integrations.sla.services.projection import get_projection_time
from integrations.submissions.models import Integration
from integrations.submissions.workflow.evidence import ComplianceFacts, PartnerActivity
from integrations.submissions.workflow.states import ListingStatus
from portal.audit.event_types import EMAILS, Category
from portal.audit.models import AuditEvent
from portal.core.value_types import JsonObject
from portal.notifications.models import EmailMessage
from verification.checks.models import CheckResult, Observation
from verification.checks.rules.release import NEWEST_KEY
from verification.checks.rules.repository import NEW_OWNER
from verification.checks.services.accepted_deviations import get_acceptable_value

MAX_BREACHES = 25  # breaches with details in one document; the rest are only counted
MAX_EMAILS = 100
SLA_EVENT_TYPES = ("issue.warning_sent", "issue.breached", "issue.breach_retracted")
COMPLIANCE_EVENT_TYPES = tuple(key for key, email in EMAILS.items() if email.category == Category.COMPLIANCE)
# The portal suggests notices, but only people decide.
DECISION_EVENT_TYPES = tuple(key for key in COMPLIANCE_EVENT_TYPES if key != "program.notice_suggested")
OWNER_CHECK_KEY = "repository.owner"
OWNER_SUBJECTS = frozenset({"owner", NEW_OWNER})
END_OF_TIME = datetime.max.replace(tzinfo=UTC)
# A reviewer saw the activities so far and let the deadline continue.
ACKNOWLEDGING_EVENT_TYPES = ("compliance.deadline_resumed", "compliance.appeal_dismissed")


def collect_evidence(integration: Integration, now: datetime) -> JsonObject:
    """Return the evidence about an integration at a moment as plain JSON, with timestamps in ISO 8601.

    The texts are in the portal's default language, not the reader's, because decisions freeze them.
    """
    with translation.override(settings.LANGUAGE_CODE):
        evidence: JsonObject = to_jsonable_python(_build_evidence(integration, now))
    return evidence


def _build_evidence(integration: Integration, now: datetime) -> dict[str, object]:
    scope = MetricsScope(integration_id=integration.pk)
    changed_at = integration.listing_status_since
    all_breaches = list(
        SlaBreach.objects.filter(integration=integration).select_related("clock", "issue__monitored_repository")
    )
    recorded = [breach for breach in all_breaches if breach.retracted_at is None]
    breaches = recorded[:MAX_BREACHES]
    retractions = [each for each in all_breaches if each.retracted_at is not None]
    # Together, because 25 breaches one by one would take 50 queries.
    issues = issue_states.select_issues().in_bulk({breach.issue_id for breach in breaches})
    decisions = integration.events.filter(event_type__in=DECISION_EVENT_TYPES).order_by("seq")
    return {
        "at": now,
        "integration": integration.name,
        "partner": integration.partner.name,
        "program": integration.program.name,
        "edition": integration.edition_date,
        "listing_status": str(integration.listing_status),
        "listing_status_since": changed_at,
        "compliance_deadline_at": integration.compliance_deadline_at,
        "deadline_pause_reason": integration.deadline_pause_reason,
        "open_request": integration.compliance_request_label,
        "data_up_to": metrics.get_data_up_to(scope),
        # The sentence of the program that allows the decision, such as the Support step of the Terraform program:
        # HashiCorp can remove the Verified status from integrations that no one maintains.
        "rule": integration.edition.removal,
        "sla_policy": integration.edition.sla.summary,
        "breaches": [_build_breach_entry(breach, issues[breach.issue_id], now) for breach in breaches],
        "breach_count": len(recorded),
        "retracted": [_build_retraction_entry(breach) for breach in retractions[:MAX_BREACHES]],
        "notifications": list_sent_emails(integration),
        "activities": list_activities(integration, changed_at) if changed_at else [],
        "decisions": [_build_decision_entry(event) for event in decisions],
    }


def _build_breach_entry(breach: SlaBreach, issue: SupportIssue, now: datetime) -> dict[str, object]:
    """Return a recorded breach with its clock explained as on the issue's page, if the events include the opening."""
    clock_entry: dict[str, object] = {"explanation": []}
    calendar = get_calendar(issue)
    with suppress(MissingOpeningError):
        clocks = issue_states.compute_issue_state(issue, get_projection_time(issue, now)).clocks
        clock = next(clock for clock in clocks if clock.target_type == breach.target_type)
        clock_entry = serialize_clock(clock, calendar, issue.url)
    return {
        "issue": str(issue),
        "title": issue.title,
        "url": issue.url,
        "target_type": breach.target_type,
        "severity": breach.severity,
        "zone": str(calendar.zone),
        "due_at": breach.due_at,
        "found_at": breach.found_at,
        "stopped_at": breach.clock.stopped_at,
        "clock": clock_entry,
    }


def _build_retraction_entry(breach: SlaBreach) -> dict[str, object]:
    return {
        "issue": str(breach.issue),
        "url": breach.issue.url,
        "due_at": breach.due_at,
        "retracted_at": breach.retracted_at,
        "reason": breach.retraction_reason,
    }


def list_sent_emails(integration: Integration) -> list[dict[str, object]]:
    """Return the last SLA and compliance emails with their delivery status, oldest first.

    Partners read the evidence, so program staff appear as their role, even after they lost it.
    """
    # The mailbox of the program has no account. Its address is public.
    shown_people = {None, *select_all_memberships(integration.partner).values_list("user_id", flat=True)}
    emails = EmailMessage.objects.filter(
        integration=integration, event__event_type__in=(*SLA_EVENT_TYPES, *COMPLIANCE_EVENT_TYPES)
    )
    recent_emails = emails.order_by("-created_at", "-pk")[:MAX_EMAILS]
    return [
        {
            "created_at": email.created_at,
            "subject": email.subject,
            "to": email.to if email.person_id in shown_people else gettext("Program reviewers"),
            "sent_at": email.sent_at,
            "state": str(EmailMessage.State(email.state).label),
        }
        for email in reversed(recent_emails)
    ]


def _build_decision_entry(event: AuditEvent) -> dict[str, object]:
    return {
        "sequence": event.seq,
        "at": event.at,
        "actor": event.actor or gettext("The portal"),
        "summary": event.action,
        "note": event.note,
        "has_evidence": "evidence" in event.data,
        "compliance_deadline_at": event.data.get("compliance_deadline") or None,
    }


def collect_facts(integration: Integration, now: datetime) -> ComplianceFacts:
    """Return the unreviewed partner activity and the end of the monitored data."""
    activities = tuple(list_unreviewed_activities(integration))
    return ComplianceFacts(activities, _find_data_end(integration, now), _is_transferred(integration))


def _find_data_end(integration: Integration, now: datetime) -> datetime | None:
    """Return until when the data is as complete as it can be, or None without a monitored repository."""
    monitored_repository = MonitoredRepository.objects.filter(integration=integration, ended_at=None).first()
    if monitored_repository is None:
        return None
    # A partner that hides or deletes the repository could otherwise prevent every decision. Since a failed attempt, we
    # don't know whether the repository is still hidden.
    is_hidden = monitored_repository.is_hidden and monitored_repository.attempts == 0
    return now if is_hidden else monitored_repository.data_up_to


def _is_transferred(integration: Integration) -> bool:
    """Return whether a check put the integration on hold and the repository belongs to someone else."""
    if not integration.hold_check:
        return False
    # A hold alone proves nothing: GitHub can withhold a repository, and an owner can get it back. A new owner can hide
    # the repository, so the newest result that names an owner counts.
    results = CheckResult.objects.filter(integration=integration, key=OWNER_CHECK_KEY)
    newest = next((result for result in results if OWNER_SUBJECTS.intersection(dict(result.inspected_revisions))), None)
    return get_acceptable_value(newest) != ("", "")


def list_unreviewed_activities(integration: Integration) -> list[PartnerActivity]:
    """Return the activities that no reviewer has seen; empty unless on notice or suspended."""
    changed_at = integration.listing_status_since
    if integration.listing_status not in (ListingStatus.ON_NOTICE, ListingStatus.SUSPENDED) or changed_at is None:
        return []
    review_events = integration.events.filter(event_type__in=ACKNOWLEDGING_EVENT_TYPES, at__gte=changed_at)
    reviewed_keys = {
        activity["key"] for event in review_events for activity in event.data.get("evidence", {}).get("activities", ())
    }
    return [activity for activity in list_activities(integration, changed_at) if activity.key not in reviewed_keys]


def list_activities(integration: Integration, started_at: datetime) -> list[PartnerActivity]:
    """Return all partner activity since a moment in chronological order."""
    activities = (
        *_list_issue_activities(integration, started_at),
        *_list_release_activities(integration, started_at),
        *_list_finding_activities(integration, started_at),
    )
    return sorted(activities, key=lambda activity: (activity.at, activity.key))


def _list_issue_activities(integration: Integration, started_at: datetime) -> Iterator[PartnerActivity]:
    """Yield answers to breached issues and retracted breaches."""
    breaches = list(SlaBreach.objects.filter(integration=integration).select_related("issue__monitored_repository"))
    for breach in breaches:
        if breach.retracted_at and breach.retracted_at > started_at:
            message = f"Breach of {breach.issue} retracted"
            yield PartnerActivity(f"retracted:{breach.pk}", breach.retracted_at, message, breach.issue.url)
    issue_ids = {breach.issue_id for breach in breaches if breach.retracted_at is None}
    for issue in issue_states.select_issues().filter(pk__in=issue_ids):
        answered_at = find_first_answer_time(issue, started_at)
        if answered_at is not None:
            yield PartnerActivity(
                f"issue:{issue.uuid}", answered_at, f"{integration.partner.name} answered on {issue}", issue.url
            )


def find_first_answer_time(issue: SupportIssue, started_at: datetime) -> datetime | None:
    """Return when the partner first responded to an issue or resolved it after a moment."""
    context = issue_states.build_projection_context(issue, END_OF_TIME)
    try:
        projection = IssueProjection(issue_states.list_timeline_events(issue), context)
    except MissingOpeningError:
        return None
    get_side = projection.participants.get_side
    partner_keys = {event.key for event in projection.events if get_side(event.actor) == ParticipantSide.PARTNER}
    # By the rules of the clocks: neither “+1” nor closing an issue without a response may delay a decision.
    closings = (stop for stop in projection.stops.list_resolve_stops() if stop.key in partner_keys)
    answers = (*projection.stops.answers.values(), *closings)
    return min((answer.start for answer in answers if answer.start > started_at), default=None)


def _list_release_activities(integration: Integration, started_at: datetime) -> Iterator[PartnerActivity]:
    for observation in Observation.objects.filter(integration=integration, key=NEWEST_KEY, since__gt=started_at):
        # All releases share a key, so that daily releases can't delay a decision.
        yield PartnerActivity("release", observation.since, f"New release: {observation.value}")


def _list_finding_activities(integration: Integration, started_at: datetime) -> Iterator[PartnerActivity]:
    for finding in integration.findings.filter(resolved_at__gt=started_at):
        yield PartnerActivity(
            f"finding:{finding.pk}", finding.resolved_at or started_at, f"Finding {finding.number} resolved"
        )
    # As with releases, a check that fails and passes again pauses the deadline only once.
    for event in integration.events.filter(event_type="check.passed", at__gt=started_at):
        requirement = event.data.get("requirement", "")
        yield PartnerActivity(
            f"check:{requirement}", event.at, f"“{event.data.get('title', requirement)}” passed again"
        )
