"""Verification of webhook events against GitHub's API.

A partner knows the secret of its own webhook and could forge deliveries. Comments, closures, and pause labels that only
a webhook reported are therefore compared with GitHub's lists. Events missing there are requested individually. An
event that GitHub doesn't confirm is denied: the projection ignores it and adds a note.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from integrations.sla.engine.severity import normalize_label
from integrations.sla.engine.types import DENIED_KEY, IssueEventKind, TimelineEvent
from integrations.sla.github.event_mapping import UNKNOWN_ACTOR, UNREAD_SUFFIX, IssueUpdate, parse_timestamp
from integrations.sla.github.event_store import SAME_CHANGE_TOLERANCE, IssueEventBatch
from integrations.sla.models import MonitoredRepository, SupportIssueEvent
from integrations.sla.services.policies import get_sla_policy
from portal.core.value_types import JsonObject, NamedValues
from verification.sources.github import issues
from verification.sources.github.issues import IssueApi

log = logging.getLogger(__name__)
VERIFIABLE_CHANGES = {
    IssueEventKind.CLOSED: (IssueEventKind.REOPENED, "closed"),
    IssueEventKind.LABELED: (IssueEventKind.UNLABELED, "labeled"),
}  # opposite event, GitHub's action name
VERIFIABLE_KINDS = (IssueEventKind.COMMENTED, *VERIFIABLE_CHANGES)  # events that stop or pause a clock
LISTING_DELAY = timedelta(hours=1)  # delay after which GitHub's lists are complete
INITIAL_LOOKBACK = timedelta(days=1)  # period of the first verification
MAX_VERIFICATIONS = 50  # per run; later runs verify the rest


@dataclass(slots=True)
class ListedActivity:
    """Activity in GitHub's lists during one poll.

    `comments` holds (issue, comment, actor, time). `changes` holds (issue, kind, label, actor) with the time.
    """

    comments: set[tuple[int, str, int, datetime]] = field(default_factory=set)
    changes: list[tuple[tuple[int, str, str, int], datetime]] = field(default_factory=list)
    deleted_comments: set[str] = field(default_factory=set)

    def has_event(self, row: SupportIssueEvent) -> bool:
        number, actor_id = row.issue.number, row.actor_id
        if row.kind == IssueEventKind.COMMENTED:
            return (number, get_comment_key(row), actor_id, row.at) in self.comments
        expected_change = (number, row.kind, row.label, actor_id)
        return any(change == expected_change and is_same_time(changed_at, row) for change, changed_at in self.changes)


def collect_listed_activity(updates: Iterable[IssueUpdate], batches: Iterable[IssueEventBatch]) -> ListedActivity:
    """Collect the activity in the lists of one poll."""
    activity = ListedActivity()
    for batch in batches:
        for event in batch.facts:
            if event.kind == IssueEventKind.COMMENTED:
                activity.comments.add((batch.number, event.comment, event.actor.id, event.at))
            elif event.kind == IssueEventKind.COMMENT_DELETED:
                activity.deleted_comments.add(event.comment)
    for update in updates:
        changes = (event for event in update.facts if event.kind in VERIFIABLE_CHANGES)
        activity.changes += [
            ((update.number, str(event.kind), event.label, event.actor.id), event.at) for event in changes
        ]
    return activity


def get_comment_key(row: SupportIssueEvent) -> str:
    return str(row.data.get("comment") or row.key.removesuffix(UNREAD_SUFFIX))


def is_same_time(moment: datetime, row: SupportIssueEvent) -> bool:
    """Return whether a time in GitHub's lists matches the time in a webhook."""
    return abs(moment - row.at) <= SAME_CHANGE_TOLERANCE


