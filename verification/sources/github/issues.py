"""Lists of a repository's issues that changed since a given time, paged without gaps.

All functions raise SourceError.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, takewhile
from typing import TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from verification.sources.errors import GitHubUnavailableError, PageLimitError, SourceError, SourceNotFoundError
from verification.sources.github.api import CachedResponse, GitHubApi, ResponseCache
from verification.sources.github.issue_models import (
    GitHubComment,
    GitHubIssue,
    GitHubIssueEvent,
    HookDelivery,
    RepositoryIdentity,
)
from verification.sources.github.requester import PAGE_SIZE, convert_github_errors

MAX_PAGES = 200  # in one run; the next run reads the rest
MAX_EVENT_PAGES = 300  # GitHub lists no older events
TOO_MANY_EVENTS = (
    "GitHub doesn't list all issue events since the last complete data, because there are too many, so the portal "
    "records no SLA breach. The program can end the support and begin it again to resume monitoring"
)
MAX_EVENTS = 1000  # of one issue
ITEM_PATH = re.compile(r"/issues/(?:comments/)?\d+(?:[/?]|$)")  # an issue or comment requested by its number
Model = TypeVar("Model", bound=BaseModel)
ChangedModel = TypeVar("ChangedModel", GitHubIssue, GitHubComment)
NOT_MODIFIED = object()  # response that equals the previous one


@dataclass(slots=True)
class EtagStore(ResponseCache):
    """Cache of the last ETag per address that stores no responses. See GitHubApi.

    A full page is not remembered, because later pages may change while it does not. Nor is a resource that is requested
    by number, because the caller needs its content.
    """

    before: Mapping[str, str]
    now: dict[str, str]

    def get(self, address: str) -> CachedResponse | None:
        etag = self.before.get(address)
        return CachedResponse(NOT_MODIFIED, etag) if etag else None

    def put(self, address: str, etag: str, value: object, *, final: bool = False) -> None:
        is_full_page = isinstance(value, list) and len(value) >= PAGE_SIZE
        if etag and not is_full_page and not ITEM_PATH.search(address):
            self.now[address] = etag

    def confirm(self, address: str) -> None:
        self.now[address] = self.before[address]


def iterate_changes(
    api: GitHubApi, repository: str, kind: str, model: type[ChangedModel], since: datetime, **parameters: str
) -> Iterator[list[ChangedModel]]:
    """Yield the pages of issues or comments changed since a time, oldest change first, or nothing if nothing changed.

    Each page begins where the last one ended, by time and not by number: what changes while we read moves to the end,
    and no row moves from a page that we have not read to one that we have read. A caller can stop after any page and
    continue at the time of its last change.
    """
    description = f"the {kind.rpartition('/')[2]} of {repository}"
    start = since
    page_number = 1
    while True:
        query = {**parameters, "sort": "updated", "direction": "asc", "since": f"{start:%Y-%m-%dT%H:%M:%SZ}"}
        page = _get_page(api, f"/repos/{repository}/{kind}", query, page_number, model, description)
        if page is not None:
            yield page
        if page is None or len(page) < PAGE_SIZE:
            return
        last = page[-1].updated_at
        # Only page numbers get past more than a page of rows that changed in the same second.
        start, page_number = (start, page_number + 1) if last == start else (last, 1)


def list_open_numbers(api: GitHubApi, repository: str) -> set[int]:
    """Return the numbers of all open issues and pull requests."""
    with convert_github_errors(f"the open issues of {repository}"):
        rows = api.get_repository(repository).get_issues(state="open", sort="created", direction="asc")
        return {issue.number for issue in rows}


def list_events_after(api: GitHubApi, repository: str, last_event_id: int, since: datetime) -> list[GitHubIssueEvent]:
    """Return the events after the one with the ID `last_event_id` (0: since a time), oldest first."""
    events: dict[int, GitHubIssueEvent] = {}
    path = f"/repos/{repository}/issues/events"
    description = f"the events of {repository}"
    for page in _iterate_pages(api, path, GitHubIssueEvent, description):
        new_events = [event for event in page if event.id > last_event_id and event.created_at >= since]
        events |= {event.id: event for event in new_events}
        # GitHub lists the newest events first, so an older one ends the search.
        if len(new_events) < len(page):
            break
    return [events[event_id] for event_id in sorted(events)]


def list_comment_ids(api: GitHubApi, repository: str, issue: int) -> set[int]:
    """Return the IDs of an issue's comments."""
    with convert_github_errors(f"the comments of {repository}#{issue}"):
        return {comment.id for comment in api.get_repository(repository).get_issue(issue).get_comments()}


