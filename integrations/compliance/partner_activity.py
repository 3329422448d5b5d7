"""Partner activity since a notice or suspension, and how far the data reaches.

Each activity pauses the deadline once: one answer per issue, one release, one finding. Repeating an activity can't
delay a decision forever, and no activity is overlooked.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from integrations.sla.engine import inputs
from integrations.sla.engine.participants import ParticipantSide
from integrations.sla.engine.projection import IssueProjection, MissingOpeningError
from integrations.sla.models import MonitoredRepository, SlaBreach, SupportIssue
from integrations.submissions.models import Integration
from integrations.submissions.workflow.evidence import ComplianceFacts, PartnerActivity
from integrations.submissions.workflow.states import ListingStatus
from verification.checks.models import Observation
from verification.checks.rules.release import NEWEST_KEY
from verification.checks.runner import list_freeze_reasons

END_OF_TIME = datetime.max.replace(tzinfo=UTC)
# A reviewer saw the activities so far and let the deadline continue.
ACKNOWLEDGING_EVENT_TYPES = ("compliance.deadline_resumed", "compliance.appeal_dismissed")


def collect_facts(integration: Integration, now: datetime) -> ComplianceFacts:
    """Return the unreviewed partner activity and the end of the monitored data."""
    monitored_repository = MonitoredRepository.objects.filter(integration=integration, ended_at=None).first()
    reasons = list_freeze_reasons(integration).values() if integration.on_hold_for else ()
    # The column of the reason has 500 characters.
    freeze_reason = next((reason for reason in reasons if reason[:500] == integration.hold_reason), "")
    activities = tuple(list_unreviewed_activities(integration))
    return ComplianceFacts(activities, monitored_repository.data_up_to if monitored_repository else None, freeze_reason)


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
    for issue in inputs.select_issues().filter(pk__in=issue_ids):
        answered_at = find_first_answer_time(issue, started_at)
        if answered_at is not None:
            yield PartnerActivity(
                f"issue:{issue.uuid}", answered_at, f"{integration.partner.name} answered on {issue}", issue.url
            )


def find_first_answer_time(issue: SupportIssue, started_at: datetime) -> datetime | None:
    """Return when the partner first responded to an issue or resolved it after a moment."""
    context = inputs.build_projection_context(issue, END_OF_TIME)
    try:
        projection = IssueProjection(inputs.list_timeline_events(issue), context)
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
