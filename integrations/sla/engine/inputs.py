"""How do the rows of an issue become what the fold takes? The only place where the database meets it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Prefetch
from django.db.models.functions import Lower

from integrations.sla.engine.projection import project_issue_state
from integrations.sla.engine.types import Actor, IssueEventKind, IssueState, ProjectionContext, TimelineEvent
from integrations.sla.models import SupportIssue, SupportIssueEvent
from integrations.sla.services.policies import get_calendar, get_sla_policy

EVENTS_PREFETCH = Prefetch("events", queryset=SupportIssueEvent.objects.order_by("at", "pk"))


def build_timeline_event(row: SupportIssueEvent) -> TimelineEvent:
    """A kept fact as the fold takes it."""
    actor = Actor(row.actor_id, row.actor, row.actor_type or "User", row.association or "NONE")
    return TimelineEvent(row.key, IssueEventKind(row.kind), row.at, actor, row.text, row.label, row.data)


def list_timeline_events(issue: SupportIssue) -> list[TimelineEvent]:
    """Everything that is known to have happened to an issue."""
    return [build_timeline_event(row) for row in issue.events.all()]


def build_projection_context(issue: SupportIssue, now: datetime, *, segments: bool = True) -> ProjectionContext:
    """What the fold is asked with: the policy and calendar of the issue's opening, and how far we know it."""
    return ProjectionContext(get_sla_policy(issue), get_calendar(issue), now, issue.watch.data_up_to, segments)


def compute_issue_state(issue: SupportIssue, now: datetime, *, segments: bool = True) -> IssueState:
    """The state of an issue at a moment, from its facts alone. Raises ValueError where its opening is not known."""
    return project_issue_state(list_timeline_events(issue), build_projection_context(issue, now, segments=segments))


def serialize_calendar(issue: SupportIssue) -> dict[str, Any] | None:
    """The edition of the partner's calendar that counts for an issue; None where there was none at its opening."""
    edition = issue.calendar
    if edition is None:
        return None
    return {
        "valid_from": edition.valid_from.isoformat(),
        "zone": edition.zone,
        "country": edition.country,
        "subdivision": edition.subdivision,
        "workdays": edition.workdays,
        "holidays": edition.holidays,
        "own_days": edition.extra_days,
    }


def find_issue(text: str) -> SupportIssue | None:
    """The issue called “owner/name#12”, or by its uuid; of several watches of a repository the one that lasts."""
    issues = SupportIssue.objects.select_related("watch", "calendar", "policy", "integration").prefetch_related(
        EVENTS_PREFETCH
    )
    repository, _, number = text.strip().rpartition("#")
    if repository and number.isascii() and number.isdigit() and len(number) < 19:
        matches = issues.alias(named=Lower("watch__repository")).filter(named=repository.lower(), number=int(number))
        return matches.order_by(F("watch__ended_at").desc(nulls_first=True), "-watch__began_at").first()
    try:
        return issues.filter(uuid=UUID(text.strip())).first()
    except ValueError:
        return None
