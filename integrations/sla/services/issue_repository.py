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
    """Return the repository of the issue tracker if the clocks measure it, or else that of the integration."""
    tracker = _find_measured_repository(get_issue_tracker(integration), integration.repository)
    if tracker and tracker.casefold() != integration.repository.casefold():
        return IssueRepository(tracker, None)  # the first poll records the ID
    return IssueRepository(integration.repository, integration.repository_id)


def find_unmeasured_tracker(integration: Integration) -> str:
    """Return the URL of an issue tracker whose issues no clock measures. Blank if none."""
    tracker = get_issue_tracker(integration)
    return "" if is_measurable(tracker, integration.repository) else tracker


def is_measurable(tracker: str, repository: str) -> bool:
    """Return whether the clocks measure the issues of a tracker. Without a tracker, those of the repository count."""
    return not tracker or bool(_find_measured_repository(tracker, repository))


def _find_measured_repository(tracker: str, repository: str) -> str:
    """Return "owner/name" of a tracker on GitHub, blank for another one, or if the repository has another owner.

    A partner could otherwise name any repository: its users don't report there, and the replies of that repository's
    members would count as the partner's.
    """
    tracker_repository = find_issue_repository(tracker)
    has_same_owner = _get_owner(tracker_repository) == _get_owner(repository)
    return tracker_repository if has_same_owner or not repository else ""


def _get_owner(repository: str) -> str:
    return repository.partition("/")[0].casefold()