def flag_unverified_events(
    api: IssueApi, watch: MonitoredRepository, activity: ListedActivity, cursors: NamedValues, now: datetime
) -> list[IssueEventBatch]:
    """Return denials of webhook events that GitHub doesn't confirm, and move the cursor.

    Events younger than LISTING_DELAY are verified in a later run. Raises SourceError.
    """
    cursor = cursors.get("confirmed")
    verified_up_to = datetime.fromisoformat(cursor) if cursor else now - INITIAL_LOOKBACK
    webhook_events = SupportIssueEvent.objects.filter(issue__watch=watch, source="webhook", kind__in=VERIFIABLE_KINDS)
    recent_events = webhook_events.filter(seen_at__gt=verified_up_to, seen_at__lte=now).order_by("seen_at", "pk")
    events_with_policy = recent_events.select_related("issue__policy", "issue__integration")
    unlisted_rows = [row for row in events_with_policy if _can_affect_clock(row) and not activity.has_event(row)]
    due_rows = [row for row in unlisted_rows if row.seen_at <= now - LISTING_DELAY][:MAX_VERIFICATIONS]
    pending_times = [row.seen_at for row in unlisted_rows if row not in due_rows]
    cursors["confirmed"] = (min(pending_times) - timedelta(microseconds=1) if pending_times else now).isoformat()
    denied_rows = [row for row in due_rows if not _is_known(api, watch, row, activity)]
    for row in denied_rows:
        log.warning("GitHub does not confirm a webhook event of %s: %s of #%s", watch, row.key, row.issue.number)
    return [IssueEventBatch(row.issue.number, (_build_denial_event(row),)) for row in denied_rows]


def _can_affect_clock(row: SupportIssueEvent) -> bool:
    """Return whether an event can stop or pause a clock. Of labels, only pause labels can."""
    return row.kind != IssueEventKind.LABELED or normalize_label(row.label) in get_sla_policy(row.issue).pause_labels


def _build_denial_event(row: SupportIssueEvent) -> TimelineEvent:
    """Build an event that denies another one. It has the same time and the closest GitHub kind."""
    key = f"{DENIED_KEY}:{row.key}"[:120]
    if row.kind == IssueEventKind.COMMENTED:
        return TimelineEvent(
            key,
            IssueEventKind.COMMENT_DELETED,
            row.at,
            UNKNOWN_ACTOR,
            data={DENIED_KEY: row.key, "comment": get_comment_key(row)},
        )
    return TimelineEvent(
        key,
        VERIFIABLE_CHANGES[IssueEventKind(row.kind)][0],
        row.at,
        UNKNOWN_ACTOR,
        label=row.label,
        data={DENIED_KEY: row.key},
    )


def _is_known(api: IssueApi, watch: MonitoredRepository, row: SupportIssueEvent, activity: ListedActivity) -> bool:
    """Return whether GitHub confirms an event, or can't deny it because the issue or comment was deleted or moved."""
    if row.kind == IssueEventKind.COMMENTED and _is_deleted(row, activity):
        return True
    if issues.is_gone(api, watch.repository, row.issue.number):
        return True
    if row.kind == IssueEventKind.COMMENTED:
        raw = issues.get_comment(api, watch.repository, int(get_comment_key(row).rpartition(":")[2]))
        return raw is not None and _is_that_comment(raw, row)
    raws = issues.list_issue_events(api, watch.repository, row.issue.number)
    if len(raws) >= issues.MAX_EVENTS:
        return True
    action = VERIFIABLE_CHANGES[IssueEventKind(row.kind)][1]
    matching_events = (
        raw for raw in raws if raw["event"] == action and row.label in ("", (raw.get("label") or {}).get("name"))
    )
    return any(_is_same_action(raw.get("actor"), raw, row) for raw in matching_events)


def _is_deleted(row: SupportIssueEvent, activity: ListedActivity) -> bool:
    comment = get_comment_key(row)
    deletions = SupportIssueEvent.objects.filter(
        issue=row.issue, kind=IssueEventKind.COMMENT_DELETED, data__comment=comment
    )
    return comment in activity.deleted_comments or deletions.exists()


def _is_that_comment(raw: JsonObject, row: SupportIssueEvent) -> bool:
    number = str(raw["issue_url"]).rpartition("/")[2]
    return number == str(row.issue.number) and _is_same_action(raw.get("user"), raw, row)


def _is_same_action(user: Any, raw: JsonObject, row: SupportIssueEvent) -> bool:
    """Return whether time and actor match. GitHub omits the user of deleted accounts."""
    return is_same_time(parse_timestamp(raw["created_at"]), row) and (not user or user["id"] == row.actor_id)
