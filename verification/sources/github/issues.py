"""Lists of a repository's issues that changed since a given time, paged without gaps."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlencode

from portal.core.value_types import JsonObject
from verification.sources.errors import SourceNotFoundError, SourceUnavailableError
from verification.sources.github.api import GitHubApi

PAGE_SIZE = 100
MAX_PAGES = 50
MAX_EVENTS = 1000  # of one issue
ITEM_PATH = re.compile(r"/issues/(?:comments/)?\d+(?:[/?]|$)")  # an issue or a comment asked for by its number


class IssueApi(Protocol):
    """What is needed of a client: see github_api.Api."""

    has_credential: bool

    def get(self, path: str, what: str) -> JsonObject: ...


class _NotModifiedSentinel:
    """Stands for an answer that is the one we have seen."""


NOT_MODIFIED = _NotModifiedSentinel()


@dataclass(slots=True)
class EtagStore:
    """Cache of the last ETag per address that stores no answers. See Api.

    A full page is not remembered, because later pages may change while it does not. Nor is a resource that is requested
    by number, because the caller needs its content.
    """

    before: Mapping[str, str]
    now: dict[str, str]

    def get(self, address: str) -> Any:
        etag = self.before.get(address)
        return _StoredEtag(etag) if etag else None

    def put(self, address: str, etag: str, value: object, *, final: bool = False) -> None:
        is_full_page = isinstance(value, list) and len(value) >= PAGE_SIZE
        if etag and not is_full_page and not ITEM_PATH.search(address):
            self.now[address] = etag

    def confirm(self, address: str) -> None:
        self.now[address] = self.before[address]


@dataclass(frozen=True, slots=True)
class _StoredEtag:
    etag: str
    value: Any = NOT_MODIFIED
    final: bool = False


def iterate_changes(
    api: IssueApi, repository: str, kind: str, since: datetime, **parameters: str
) -> Iterator[list[JsonObject]]:
    """The issues or comments changed since a moment, oldest change first, page by page; no page where nothing changed.

    Each page begins where the last one ended, by moment and not by number: what changes while we read moves to the
    end, and no row slips from a page that is to come onto one that was read. Raises Unreadable.
    """
    description = f"the {kind.rpartition('/')[2]} of {repository}"
    start, page_number = _format_timestamp(since), 1
    for _ in range(MAX_PAGES):
        query = {**parameters, "sort": "updated", "direction": "asc", "since": start, "per_page": str(PAGE_SIZE)}
        page = _get_list(
            api, f"/repos/{repository}/{kind}?{urlencode(query | _build_page_query(page_number))}", description
        )
        if page is not None:
            yield page
        if page is None or len(page) < PAGE_SIZE:
            return
        last_updated_at = str(page[-1]["updated_at"])
        start, page_number = (start, page_number + 1) if last_updated_at == start else (last_updated_at, 1)
    raise SourceUnavailableError(f"Too many {description} to read.")


def list_open_numbers(api: IssueApi, repository: str) -> set[int]:
    """The numbers of all open issues and pull requests. Raises Unreadable."""
    issue_numbers: set[int] = set()
    for page_number in range(1, MAX_PAGES + 1):
        query = urlencode({"state": "open", "sort": "created", "direction": "asc", "per_page": str(PAGE_SIZE)})
        page = _get_list(
            api, f"/repos/{repository}/issues?{query}&page={page_number}", f"the open issues of {repository}"
        )
        rows = page or []
        issue_numbers |= {int(row["number"]) for row in rows}
        if len(rows) < PAGE_SIZE:
            return issue_numbers
    raise SourceUnavailableError(f"Too many open issues of {repository} to read.")


def list_events_after(api: IssueApi, repository: str, last_event_id: int, since: datetime) -> list[JsonObject]:
    """What happened to issues after the event numbered `last_event_id` (0: since a moment), oldest first.

    Raises Unreadable.
    """
    description, started_at, events = f"the events of {repository}", _format_timestamp(since), []
    for page_number in range(1, MAX_PAGES + 1):
        query = urlencode({"per_page": str(PAGE_SIZE)} | _build_page_query(page_number))
        page = _get_list(api, f"/repos/{repository}/issues/events?{query}", description)
        rows = page or []
        new_events = [row for row in rows if int(row["id"]) > last_event_id and str(row["created_at"]) >= started_at]
        events += new_events
        if len(new_events) < len(rows) or len(rows) < PAGE_SIZE:
            return sorted({int(row["id"]): row for row in events}.values(), key=lambda row: int(row["id"]))
    raise SourceUnavailableError(f"Too many {description} to read.")


def list_comment_ids(api: IssueApi, repository: str, issue: int) -> set[int]:
    """The ids of the comments that an issue has. Raises Unreadable."""
    comment_ids: set[int] = set()
    for page_number in range(1, MAX_PAGES + 1):
        query = urlencode({"per_page": str(PAGE_SIZE)} | _build_page_query(page_number))
        path = f"/repos/{repository}/issues/{issue}/comments?{query}"
        rows = _get_list(api, path, f"the comments of {repository}#{issue}") or []
        comment_ids |= {int(row["id"]) for row in rows}
        if len(rows) < PAGE_SIZE:
            return comment_ids
    raise SourceUnavailableError(f"Too many comments of {repository}#{issue} to read.")


def get_comment(api: IssueApi, repository: str, comment_id: int) -> JsonObject | None:
    """One comment; None where GitHub has none of that number. Raises Unreadable."""
    description = f"a comment of {repository}"
    try:
        raw = api.get(f"/repos/{repository}/issues/comments/{comment_id}", description)
    except SourceNotFoundError:
        return None
    return _validate_rows([raw], description)[0]


def list_issue_events(api: IssueApi, repository: str, issue: int) -> list[JsonObject]:
    """What happened to one issue; of more than MOST_EVENTS the first ones. Raises Unreadable."""
    description, events = f"the events of {repository}#{issue}", []
    for page_number in range(1, MAX_EVENTS // PAGE_SIZE + 1):
        query = urlencode({"per_page": str(PAGE_SIZE)} | _build_page_query(page_number))
        path = f"/repos/{repository}/issues/{issue}/events?{query}"
        rows = _get_list(api, path, description) or []
        events += rows
        if len(rows) < PAGE_SIZE:
            break
    return events


@dataclass(frozen=True, slots=True)
class Identity:
    """A repository's number, its current name, and whether the public can't see it."""

    number: int
    name: str
    is_private: bool


def get_identity(api: IssueApi, repository: str) -> Identity | None:
    """Return the repository's identity, or None where nothing changed since it was last read. Raises Unreadable."""
    raw = api.get(f"/repos/{repository}", f"the repository {repository}")
    if raw is NOT_MODIFIED:
        return None
    try:
        return Identity(int(raw["id"]), str(raw["full_name"]), bool(raw["private"]))
    except (KeyError, TypeError, ValueError) as error:
        raise SourceUnavailableError(f"Can't parse GitHub's response for {repository}.") from error


