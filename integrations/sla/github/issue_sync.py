"""Detection of changes in a repository's issues since the last poll. Reads from GitHub without writing.

An unchanged repository takes one request. Otherwise this verifies the repository's identity, then reads comments and
events, including those that webhooks missed or reported wrongly.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from integrations.sla.engine.types import IssueEventKind, TimelineEvent
from integrations.sla.github import event_mapping, event_verification
from integrations.sla.github.event_mapping import UNKNOWN_ACTOR, UNREAD_SUFFIX, IssueUpdate
from integrations.sla.github.event_store import IssueEventBatch
from integrations.sla.models import MonitoredRepository, SupportIssue, SupportIssueEvent
from portal.core.value_types import NamedValues
from verification.sources.errors import SourceError
from verification.sources.github import issues
from verification.sources.github.api import GitHubApi
from verification.sources.github.issue_models import GitHubComment, GitHubIssue, GitHubIssueEvent

FULL_SYNC_INTERVAL = timedelta(days=1)
PRIVATE = (
    "The repository is private, so the portal does not read its issues and records no SLA breach. "
    "Make the repository public to resume monitoring"
)
SETTLING_PERIOD = timedelta(minutes=1)  # after this time, no further change with the same second is expected


@dataclass(slots=True)
class RepositoryChanges:
    """Changes of a poll, the cursors for the next poll, and the repository's current name and ID."""

    updates: list[IssueUpdate] = field(default_factory=list)
    batches: list[IssueEventBatch] = field(default_factory=list)
    cursors: NamedValues = field(default_factory=dict)
    name: str = ""
    number: int | None = None


def fetch_changes(api: GitHubApi, monitored_repository: MonitoredRepository, now: datetime) -> RepositoryChanges:
    """Fetch everything that changed since the cursors. After a SourceError, nothing counts as read."""
    changes = RepositoryChanges(
        cursors=dict(monitored_repository.cursors),
        name=monitored_repository.repository,
        number=monitored_repository.repository_id,
    )
    # No list names deleted issues, and what only a forged webhook reported must be verified even if no list changes.
    last_full_sync_at = monitored_repository.cursors.get("full_at")
    is_full_sync = last_full_sync_at is None or datetime.fromisoformat(last_full_sync_at) + FULL_SYNC_INTERVAL <= now
    # Our credential may see more than the public, and the partner didn't grant access: verify visibility first.
    # An anonymous client only sees public repositories and has a small rate limit, so it verifies later.
    if api.has_credential:
        _verify_identity(api, monitored_repository, changes)
    if _fetch_issues(api, monitored_repository, changes, now) or is_full_sync:
        if not api.has_credential:
            _verify_identity(api, monitored_repository, changes)
        _fetch_comments(api, monitored_repository, changes)
        _fetch_events(api, monitored_repository, changes)
        activity = event_verification.collect_listed_activity(changes.updates, changes.batches)
        changes.batches += event_verification.flag_unverified_events(
            api, monitored_repository, activity, changes.cursors, now
        )
    if is_full_sync:
        _record_deleted_issues(api, monitored_repository, changes, now)
        changes.cursors["full_at"] = now.isoformat()
    return changes


def _fetch_issues(
    api: GitHubApi, monitored_repository: MonitoredRepository, changes: RepositoryChanges, now: datetime
) -> bool:
    """Fetch changed issues. Return whether any changed: the list starts with the last known change."""
    last_changed_at = _get_cursor(monitored_repository, "issues")
    known_ids = set(monitored_repository.cursors.get("last", ()))
    pages = issues.iterate_changes(
        api, monitored_repository.repository, "issues", GitHubIssue, last_changed_at, state="all"
    )
    changed_issues = [issue for page in pages for issue in page]
    if not changed_issues:
        return False
    newest = max(issue.updated_at for issue in changed_issues)
    newest_ids = [issue.id for issue in changed_issues if issue.updated_at == newest]
    is_unchanged = (
        newest == last_changed_at and set(newest_ids) <= known_ids and bool(monitored_repository.cursors.get("settled"))
    )
    updates = filter(None, map(event_mapping.map_issue, changed_issues))
    changes.updates += _add_edit_events(monitored_repository, list(updates))
    changes.cursors |= {
        "issues": newest.isoformat(),
        "last": newest_ids,
        "settled": now - newest > SETTLING_PERIOD,
        "number": max(monitored_repository.cursors.get("number", 0), *(issue.number for issue in changed_issues)),
    }
    return not is_unchanged


