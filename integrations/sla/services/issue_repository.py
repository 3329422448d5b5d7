"""Repository whose issues the SLA clocks of an integration measure."""

from typing import NamedTuple

from integrations.submissions.models import Integration
from integrations.submissions.selectors.answers import get_issue_tracker
from portal.core.repository_urls import find_issue_repository


class IssueRepository(NamedTuple):
    """Full name of a repository, blank without one, and its ID on GitHub, None if it is unknown."""

    repository: str
    repository_id: int | None


def get_issue_repository(integration: Integration) -> IssueRepository:
    """Return the repository of the issue tracker if it is on GitHub, or else the repository of the integration."""
    tracker = find_issue_repository(get_issue_tracker(integration))
    if tracker and tracker.casefold() != integration.repository.casefold():
        return IssueRepository(tracker, None)  # the first poll records the ID
    return IssueRepository(integration.repository, integration.repository_id)


def find_unmeasured_tracker(integration: Integration) -> str:
    """Return the URL of an issue tracker that isn't on GitHub, so that no clock measures its issues. Blank if none."""
    tracker = get_issue_tracker(integration)
    return "" if is_measurable(tracker) else tracker


def is_measurable(tracker: str) -> bool:
    """Return whether the clocks measure the issues of a tracker. Without a tracker, those of the repository count."""
    return not tracker or bool(find_issue_repository(tracker))
