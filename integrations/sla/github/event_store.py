"""How does what GitHub tells become rows? Issues and their facts, append-only, each fact once, whoever tells it.

Called in a transaction that holds the watch's row, so that two tellers of one repository never meet.
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

# A webhook gives a change the moment of the issue's last update, a list its own: they are rarely a second apart.
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
LISTED_KEY_PREFIX = "event:"  # how the keys of changes begin that a list told; those of a webhook begin with their kind


@dataclass(frozen=True, slots=True)
class IssueEventBatch:
    """Facts about comments of an issue of which the message says only the number."""

    number: int
    facts: tuple[TimelineEvent, ...]


def lock_repository(watch_id: int, *, wait: bool = False) -> MonitoredRepository | None:
    """The watch's row, held until the transaction ends; None while somebody else holds it, unless we wait for them."""
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
    """Write down what is new. Returns the issues of which something new is known."""
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
    """The rows of the issues told of, and which of them were made just now.

    An issue that was opened before the support began is not covered, and left out.
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
    """Append the facts that are new. Returns the issues that have some."""
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
    """That an issue was opened before a webhook said so is another fact, and the earlier one counts."""
    known_opening = known_events.get(event.key)
    return (
        replace(event, key=f"{event.key}:listed")
        if event.kind is IssueEventKind.OPENED and known_opening and event.at < known_opening.at
        else event
    )


def _is_known(event: TimelineEvent, known_events: Mapping[str, TimelineEvent]) -> bool:
    """Whether a fact is known: under its key, the comment's first words too, or as the other teller tells it."""
    base_key = event.key.removesuffix(UNREAD_SUFFIX)
    return event.key in known_events or base_key in known_events or is_duplicate_change(event, known_events.values())


def is_duplicate_change(event: TimelineEvent, known_events: Iterable[TimelineEvent]) -> bool:
    """Whether a change is known already from the other teller: webhooks and lists give changes different keys.

    What only the list can tell, the commit that closed an issue, is kept beside the webhook's word.
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
    """A fact as a row, not yet saved."""
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
