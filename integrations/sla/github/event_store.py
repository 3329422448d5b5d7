"""Storage of issues and their append-only events, each event once whatever its source.

Callers hold a transaction with the repository's row lock, so that sources never write at the same time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.dispatch import Signal

from integrations.sla.engine.participants import claims_more
from integrations.sla.engine.types import CHANGE_KINDS, COMMENT_TEXT_KINDS, LISTED_SUFFIX, IssueEventKind, TimelineEvent
from integrations.sla.github.event_mapping import UNKNOWN_ACTOR, UNREAD_SUFFIX, IssueUpdate
from integrations.sla.models import MonitoredRepository, SupportIssue, SupportIssueEvent
from integrations.sla.selectors import policies
from portal.core.value_types import NamedValues
from verification.sources.github.issue_models import GitHubIssue

# Webhooks report the time of the issue's last update, and lists the time of the change. They rarely differ by 1 second.
SAME_CHANGE_TOLERANCE = timedelta(seconds=5)
issues_changed = Signal()  # sent with `issue_ids` of new and renamed issues, in the transaction that stored them
LISTED_KEY_PREFIX = "event:"  # key prefix of changes from a list; keys from webhooks start with their kind


@dataclass(frozen=True, slots=True)
class IssueEventBatch:
    """Comment events of an issue that is identified by its number only."""

    number: int
    events: tuple[TimelineEvent, ...]


def store_updates(
    monitored_repository: MonitoredRepository,
    updates: Iterable[IssueUpdate],
    source: str,
    now: datetime,
    batches: Iterable[IssueEventBatch] = (),
) -> set[int]:
    """Store new issues and events. Return the primary keys of the issues that changed."""
    updates = list(updates)
    batches = list(batches)
    listed_issues = [update.issue for update in updates]
    ids_by_github_id, created_ids = _upsert_issues(monitored_repository, listed_issues, source, now)
    # An ended issue of an earlier repository can have the same number.
    batch_issues = SupportIssue.objects.filter(
        monitored_repository=monitored_repository, number__in={batch.number for batch in batches}, ended_at=None
    )
    ids_by_number = dict(batch_issues.values_list("number", "pk")) if batches else {}
    events_by_issue: dict[int, list[TimelineEvent]] = {}
    for issue_id, events in (
        *((ids_by_github_id.get(update.issue.id), update.events) for update in updates),
        *((ids_by_number.get(batch.number), batch.events) for batch in batches),
    ):
        if issue_id is not None:
            events_by_issue.setdefault(issue_id, []).extend(events)
    return created_ids | _append_events(events_by_issue, source, now)


def _upsert_issues(
    monitored_repository: MonitoredRepository, issues: Iterable[GitHubIssue], source: str, now: datetime
) -> tuple[dict[int, int], set[int]]:
    """Return the primary keys of the issues by GitHub ID, and those of new, resumed, and ended ones.

    Issues opened before the start of support, or before the integration moved to this repository, are not covered and
    not stored. If it moves back, polls resume the ended issues of the repository.
    """
    # Several deliveries of a batch can be about one issue. The last entry of a key wins.
    newest_issues = {issue.id: issue for issue in sorted(issues, key=lambda issue: issue.updated_at)}
    ids_by_github_id: dict[int, int] = {}
    taken_numbers, changed_ids = _settle_numbers(monitored_repository, newest_issues, source, now)
    renamed_ids = set[int]()
    for row in SupportIssue.objects.filter(monitored_repository=monitored_repository, github_id__in=newest_issues):
        issue = newest_issues.pop(row.github_id)
        # A forged webhook must not resume an issue. Nor is one resumed if support began again after its opening.
        if row.ended_at is not None and (source != "poll" or row.opened_at < monitored_repository.began_at):
            continue
        ids_by_github_id[issue.id] = row.pk
        changed_ids |= {row.pk} if row.ended_at is not None else set()
        renamed_ids |= {row.pk} if _update_issue(monitored_repository, row, issue, source) else set()
    covered_from = monitored_repository.moved_at or monitored_repository.began_at
    for github_id, issue in sorted(newest_issues.items()):
        if issue.created_at >= covered_from and issue.number not in taken_numbers:
            ids_by_github_id[github_id] = _create_issue(monitored_repository, issue).pk
            changed_ids.add(ids_by_github_id[github_id])
    if changed_ids or renamed_ids:
        issues_changed.send(_upsert_issues, issue_ids=changed_ids | renamed_ids)
    return ids_by_github_id, changed_ids


def _settle_numbers(
    monitored_repository: MonitoredRepository, issues: Mapping[int, GitHubIssue], source: str, now: datetime
) -> tuple[set[int], set[int]]:
    """Return the numbers that belong to other issues, and the primary keys of issues that end.

    Comments and denials find their issue by its number. A forged webhook can report a number under another ID, so an
    issue keeps its number unless GitHub lists another one with it.
    """
    others = SupportIssue.objects.filter(
        monitored_repository=monitored_repository, ended_at=None, number__in={issue.number for issue in issues.values()}
    ).exclude(github_id__in=issues)
    numbers_by_pk = dict(others.values_list("pk", "number"))
    if source != "poll":
        return set(numbers_by_pk.values()), set()
    SupportIssue.objects.filter(pk__in=numbers_by_pk).update(ended_at=now)
    return set(), set(numbers_by_pk)


def _update_issue(
    monitored_repository: MonitoredRepository, row: SupportIssue, issue: GitHubIssue, source: str
) -> bool:
    """Update the columns of an issue. Return whether it was renamed."""
    # A forged webhook can report another number, or a title with a time in the future.
    number = issue.number if source == "poll" else row.number
    is_corrected = source == "poll" and (issue.updated_at, number) != (row.updated_at, row.number)
    is_changed = issue.updated_at > row.updated_at or is_corrected
    values: NamedValues = {"ended_at": None} if row.ended_at is not None else {}
    if is_changed:
        url = _build_url(monitored_repository, number)
        values |= {"number": number, "title": issue.title, "url": url, "updated_at": issue.updated_at}
    # A forged webhook can report a later opening to move the due date, or another author.
    if issue.created_at < row.opened_at:
        values["opened_at"] = issue.created_at
    if source == "poll" and issue.user and issue.user.login not in (row.author, UNKNOWN_ACTOR.login):
        values["author"] = issue.user.login
    if values:
        SupportIssue.objects.filter(pk=row.pk).update(**values)
    return is_changed and (row.number, row.title) != (number, issue.title)


def _build_url(monitored_repository: MonitoredRepository, number: int) -> str:
    # Not the URL of the payload: emails and pages link to it, and a forged webhook can contain any.
    return f"{settings.GITHUB_WEB_URL}/{monitored_repository.repository}/issues/{number}"


def _create_issue(monitored_repository: MonitoredRepository, issue: GitHubIssue) -> SupportIssue:
    return SupportIssue.objects.create(
        monitored_repository=monitored_repository,
        integration_id=monitored_repository.integration_id,
        github_id=issue.id,
        number=issue.number,
        title=issue.title,
        url=_build_url(monitored_repository, issue.number),
        author=issue.user.login if issue.user else "ghost",
        opened_at=issue.created_at,
        updated_at=issue.updated_at,
        **policies.get_policy_snapshot(monitored_repository.integration, issue.created_at),
    )


def _append_events(events_by_issue: Mapping[int, list[TimelineEvent]], source: str, now: datetime) -> set[int]:
    """Append new events. Return the primary keys of their issues."""
    known_events: dict[int, dict[str, TimelineEvent]] = {issue_id: {} for issue_id in events_by_issue}
    for row in SupportIssueEvent.objects.filter(issue__in=events_by_issue):
        known_events[row.issue_id][row.key] = row.to_timeline()
    new_rows = []
    for issue_id, events in events_by_issue.items():
        known = known_events[issue_id]
        for reported_event in events:
            event = _rekey_listed_event(reported_event, known) if source == "poll" else reported_event
            if not _is_known(event, known):
                known[event.key] = event
                new_rows.append(SupportIssueEvent.from_timeline(issue_id, event, source, now))
    SupportIssueEvent.objects.bulk_create(new_rows, ignore_conflicts=True, batch_size=500)
    return {row.issue_id for row in new_rows}


def _rekey_listed_event(event: TimelineEvent, known_events: Mapping[str, TimelineEvent]) -> TimelineEvent:
    """Give a listed event its own key if it contradicts the known one, which a webhook can have forged. It counts."""
    known_event = known_events.get(event.key.removesuffix(UNREAD_SUFFIX)) or known_events.get(event.key)
    if known_event is None or event.kind not in (IssueEventKind.OPENED, *COMMENT_TEXT_KINDS):
        return event
    # Issues and comments of deleted accounts get another author, too.
    is_contradicted = event.actor.login != UNKNOWN_ACTOR.login and (
        (event.actor.id, event.actor.type) != (known_event.actor.id, known_event.actor.type)
        or claims_more(known_event.actor, event.actor)
    )
    if event.kind is IssueEventKind.OPENED:
        is_contradicted = is_contradicted or event.at < known_event.at
    else:
        has_other_text = "unread" not in event.data and event.text != known_event.text
        is_contradicted = is_contradicted or event.at != known_event.at or has_other_text
    return replace(event, key=f"{event.key}{LISTED_SUFFIX}") if is_contradicted else event


def _is_known(event: TimelineEvent, known_events: Mapping[str, TimelineEvent]) -> bool:
    """Return whether an event is stored under its key, under its comment's key, or from the other source."""
    base_key = event.key.removesuffix(UNREAD_SUFFIX)
    return event.key in known_events or base_key in known_events or is_duplicate_change(event, known_events.values())


def is_duplicate_change(event: TimelineEvent, known_events: Iterable[TimelineEvent]) -> bool:
    """Return whether a change is known from the other source. Webhooks and lists use different keys for changes.

    Only a list has the commit that closed an issue, so such an event is stored in addition.
    """
    if event.kind not in CHANGE_KINDS or event.data.get("commit") or event.data.get("guessed"):
        return False
    is_listed = event.key.startswith(LISTED_KEY_PREFIX)
    same_changes = [
        other
        for other in known_events
        if (other.kind, other.label, other.actor.id) == (event.kind, event.label, event.actor.id)
        and not other.data.get("guessed")
        and abs(other.at - event.at) <= SAME_CHANGE_TOLERANCE
    ]
    # An issue can be closed and reopened within the tolerance, so each report of one source matches one of the other.
    other_source_count = sum(other.key.startswith(LISTED_KEY_PREFIX) != is_listed for other in same_changes)
    return other_source_count > len(same_changes) - other_source_count
