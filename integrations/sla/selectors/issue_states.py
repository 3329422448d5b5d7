"""Issues as the SLA engine reads them, which has no database access, and their states."""

from datetime import datetime
from uuid import UUID

from django.db.models import F, Prefetch, Q, QuerySet
from django.db.models.functions import Lower

from integrations.sla.engine.projection import project_issue_state
from integrations.sla.engine.types import IssueState, ProjectionContext, TimelineEvent
from integrations.sla.models import SupportIssue, SupportIssueEvent
from integrations.sla.selectors.policies import get_calendar, get_sla_policy
from portal.core.primary_keys import parse_pk


def select_issues() -> QuerySet[SupportIssue]:
    """Return the issues with everything that their projection needs."""
    events = Prefetch("events", queryset=SupportIssueEvent.objects.order_by("at", "pk"))
    related = SupportIssue.objects.select_related("monitored_repository", "calendar", "policy", "integration")
    return related.prefetch_related(events)


def list_timeline_events(issue: SupportIssue) -> list[TimelineEvent]:
    """Return all stored events of an issue."""
    # `all` reads the prefetched rows. Another method of the manager would query once for each issue.
    return [row.to_timeline() for row in issue.events.all()]


def build_projection_context(issue: SupportIssue, now: datetime) -> ProjectionContext:
    """Return the context of a projection: the policy and calendar from the issue's opening, and the data limit."""
    return ProjectionContext(get_sla_policy(issue), get_calendar(issue), now, issue.monitored_repository.data_up_to)


def compute_issue_state(issue: SupportIssue, now: datetime) -> IssueState:
    """Compute the state of an issue from its events. Raises ValueError if its opening is missing."""
    return project_issue_state(list_timeline_events(issue), build_projection_context(issue, now))


def find_issue(text: str) -> SupportIssue | None:
    """Find an issue by “owner/name#12” or UUID, preferring repositories that are still monitored."""
    issues = select_issues()
    repository, _, number = text.strip().rpartition("#")
    if repository and (issue_number := parse_pk(number)) is not None:
        matches = issues.alias(named=Lower("monitored_repository__repository"))
        is_named = Q(named=repository.lower()) | Q(url__iendswith=f"/{repository}/issues/{issue_number}")
        matches = matches.filter(is_named, number=issue_number)
        # The same repository can have belonged to an integration that ended or moved to another one.
        ended_last = [F(name).desc(nulls_first=True) for name in ("monitored_repository__ended_at", "ended_at")]
        return matches.order_by(*ended_last, "-monitored_repository__began_at").first()
    try:
        return issues.filter(uuid=UUID(text.strip())).first()
    except ValueError:
        return None