def _add_edit_events(monitored_repository: MonitoredRepository, updates: list[IssueUpdate]) -> Iterable[IssueUpdate]:
    """Yield the updates, with an edit event for each issue whose text differs from the known text.

    GitHub's lists don't show edits of the issue text, so a lost webhook would leave no other trace.
    """
    kinds, ids = (IssueEventKind.OPENED, IssueEventKind.EDITED), [update.issue.id for update in updates]
    rows = SupportIssueEvent.objects.filter(
        issue__monitored_repository=monitored_repository, issue__github_id__in=ids, kind__in=kinds
    )
    known_bodies: dict[int, str] = {}
    # In order, so that the last known text remains. Changes of the title alone have no text.
    for row in rows.select_related("issue").order_by("at", "pk"):
        if row.kind == IssueEventKind.OPENED or row.data.get("body"):
            known_bodies[row.issue.github_id] = row.text
    for update in updates:
        is_unchanged = known_bodies.get(update.issue.id, update.issue.body) == update.issue.body
        edit_events = () if is_unchanged else (event_mapping.build_edit_event(update.issue),)
        yield replace(update, events=(*update.events, *edit_events))


def _verify_identity(api: GitHubApi, monitored_repository: MonitoredRepository, changes: RepositoryChanges) -> None:
    """Record the repository's ID and name. A renamed repository keeps its ID.

    Raises SourceError if the repository is private or the name belongs to another repository.
    """
    identity = issues.get_identity(api, monitored_repository.repository)
    if identity is None:
        return
    # The portal's credential may see issues that their owner hides (decision 0064).
    if identity.private:
        raise SourceError(PRIVATE)
    changes.number, changes.name = identity.id, identity.full_name
    if monitored_repository.repository_id is not None and changes.number != monitored_repository.repository_id:
        raise SourceError(f"The name {monitored_repository.repository} now belongs to another repository.")


def _fetch_comments(api: GitHubApi, monitored_repository: MonitoredRepository, changes: RepositoryChanges) -> None:
    """Fetch new and edited comments. Comments of issues newer than the issue list are read again next time."""
    last_changed_at, highest_number = _get_cursor(monitored_repository, "comments"), changes.cursors.get("number", 0)
    unknown_times: list[datetime] = []
    pages = issues.iterate_changes(
        api, monitored_repository.repository, "issues/comments", GitHubComment, last_changed_at
    )
    for comment in (comment for page in pages for comment in page):
        changes.batches.append(IssueEventBatch(comment.issue_number, event_mapping.map_comment(comment)))
        last_changed_at = max(last_changed_at, comment.updated_at)
        if comment.issue_number > highest_number:
            unknown_times.append(comment.updated_at)
    # A comment can arrive between the lists of issues and comments. Without its issue, it can't be stored yet.
    changes.cursors["comments"] = min([last_changed_at, *unknown_times]).isoformat()


def _fetch_events(api: GitHubApi, monitored_repository: MonitoredRepository, changes: RepositoryChanges) -> None:
    last_event_id = int(monitored_repository.cursors.get("event", 0))
    events = issues.list_events_after(
        api, monitored_repository.repository, last_event_id, monitored_repository.began_at
    )
    changes.updates += filter(None, map(event_mapping.map_event, events))
    for event in events:
        if event.event == "comment_deleted" and event.issue:
            _record_deleted_comments(api, monitored_repository, changes, event, event.issue.number)
    if events:
        changes.cursors["event"] = events[-1].id


def _record_deleted_comments(
    api: GitHubApi,
    monitored_repository: MonitoredRepository,
    changes: RepositoryChanges,
    event: GitHubIssueEvent,
    number: int,
) -> None:
    """Record deleted comments. The event doesn't name the comment, so compare the known with the listed comments."""
    comments = SupportIssueEvent.objects.filter(
        issue__monitored_repository=monitored_repository, issue__number=number, kind=IssueEventKind.COMMENTED
    )
    known_keys = {key.removesuffix(UNREAD_SUFFIX) for key in comments.values_list("key", flat=True)}
    listed_keys = set(
        map(event_mapping.build_comment_key, issues.list_comment_ids(api, monitored_repository.repository, number))
    )
    deletions = (
        event_mapping.build_deletion_event(key, event.created_at, event.actor)
        for key in sorted(known_keys - listed_keys)
    )
    changes.batches.append(IssueEventBatch(number, tuple(deletions)))


def _record_deleted_issues(
    api: GitHubApi, monitored_repository: MonitoredRepository, changes: RepositoryChanges, now: datetime
) -> None:
    """Record deleted and transferred issues. No list shows them, but they are missing from the open issues."""
    open_numbers = SupportIssue.objects.filter(monitored_repository=monitored_repository, is_open=True).values_list(
        "number", flat=True
    )
    # An open issue that is missing from the list and changed in this poll was closed, not deleted.
    updated_numbers = {update.issue.number for update in changes.updates}
    deletion = TimelineEvent("deleted", IssueEventKind.DELETED, now, UNKNOWN_ACTOR)
    for number in sorted(
        set(open_numbers) - issues.list_open_numbers(api, monitored_repository.repository) - updated_numbers
    ):
        if issues.is_gone(api, monitored_repository.repository, number):
            changes.batches.append(IssueEventBatch(number, (deletion,)))


def _get_cursor(monitored_repository: MonitoredRepository, name: str) -> datetime:
    cursor = monitored_repository.cursors.get(name)
    return datetime.fromisoformat(cursor) if cursor else monitored_repository.began_at
