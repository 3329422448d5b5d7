"""Storage of issues and their append-only events, each event once whatever its source.

Callers hold a transaction with the repository's row lock, so that sources never write at the same time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction

from integrations.sla.engine import inputs
from integrations.sla.engine.types import IssueEventKind, TimelineEvent
from integrations.sla.github.event_mapping import UNREAD_SUFFIX, IssueUpdate
from integrations.sla.models import MonitoredRepository, SupportIssue, SupportIssueEvent
from integrations.sla.services import policies

# Webhooks give a change the time of the issue's last update, lists its own time. They rarely differ by a second.
SAME_CHANGE_TOLERANCE = timedelta(seconds=5)
CHANGE_KINDS = frozenset(
    {
        IssueEventKind.EDITED,
        IssueEventKind.LABELED,
        IssueEventKind.UNLABELED,
        IssueEventKind.CLOSED,
        IssueEventKind.REOPENED,
        IssueEventKind.LOCKED,
        IssueEventKind.UNLOCKED,
    }
)
LISTED_KEY_PREFIX = "event:"  # key prefix of changes from a list; keys from webhooks start with their kind


@dataclass(frozen=True, slots=True)
class IssueEventBatch:
    """Comment events of an issue that is identified by its number only."""

    number: int
    facts: tuple[TimelineEvent, ...]


def lock_repository(watch_id: int, *, wait: bool = False) -> MonitoredRepository | None:
    """Lock the repository's row. Return None if another process holds the lock and `wait` is False."""
    assert transaction.get_connection().in_atomic_block
    repositories = MonitoredRepository.objects.select_for_update(skip_locked=not wait, no_key=True, of=("self",))
    return repositories.select_related("integration__partner").filter(pk=watch_id).first()


def store_updates(
    watch: MonitoredRepository,
    updates: Iterable[IssueUpdate],
    source: str,
    now: datetime,
    batches: Iterable[IssueEventBatch] = (),
) -> set[int]:
    """Store new issues and events. Return the primary keys of the issues that changed."""
    updates, batches = list(updates), list(batches)
    issues, created_ids = _upsert_issues(watch, updates, now)
    issue_ids_by_number = _get_issue_ids_by_number(watch, batches)
    events_by_issue: dict[int, list[TimelineEvent]] = {}
    for update in updates:
        if update.github_id in issues:
            events_by_issue.setdefault(issues[update.github_id].pk, []).extend(update.facts)
    for batch in batches:
        if batch.number in issue_ids_by_number:
            events_by_issue.setdefault(issue_ids_by_number[batch.number], []).extend(batch.facts)
    return created_ids | _append_events(events_by_issue, source, now)


def _upsert_issues(
    watch: MonitoredRepository, updates: list[IssueUpdate], now: datetime
) -> tuple[dict[int, SupportIssue], set[int]]:
    """Return the issues by GitHub ID and the primary keys of new ones.

    Issues opened before the start of support are not covered and not stored.
    """
    newest_updates: dict[int, IssueUpdate] = {}
    for update in updates:
        if update.github_id not in newest_updates or newest_updates[update.github_id].updated_at <= update.updated_at:
            newest_updates[update.github_id] = update
    issues_by_github_id = {
        issue.github_id: issue for issue in SupportIssue.objects.filter(watch=watch, github_id__in=newest_updates)
    }
    created_ids = set()
    for github_id, issue in issues_by_github_id.items():
        update = newest_updates[github_id]
        if update.updated_at > issue.updated_at:
            SupportIssue.objects.filter(pk=issue.pk).update(
                title=update.title, url=update.url, updated_at=update.updated_at
            )
        if update.opened_at < issue.opened_at:
            SupportIssue.objects.filter(pk=issue.pk).update(opened_at=update.opened_at)
    for github_id in sorted(newest_updates.keys() - issues_by_github_id.keys()):
        if newest_updates[github_id].opened_at >= watch.began_at:
            issues_by_github_id[github_id] = _create_issue(watch, newest_updates[github_id])
            created_ids.add(issues_by_github_id[github_id].pk)
    return issues_by_github_id, created_ids


def _create_issue(watch: MonitoredRepository, update: IssueUpdate) -> SupportIssue:
    policy_snapshot = policies.get_policy_snapshot(watch.integration, update.opened_at)
    return SupportIssue.objects.create(
        watch=watch,
        integration_id=watch.integration_id,
        calendar=policy_snapshot.calendar,
        policy=policy_snapshot.policy,
        edition=policy_snapshot.edition,
        github_id=update.github_id,
        number=update.number,
        title=update.title,
        url=update.url,
        author=update.author.login,
        opened_at=update.opened_at,
        updated_at=update.updated_at,
    )


def _get_issue_ids_by_number(watch: MonitoredRepository, batches: list[IssueEventBatch]) -> dict[int, int]:
    numbers = {batch.number for batch in batches}
    issues = SupportIssue.objects.filter(watch=watch, number__in=numbers) if numbers else SupportIssue.objects.none()
    return dict(issues.values_list("number", "pk"))


def _append_events(events_by_issue: Mapping[int, list[TimelineEvent]], source: str, now: datetime) -> set[int]:
    """Append new events. Return the primary keys of their issues."""
    known_events: dict[int, dict[str, TimelineEvent]] = {issue_id: {} for issue_id in events_by_issue}
    for row in SupportIssueEvent.objects.filter(issue__in=events_by_issue):
        known_events[row.issue_id][row.key] = inputs.build_timeline_event(row)
    new_rows = []
    for issue_id, events in events_by_issue.items():
        for reported_event in events:
            event = (
                _rekey_listed_opening(reported_event, known_events[issue_id]) if source == "poll" else reported_event
            )
            if not _is_known(event, known_events[issue_id]):
                known_events[issue_id][event.key] = event
                new_rows.append(build_event_row(issue_id, event, source, now))
    SupportIssueEvent.objects.bulk_create(new_rows, ignore_conflicts=True, batch_size=500)
    return {row.issue_id for row in new_rows}


def _rekey_listed_opening(event: TimelineEvent, known_events: Mapping[str, TimelineEvent]) -> TimelineEvent:
    """Give a listed opening its own key if it is earlier than the known one. The earlier opening counts."""
    known_opening = known_events.get(event.key)
    return (
        replace(event, key=f"{event.key}:listed")
        if event.kind is IssueEventKind.OPENED and known_opening and event.at < known_opening.at
        else event
    )


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
    is_listed, reported_events = (
        event.key.startswith(LISTED_KEY_PREFIX),
        [other for other in known_events if not other.data.get("guessed")],
    )
    same_changes = [
        other
        for other in reported_events
        if (other.kind, other.label, other.actor.id) == (event.kind, event.label, event.actor.id)
    ]
    nearby_changes = [other for other in same_changes if abs(other.at - event.at) <= SAME_CHANGE_TOLERANCE]
    other_source_count = sum(other.key.startswith(LISTED_KEY_PREFIX) != is_listed for other in nearby_changes)
    return other_source_count > len(nearby_changes) - other_source_count


def build_event_row(issue_id: int, event: TimelineEvent, source: str, now: datetime) -> SupportIssueEvent:
    """Build an unsaved row for an event."""
    return SupportIssueEvent(
        issue_id=issue_id,
        key=event.key,
        kind=event.kind,
        at=event.at,
        seen_at=now,
        source=source,
        actor_id=event.actor.id,
        actor=event.actor.login,
        actor_type=event.actor.type,
        association=event.actor.association,
        text=event.text,
        label=event.label,
        data=dict(event.data),
    )
