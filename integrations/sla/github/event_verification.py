"""Does GitHub know what a webhook told? Whoever knows a hook's secret can write its deliveries: GitHub's lists decide.

The watched party knows the secret of its own hook. So each comment, closing and pause label that only a webhook told is
looked for in what GitHub's lists show. What the same reading showed costs no question; for what is not there GitHub is
asked once more, and a fact that it does not know is denied: the fold leaves it out, and says so.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from integrations.sla.engine.severity import normalize_label
from integrations.sla.engine.types import DENIED_KEY, IssueEventKind, TimelineEvent
from integrations.sla.github.event_mapping import UNKNOWN_ACTOR, UNREAD_SUFFIX, IssueUpdate, parse_timestamp
from integrations.sla.github.event_store import SAME_CHANGE_TOLERANCE, IssueEventBatch
from integrations.sla.models import MonitoredRepository, SupportIssueEvent
from integrations.sla.services.policies import get_sla_policy
from verification.sources.github import issues
from verification.sources.github.issues import IssueApi

log = logging.getLogger(__name__)
VERIFIABLE_CHANGES = {
    IssueEventKind.CLOSED: (IssueEventKind.REOPENED, "closed"),
    IssueEventKind.LABELED: (IssueEventKind.UNLABELED, "labeled"),
}  # undone by, GitHub's word
VERIFIABLE_KINDS = (IssueEventKind.COMMENTED, *VERIFIABLE_CHANGES)  # what stops or pauses a clock
LISTING_DELAY = timedelta(hours=1)  # so much later GitHub's lists show whatever happened
INITIAL_LOOKBACK = timedelta(days=1)  # how far the first look reaches back
MAX_VERIFICATIONS = 50  # facts that GitHub is asked for in one reading; what is left is asked for in the next


@dataclass(slots=True)
class ListedActivity:
    """What GitHub's lists showed in one reading. `comments`: (issue, comment, actor, moment); `changes`: (issue, kind,
    label, actor) and moment; `deleted`: the comments that they called so.
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
    """What the lists of this reading showed."""
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
    """Whether a moment of GitHub's lists is the one that a webhook told."""
    return abs(moment - row.at) <= SAME_CHANGE_TOLERANCE


def flag_unverified_events(
    api: IssueApi, watch: MonitoredRepository, activity: ListedActivity, cursors: dict[str, Any], now: datetime
) -> list[IssueEventBatch]:
    """The facts that take back what only webhooks told and GitHub does not know; moves the cursor. Raises Unreadable.

    What is not shown and younger than SETTLED is looked for again next time.
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
        log.warning("A webhook of %s told %s of #%s, which GitHub does not know.", watch, row.key, row.issue.number)
    return [IssueEventBatch(row.issue.number, (_build_denial_event(row),)) for row in denied_rows]


def _can_affect_clock(row: SupportIssueEvent) -> bool:
    """Whether it can stop or pause a clock: of labels only those that pause; what makes an issue critical stays."""
    return row.kind != IssueEventKind.LABELED or normalize_label(row.label) in get_sla_policy(row.issue).pause_labels


def _build_denial_event(row: SupportIssueEvent) -> TimelineEvent:
    """A fact of the same moment that names what it denies; its kind is the nearest that GitHub has."""
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
    """Whether GitHub knows it after all, or nothing can be said: what was deleted or moved away it shows no longer."""
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


def _is_that_comment(raw: Mapping[str, Any], row: SupportIssueEvent) -> bool:
    number = str(raw["issue_url"]).rpartition("/")[2]
    return number == str(row.issue.number) and _is_same_action(raw.get("user"), raw, row)


def _is_same_action(user: Any, raw: Mapping[str, Any], row: SupportIssueEvent) -> bool:
    """Whether moment and person are the same; whose account is gone, GitHub calls nobody."""
    return is_same_time(parse_timestamp(raw["created_at"]), row) and (not user or user["id"] == row.actor_id)