def get_comment(api: GitHubApi, repository: str, comment_id: int) -> GitHubComment | None:
    """Return a comment, or None if GitHub doesn't have it."""
    return _find(api, f"/repos/{repository}/issues/comments/{comment_id}", GitHubComment, f"a comment of {repository}")


def list_issue_events(api: GitHubApi, repository: str, issue: int) -> list[GitHubIssueEvent]:
    """Return the first MAX_EVENTS events of an issue."""
    path = f"/repos/{repository}/issues/{issue}/events"
    description = f"the events of {repository}#{issue}"
    pages = islice(_iterate_pages(api, path, GitHubIssueEvent, description), MAX_EVENTS // PAGE_SIZE)
    return [event for page in pages for event in page]


def get_identity(api: GitHubApi, repository: str) -> RepositoryIdentity | None:
    """Return the repository's identity, or None if nothing changed since the last request."""
    response = api.get(f"/repos/{repository}", f"the repository {repository}")
    return None if response is NOT_MODIFIED else _parse(RepositoryIdentity, response, repository)


def is_gone(api: GitHubApi, repository: str, issue: int) -> bool:
    """Return whether the issue was deleted or moved to another repository."""
    row = _find(api, f"/repos/{repository}/issues/{issue}", GitHubIssue, f"{repository}#{issue}")
    # GitHub redirects a transferred issue to its new repository.
    return row is None or not row.repository_url.lower().endswith(f"/{repository.lower()}")


def list_failed_deliveries(
    api: GitHubApi, repository: str, hook_id: int, since: datetime
) -> list[tuple[HookDelivery, int]]:
    """Return the deliveries since a time that failed, each with the number of attempts, oldest first.

    If there are more deliveries than MAX_PAGES hold, only the newest count.
    """
    description = f"the deliveries of {repository}"
    with convert_github_errors(description):
        newest = islice(api.get_repository(repository).get_hook_deliveries(hook_id), MAX_PAGES * PAGE_SIZE)
        rows = (_parse(HookDelivery, row.raw_data, description) for row in newest)
        deliveries = list(takewhile(lambda delivery: delivery.delivered_at >= since, rows))
    # Redeliveries have the GUID of the delivery that they repeat.
    delivered = {delivery.guid for delivery in deliveries if 200 <= delivery.status_code < 300}
    attempt_counts = Counter(delivery.guid for delivery in deliveries)
    failed = {delivery.guid: delivery for delivery in reversed(deliveries) if delivery.guid not in delivered}
    return [(delivery, attempt_counts[guid]) for guid, delivery in failed.items()]


def redeliver(api: GitHubApi, repository: str, hook_id: int, delivery_id: int) -> None:
    """Request another delivery."""
    api.post(f"/repos/{repository}/hooks/{hook_id}/deliveries/{delivery_id}/attempts", f"a delivery of {repository}")


def _iterate_pages(
    api: GitHubApi, path: str, model: type[Model], description: str, **query: str
) -> Iterator[list[Model]]:
    for page_number in range(1, MAX_EVENT_PAGES + 1):
        try:
            page = _get_page(api, path, query, page_number, model, description) or []
        except PageLimitError:
            break
        yield page
        if len(page) < PAGE_SIZE:
            return
    # With only a part of the list, the rest would look as if it didn't exist.
    raise SourceError(TOO_MANY_EVENTS)


def _get_page(
    api: GitHubApi, path: str, query: Mapping[str, str], page_number: int, model: type[Model], description: str
) -> list[Model] | None:
    """Return a page, or None if it did not change since the last request."""
    page_query = {"page": str(page_number)} if page_number > 1 else {}
    response = api.get(f"{path}?{urlencode({**query, 'per_page': str(PAGE_SIZE), **page_query})}", description)
    if response is NOT_MODIFIED:
        return None
    if not isinstance(response, list):
        raise GitHubUnavailableError(f"Can't parse GitHub's response for {description}.")
    return [_parse(model, row, description) for row in response]


def _find(api: GitHubApi, path: str, model: type[Model], description: str) -> Model | None:
    """Return a resource, or None if GitHub doesn't have it."""
    try:
        return _parse(model, api.get(path, description), description)
    except SourceNotFoundError:
        return None


def _parse(model: type[Model], response: object, description: str) -> Model:
    try:
        return model.model_validate(response)
    except ValidationError as error:
        raise GitHubUnavailableError(f"Can't parse GitHub's response for {description}.") from error
