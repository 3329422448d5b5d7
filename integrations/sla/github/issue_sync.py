"""Detection of changes in a repository's issues since the last poll. Reads from GitHub without writing.

An unchanged repository takes one request. Otherwise this verifies the repository's identity, then reads comments and
events, including those that webhooks missed or reported wrongly.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from integrations.sla.engine.types import LISTED_SUFFIX, IssueEventKind, TimelineEvent
from integrations.sla.github import event_mapping, event_verification
from integrations.sla.github.event_mapping import UNKNOWN_ACTOR, IssueUpdate
from integrations.sla.github.event_store import IssueEventBatch
from integrations.sla.models import MonitoredRepository, SupportIssue, SupportIssueEvent
from portal.core.value_types import NamedValues
from verification.sources.errors import SourceError, SourceNotFoundError
from verification.sources.github import issues
from verification.sources.github.api import GitHubApi
from verification.sources.github.issue_models import GitHubComment, GitHubIssue, GitHubIssueEvent

FULL_SYNC_INTERVAL = timedelta(days=1)
PRIVATE = (
    "The repository is private, so the portal does not read its issues and records no SLA breach. "
    "Make the repository public to resume monitoring"
)
SETTLING_PERIOD = timedelta(minutes=1)  # after this time, no further change with the same second is expected
Row = TypeVar("Row")


class PrivateRepositoryError(SourceError):
    """Repository that the portal could read, but whose issues its owner hides."""


@dataclass(slots=True)
class IssueSync:
    """Changes of a repository since the last poll, cursors for the next one, and its current name and ID.

    A long list is read in portions: if `is_partial`, the next poll continues at the cursors.
    """

    api: GitHubApi
    monitored_repository: MonitoredRepository
    now: datetime
    updates: list[IssueUpdate] = field(default_factory=list)
    batches: list[IssueEventBatch] = field(default_factory=list)
    cursors: NamedValues = field(init=False)
    name: str = field(init=False)
    number: int | None = field(init=False)
    is_partial: bool = False

    def __post_init__(self) -> None:
        """Start from the stored state of the repository."""
        self.cursors = dict(self.monitored_repository.cursors)
        self.name = self.monitored_repository.repository
        self.number = self.monitored_repository.repository_id

    def run(self) -> None:
        """Fetch everything that changed since the cursors. After a SourceError, nothing counts as read."""
        # No list names deleted issues, and what only a forged webhook reported must be verified even if no list
        # changes.
        last_at = self.cursors.get("full_at")
        is_due = last_at is None or datetime.fromisoformat(last_at) + FULL_SYNC_INTERVAL <= self.now
        is_full = is_due or self.cursors.get("has_unverified", False) or self.cursors.get("is_partial", False)
        # Our credential may see more than the public, and the partner didn't grant access: verify visibility first.
        # An anonymous client only sees public repositories and has a small rate limit, so it verifies later.
        if self.api.has_credential:
            self._verify_identity()
        if self._fetch_issues() or is_full:
            if not self.api.has_credential:
                self._verify_identity()
            self._fetch_activity()
        if is_full and not self.is_partial and not self._is_renamed():
            self._record_deleted_issues()
            self.cursors["full_at"] = self.now.isoformat()

    def _fetch_activity(self) -> None:
        """Fetch the comments and events, each after all of the list before, and verify the events of webhooks."""
        # A comment can't be stored before its issue was read.
        if not self.is_partial:
            self._fetch_comments()
        self.cursors["is_partial"] = self.is_partial
        if self.is_partial:
            return
        self._fetch_events()
        if not self._is_renamed():
            activity = event_verification.collect_listed_activity(self.updates, self.batches)
            self.batches += event_verification.flag_unverified_events(
                self.api, self.monitored_repository, activity, self.cursors, self.now
            )

    def _is_renamed(self) -> bool:
        """Return whether the poll uses an old name, whose redirects look as if all issues had been transferred."""
        return self.name.casefold() != self.monitored_repository.repository.casefold()

    def _fetch_issues(self) -> bool:
        """Fetch changed issues. Return whether any changed: the list starts with the last known change."""
        # All of them, to find the ended issues of a repository to which the integration moved back.
        last_changed_at = self._get_cursor("issues", self.monitored_repository.began_at)
        known_ids = set(self.cursors.get("last", ()))
        pages = issues.iterate_changes(
            self.api, self.monitored_repository.repository, "issues", GitHubIssue, last_changed_at, state="all"
        )
        changed_issues = list(self._take_rows(pages))
        if not changed_issues:
            return False
        newest = max(issue.updated_at for issue in changed_issues)
        newest_ids = [issue.id for issue in changed_issues if issue.updated_at == newest]
        is_settled = bool(self.cursors.get("settled"))
        self.updates += self._add_edit_events(list(filter(None, map(event_mapping.map_issue, changed_issues))))
        self.cursors |= {
            "issues": newest.isoformat(),
            "last": newest_ids,
            "settled": self.now - newest > SETTLING_PERIOD,
            "number": max(self.cursors.get("number", 0), *(issue.number for issue in changed_issues)),
        }
        return not (newest == last_changed_at and set(newest_ids) <= known_ids and is_settled)

    def _take_rows(self, pages: Iterable[list[Row]]) -> Iterator[Row]:
        """Yield the rows of the pages that a poll may read."""
        for number, page in enumerate(pages, 1):
            yield from page
            # A shorter page is the last one.
            if number == issues.MAX_PAGES and len(page) == issues.PAGE_SIZE:
                self.is_partial = True
                return

    def _add_edit_events(self, updates: list[IssueUpdate]) -> Iterable[IssueUpdate]:
        """Yield the updates, with an edit event for each issue whose text differs from the known text.

        GitHub's lists don't show edits of the issue text, so a lost webhook would leave no other trace.
        """
        kinds = (IssueEventKind.OPENED, IssueEventKind.EDITED)
        ids = [update.issue.id for update in updates]
        rows = SupportIssueEvent.objects.filter(
            issue__monitored_repository=self.monitored_repository, issue__github_id__in=ids, kind__in=kinds
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

    def _verify_identity(self) -> None:
        """Record the repository's ID and name. A renamed repository keeps its ID.

        Raises SourceError if the repository is private or the name belongs to another repository.
        """
        identity = issues.get_identity(self.api, self.monitored_repository.repository)
        if identity is None:
            return
        # The portal's credential may see issues that their owner hides (decision 0064).
        if identity.private:
            raise PrivateRepositoryError(PRIVATE)
        self.number = identity.id
        self.name = identity.full_name
        if self.monitored_repository.repository_id not in (None, self.number):
            raise SourceError(f"The name {self.monitored_repository.repository} now belongs to another repository.")

    def _fetch_comments(self) -> None:
        """Fetch new and edited comments. Comments of issues newer than the issue list are read again next time."""
        last_changed_at = self._get_cursor("comments", self._get_cursor("moved", self.monitored_repository.began_at))
        highest_number = self.cursors.get("number", 0)
        unknown_times: list[datetime] = []
        pages = issues.iterate_changes(
            self.api, self.monitored_repository.repository, "issues/comments", GitHubComment, last_changed_at
        )
        for comment in self._take_rows(pages):
            self.batches.append(IssueEventBatch(comment.issue_number, event_mapping.map_comment(comment)))
            last_changed_at = max(last_changed_at, comment.updated_at)
            if comment.issue_number > highest_number:
                unknown_times.append(comment.updated_at)
        # A comment can arrive between the lists of issues and comments. Without its issue, it can't be stored yet.
        self.cursors["comments"] = min([last_changed_at, *unknown_times]).isoformat()

    def _fetch_events(self) -> None:
        repository = self.monitored_repository
        last_event_id = int(self.cursors.get("event", 0))
        since = self._get_cursor("moved", repository.began_at)
        events = issues.list_events_after(self.api, repository.repository, last_event_id, since)
        self.updates += filter(None, map(event_mapping.map_event, events))
        for event in events:
            if event.event == "comment_deleted" and event.issue:
                self._record_deleted_comments(event, event.issue)
        if events:
            self.cursors["event"] = events[-1].id

    def _record_deleted_comments(self, event: GitHubIssueEvent, issue: GitHubIssue) -> None:
        """Record deleted comments. The event doesn't name the comment, so compare the known with the listed ones."""
        comments = SupportIssueEvent.objects.filter(
            issue__monitored_repository=self.monitored_repository,
            issue__github_id=issue.id,
            kind=IssueEventKind.COMMENTED,
        )
        known_keys = set(map(event_verification.get_comment_key, comments))
        if not known_keys:  # a pull request, or an issue that isn't covered
            return
        try:
            listed_ids = issues.list_comment_ids(self.api, self.monitored_repository.repository, issue.number)
        except SourceNotFoundError:
            return  # the issue was deleted as well, which isn't a missing repository
        deletions = (
            event_mapping.build_deletion_event(key, event.created_at, event.actor)
            for key in sorted(known_keys - set(map(event_mapping.build_comment_key, listed_ids)))
        )
        self.batches.append(IssueEventBatch(issue.number, tuple(deletions)))

    def _record_deleted_issues(self) -> None:
        """Record deleted and transferred issues. No list shows them, but they are missing from the open issues."""
        repository = self.monitored_repository.repository
        rows = SupportIssue.objects.filter(monitored_repository=self.monitored_repository, is_open=True, ended_at=None)
        # Before the list is read: a webhook can store an issue that the list doesn't have yet.
        known_numbers = set(rows.values_list("number", flat=True))
        # An open issue that is missing from the list and changed in this poll was closed, not deleted.
        present = issues.list_open_numbers(self.api, repository) | {update.issue.number for update in self.updates}
        # With a key of its own, because a forged webhook can have reported a deletion earlier, which was denied.
        key = f"{IssueEventKind.DELETED}{LISTED_SUFFIX}"
        deletion = TimelineEvent(key, IssueEventKind.DELETED, self.now, UNKNOWN_ACTOR)
        for number in sorted(known_numbers - present):
            if issues.is_gone(self.api, repository, number):
                self.batches.append(IssueEventBatch(number, (deletion,)))

    def _get_cursor(self, name: str, default: datetime) -> datetime:
        cursor = self.cursors.get(name)
        return datetime.fromisoformat(cursor) if cursor else default
