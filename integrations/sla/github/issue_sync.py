"""Detection of changes in a repository's issues since the last poll. Reads from GitHub without writing.

An unchanged repository takes one request. Otherwise this verifies the repository's identity, then reads comments and
events, including those that webhooks missed or reported wrongly.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from integrations.sla.engine.types import IssueEventKind, TimelineEvent
from integrations.sla.github import event_verification
from integrations.sla.github.event_mapping import (
    UNKNOWN_ACTOR,
    UNREAD_SUFFIX,
    IssueUpdate,
    UnmappableEvent,
    build_comment_key,
    build_deletion_event,
    build_edit_event,
    get_body,
    map_comment,
    map_event,
    map_issue,
    parse_timestamp,
)
from integrations.sla.github.event_store import IssueEventBatch
from integrations.sla.models import MonitoredRepository, SupportIssue, SupportIssueEvent
from portal.core.value_types import JsonObject, NamedValues
from verification.sources.errors import SourceError, SourceUnavailableError
from verification.sources.github import issues
from verification.sources.github.issues import IssueApi

FULL_SYNC_INTERVAL = timedelta(days=1)
PRIVATE = (
    "The repository is private, so the portal does not read its issues and records no SLA breach. "
    "Make the repository public to resume monitoring"
)
SETTLING_PERIOD = timedelta(minutes=1)  # after this time, no further change with the same second is expected


class RepositoryMismatchError(SourceError):
    """Repository name that now belongs to another repository."""


class PrivateRepository(SourceError):
    """Private repository, which only the portal's credential may be able to read."""


@dataclass(slots=True)
class RepositoryChanges:
    """Changes of a poll and the cursors for the next poll. `is_complete` is True if all lists were read."""

    updates: list[IssueUpdate] = field(default_factory=list)
    batches: list[IssueEventBatch] = field(default_factory=list)
    cursors: NamedValues = field(default_factory=dict)
    name: str = ""
    number: int | None = None
    is_complete: bool = False


def fetch_changes(api: IssueApi, watch: MonitoredRepository, now: datetime) -> RepositoryChanges:
    """Fetch everything that changed since the cursors. After a SourceError, nothing counts as read."""
    changes = RepositoryChanges(cursors=dict(watch.cursors), name=watch.repository, number=watch.repository_id)
    last_full_sync_at = watch.cursors.get("full_at")
    is_full_sync = last_full_sync_at is None or datetime.fromisoformat(last_full_sync_at) + FULL_SYNC_INTERVAL <= now
    try:
        # Our credential may see more than the public, and the partner didn't grant access: verify visibility first.
        # An anonymous client only sees public repositories and has a small rate limit, so it verifies later.
        if api.has_credential:
            _verify_identity(api, watch, changes)
        has_changes = _fetch_issues(api, watch, changes, now)
        if has_changes or is_full_sync:
            if not api.has_credential:
                _verify_identity(api, watch, changes)
            _fetch_comments(api, watch, changes)
            _fetch_events(api, watch, changes, now)
            changes.is_complete = True
            activity = event_verification.collect_listed_activity(changes.updates, changes.batches)
            changes.batches += event_verification.flag_unverified_events(api, watch, activity, changes.cursors, now)
        if is_full_sync:
            _record_deleted_issues(api, watch, changes, now)
            changes.cursors["full_at"] = now.isoformat()
    except (UnmappableEvent, KeyError, TypeError, ValueError) as error:
        raise SourceUnavailableError(f"GitHub sent an unexpected response for {watch.repository}.") from error
    return changes


def _fetch_issues(api: IssueApi, watch: MonitoredRepository, changes: RepositoryChanges, now: datetime) -> bool:
    """Fetch changed issues. Return whether any changed: the list starts with the last known change."""
    last_changed_at, known_ids = _get_cursor(watch, "issues"), set(watch.cursors.get("last", ()))
    raw_issues = [
        raw
        for page in issues.iterate_changes(api, watch.repository, "issues", last_changed_at, state="all")
        for raw in page
    ]
    if not raw_issues:
        return False
    newest = max(parse_timestamp(raw["updated_at"]) for raw in raw_issues)
    newest_ids = [int(raw["id"]) for raw in raw_issues if parse_timestamp(raw["updated_at"]) == newest]
    is_unchanged = newest == last_changed_at and set(newest_ids) <= known_ids and bool(watch.cursors.get("settled"))
    changes.updates += _add_edit_events(watch, [update for raw in raw_issues if (update := map_issue(raw))])
    highest_number = max(int(raw["number"]) for raw in raw_issues)
    changes.cursors |= {
        "issues": newest.isoformat(),
        "last": newest_ids,
        "settled": now - newest > SETTLING_PERIOD,
        "number": max(highest_number, watch.cursors.get("number", 0)),
    }
    return not is_unchanged