def is_gone(api: IssueApi, repository: str, issue: int) -> bool:
    """Whether GitHub says that the issue is there no longer. Raises Unreadable for all but a plain answer."""
    try:
        raw = api.get(f"/repos/{repository}/issues/{issue}", f"{repository}#{issue}")
    except SourceNotFoundError:
        return True
    return raw is not NOT_MODIFIED and not str(raw.get("repository_url", "")).lower().endswith(f"/{repository.lower()}")


def list_failed_deliveries(
    api: GitHubApi, repository: str, hook_id: int, since: datetime
) -> list[tuple[JsonObject, int]]:
    """What GitHub tried to deliver since a moment and could not, each with how often it tried; oldest first.

    Raises Unreadable. Of more deliveries than we read at once, those that came last are looked at.
    """
    rows = _list_deliveries(api, repository, hook_id, _format_timestamp(since))
    delivered_guids = {row["guid"] for row in rows if 200 <= int(row["status_code"]) < 300}
    attempt_counts = Counter(row["guid"] for row in rows)
    failed_by_guid = {row["guid"]: row for row in reversed(rows) if row["guid"] not in delivered_guids}
    return [(row, attempt_counts[guid]) for guid, row in failed_by_guid.items()]


def _list_deliveries(api: GitHubApi, repository: str, hook_id: int, since: str) -> list[JsonObject]:
    """Newest first."""
    deliveries: list[JsonObject] = []
    cursor, description = "", f"the deliveries of {repository}"
    for _ in range(MAX_PAGES):
        query = urlencode({"per_page": str(PAGE_SIZE)} | ({"cursor": cursor} if cursor else {}))
        page, cursor = api.page(f"/repos/{repository}/hooks/{hook_id}/deliveries?{query}", description)
        rows = _validate_rows(page, description)
        recent_rows = [row for row in rows if str(row["delivered_at"]) >= since]
        deliveries += recent_rows
        if not cursor or len(recent_rows) < len(rows):
            break
    return deliveries


def redeliver(api: GitHubApi, repository: str, hook_id: int, delivery_id: int) -> None:
    """Have GitHub deliver once more. Raises Unreadable."""
    api.post(f"/repos/{repository}/hooks/{hook_id}/deliveries/{delivery_id}/attempts", f"a delivery of {repository}")


def _get_list(api: IssueApi, path: str, description: str) -> list[JsonObject] | None:
    response = api.get(path, description)
    return None if response is NOT_MODIFIED else _validate_rows(response, description)


def _validate_rows(rows: object, description: str) -> list[JsonObject]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SourceUnavailableError(f"Can't parse GitHub's response for {description}.")
    return rows


def _build_page_query(number: int) -> dict[str, str]:
    return {"page": str(number)} if number > 1 else {}


def _format_timestamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