def _add_edit_events(watch: MonitoredRepository, updates: list[IssueUpdate]) -> Iterable[IssueUpdate]:
    """Yield the updates, with an edit event for each issue whose text differs from the known text.

    GitHub's lists don't show edits of the issue text, so a lost webhook would leave no other trace.
    """
    kinds, ids = (IssueEventKind.OPENED, IssueEventKind.EDITED), [update.github_id for update in updates]
    rows = SupportIssueEvent.objects.filter(issue__watch=watch, issue__github_id__in=ids, kind__in=kinds).order_by(
        "at", "pk"
    )
    known_bodies: dict[int, str] = {}
    for github_id, kind, text, data in rows.values_list("issue__github_id", "kind", "text", "data"):
        if kind == IssueEventKind.OPENED or data.get("body"):
            known_bodies[github_id] = text
    for update in updates:
        is_unchanged = known_bodies.get(update.github_id, get_body(update)) == get_body(update)
        yield update if is_unchanged else replace(update, facts=(*update.facts, build_edit_event(update)))


def _verify_identity(api: IssueApi, watch: MonitoredRepository, changes: RepositoryChanges) -> None:
    """Record the repository's ID and name. A renamed repository keeps its ID.

    Raises:
        RepositoryMismatchError: The name belongs to another repository.
        PrivateRepository: The repository is not public.
    """
    identity = issues.get_identity(api, watch.repository)
    if identity is None:
        return
    if identity.is_private:
        raise PrivateRepository(PRIVATE)
    changes.number, changes.name = identity.number, identity.name
    if watch.repository_id is not None and changes.number != watch.repository_id:
        raise RepositoryMismatchError(f"The name {watch.repository} now belongs to another repository.")


def _fetch_comments(api: IssueApi, watch: MonitoredRepository, changes: RepositoryChanges) -> None:
    """Fetch new and edited comments. Comments of issues newer than the issue list are read again next time."""
    last_changed_at, highest_number = _get_cursor(watch, "comments"), changes.cursors.get("number", 0)
    unknown_times: list[datetime] = []
    for page in issues.iterate_changes(api, watch.repository, "issues/comments", last_changed_at):
        for raw in page:
            number, updated_at = int(str(raw["issue_url"]).rpartition("/")[2]), parse_timestamp(raw["updated_at"])
            changes.batches.append(IssueEventBatch(number, map_comment(raw)))
            last_changed_at = max(last_changed_at, updated_at)
            if number > highest_number:
                unknown_times.append(updated_at)
    changes.cursors["comments"] = min([last_changed_at, *unknown_times]).isoformat()


def _fetch_events(api: IssueApi, watch: MonitoredRepository, changes: RepositoryChanges, now: datetime) -> None:
    last_event_id = int(watch.cursors.get("event", 0))
    raw_events = issues.list_events_after(api, watch.repository, last_event_id, watch.began_at)
    changes.updates += [update for raw in raw_events if (update := map_event(raw))]
    for raw in raw_events:
        if raw["event"] == "comment_deleted" and raw.get("issue"):
            _record_deleted_comments(api, watch, changes, raw)
    if raw_events:
        changes.cursors["event"] = int(raw_events[-1]["id"])


def _record_deleted_comments(
    api: IssueApi, watch: MonitoredRepository, changes: RepositoryChanges, raw: JsonObject
) -> None:
    """Record deleted comments. The event doesn't name the comment, so compare the known with the listed comments."""
    number = int(raw["issue"]["number"])
    comments = SupportIssueEvent.objects.filter(issue__watch=watch, issue__number=number, kind=IssueEventKind.COMMENTED)
    known_keys = {key.removesuffix(UNREAD_SUFFIX) for key in comments.values_list("key", flat=True)}
    listed_keys = {
        build_comment_key(comment_id) for comment_id in issues.list_comment_ids(api, watch.repository, number)
    }
    events = tuple(build_deletion_event(key, raw) for key in sorted(known_keys - listed_keys))
    changes.batches.append(IssueEventBatch(number, events))


def _record_deleted_issues(
    api: IssueApi, watch: MonitoredRepository, changes: RepositoryChanges, now: datetime
) -> None:
    """Record deleted and transferred issues. No list shows them, but they are missing from the open issues."""
    open_numbers = SupportIssue.objects.filter(watch=watch, is_open=True).values_list("number", flat=True)
    updated_numbers = {update.number for update in changes.updates}
    missing_numbers = set(open_numbers) - issues.list_open_numbers(api, watch.repository) - updated_numbers
    for number in sorted(missing_numbers):
        if issues.is_gone(api, watch.repository, number):
            changes.batches.append(
                IssueEventBatch(number, (TimelineEvent("deleted", IssueEventKind.DELETED, now, UNKNOWN_ACTOR),))
            )


def _get_cursor(watch: MonitoredRepository, name: str) -> datetime:
    cursor = watch.cursors.get(name)
    return datetime.fromisoformat(cursor) if cursor else watch.began_at
