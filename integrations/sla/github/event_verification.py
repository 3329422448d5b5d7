"""Verification of webhook events against GitHub's API.

A partner knows the secret of its own webhook and could forge deliveries. Comments with their text, edits, and the role
of their author, and changes of the issue that only a webhook reported are therefore compared with GitHub's lists.
Events missing there are requested individually. An event that GitHub doesn't confirm is denied: the projection ignores
it and adds a note.

A webhook never shows that someone is a concealed member of an organization: GitHub writes it for no particular reader.
The lists show it only to members, so they name at least the roles that a webhook names. A role that only a webhook
names is therefore forged, or ended before the poll.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q

from integrations.sla.engine.participants import claims_more
from integrations.sla.engine.severity import normalize_label
from integrations.sla.engine.types import (
    COMMENT_TEXT_KINDS,
    DENIED_KEY,
    FINAL_KINDS,
    REPLACED_KEY,
    IssueEventKind,
    TimelineEvent,
)
from integrations.sla.github.event_mapping import (
    UNKNOWN_ACTOR,
    UNREAD_SUFFIX,
    IssueUpdate,
    build_comment_key,
    map_comment,
)
from integrations.sla.github.event_store import SAME_CHANGE_TOLERANCE, IssueEventBatch
from integrations.sla.models import MonitoredRepository, SupportIssue, SupportIssueEvent
from integrations.sla.selectors.policies import get_sla_policy
from integrations.sla.services.monitoring import LISTING_DELAY
from portal.core.value_types import NamedValues
from verification.sources.github import issues
from verification.sources.github.api import GitHubApi
from verification.sources.github.issue_models import GitHubIssueEvent, GitHubUser

logger = logging.getLogger(__name__)
VERIFIABLE_CHANGES = {  # with their opposites
    IssueEventKind.CLOSED: IssueEventKind.REOPENED,
    IssueEventKind.REOPENED: IssueEventKind.CLOSED,
    IssueEventKind.LABELED: IssueEventKind.UNLABELED,
    IssueEventKind.UNLABELED: IssueEventKind.LABELED,
    IssueEventKind.LOCKED: IssueEventKind.UNLOCKED,
    IssueEventKind.UNLOCKED: IssueEventKind.LOCKED,
}
# Events that stop or pause a clock, or show that their actor has permissions, so that earlier comments are replies
VERIFIABLE_KINDS = (*COMMENT_TEXT_KINDS, *VERIFIABLE_CHANGES, *FINAL_KINDS)
MAX_VERIFICATIONS = 50  # per run; later runs verify the rest


@dataclass(slots=True)
class ListedActivity:
    """Activity in GitHub's lists during one poll.

    `comments` holds (issue, comment, actor, time). `versions` holds the last version by issue and comment. `changes`
    holds (issue, kind, label, actor) with the time. `numbers` holds those of issues by GitHub's IDs.
    """

    numbers: dict[int, int] = field(default_factory=dict)
    comments: set[tuple[int, str, int, datetime]] = field(default_factory=set)
    versions: dict[tuple[int, str], TimelineEvent] = field(default_factory=dict)
    changes: list[tuple[tuple[int, str, str, int], datetime]] = field(default_factory=list)

    def has_event(self, row: SupportIssueEvent) -> bool:
        number = row.issue.number
        actor_id = row.actor_id
        if row.kind in COMMENT_TEXT_KINDS:
            comment = get_comment_key(row)
            is_listed = row.kind != IssueEventKind.COMMENTED or (number, comment, actor_id, row.at) in self.comments
            version = self.versions.get((number, comment))
            return is_listed and version is not None and can_be_version(version, row)
        expected_change = (number, row.kind, row.label, actor_id)
        return any(change == expected_change and is_same_time(changed_at, row) for change, changed_at in self.changes)


def collect_listed_activity(updates: Iterable[IssueUpdate], batches: Iterable[IssueEventBatch]) -> ListedActivity:
    """Collect the activity in the lists of one poll."""
    activity = ListedActivity()
    for batch in batches:
        for event in batch.events:
            if event.kind == IssueEventKind.COMMENTED:
                activity.comments.add((batch.number, event.comment, event.actor.id, event.at))
            # Of an edited comment, the edit follows its creation and has the text.
            if event.kind in COMMENT_TEXT_KINDS:
                activity.versions[batch.number, event.comment] = event
    for update in updates:
        activity.numbers[update.issue.id] = update.issue.number
        activity.changes += [
            ((update.issue.number, str(event.kind), event.label, event.actor.id), event.at)
            for event in update.events
            if event.kind in VERIFIABLE_CHANGES
        ]
    return activity


def get_comment_key(row: SupportIssueEvent) -> str:
    return str(row.data.get("comment") or row.key.removesuffix(UNREAD_SUFFIX))


def is_same_time(moment: datetime, row: SupportIssueEvent) -> bool:
    """Return whether a time in GitHub's lists matches the time in a webhook."""
    return abs(moment - row.at) <= SAME_CHANGE_TOLERANCE


def can_be_version(version: TimelineEvent, row: SupportIssueEvent) -> bool:
    """Return whether the last version of a listed comment agrees with the author's role and the text of an event.

    GitHub doesn't list the texts before the last edit, so it can't deny them.
    """
    # GitHub lists no role of a deleted account.
    if version.actor.login != UNKNOWN_ACTOR.login and claims_more(row.to_timeline().actor, version.actor):
        return False
    if row.data.get("unread"):
        return True
    return version.text == row.text if version.at == row.at else version.at > row.at


def flag_unverified_events(
    api: GitHubApi,
    monitored_repository: MonitoredRepository,
    activity: ListedActivity,
    cursors: NamedValues,
    now: datetime,
) -> list[IssueEventBatch]:
    """Return denials of webhook events that GitHub doesn't confirm, and move the cursor.

    Events younger than LISTING_DELAY are verified in a later run. Raises SourceError.
    """
    verified_pk = cursors.get("verified", 0)
    recent_rows = _list_webhook_events(monitored_repository, activity, verified_pk)
    unlisted_rows = [row for row in recent_rows if not activity.has_event(row)]
    all_due_rows = [row for row in unlisted_rows if row.seen_at <= now - LISTING_DELAY]
    due_rows = all_due_rows[:MAX_VERIFICATIONS]
    cursors["has_unverified"] = len(all_due_rows) > len(due_rows)
    pending_pks = [row.pk for row in unlisted_rows if row not in due_rows]
    if pending_pks:
        cursors["verified"] = pending_pks[0] - 1
    elif recent_rows:
        cursors["verified"] = recent_rows[-1].pk
    last_due_pk = due_rows[-1].pk if due_rows else verified_pk
    denied_rows = [row for row in due_rows if not _is_known(api, monitored_repository, row, last_due_pk)]
    for row in denied_rows:
        logger.warning(
            "GitHub does not confirm a webhook event of %s: %s of #%s", monitored_repository, row.key, row.issue.number
        )
    return [IssueEventBatch(row.issue.number, _build_denial_events(row)) for row in denied_rows]


def _list_webhook_events(
    monitored_repository: MonitoredRepository, activity: ListedActivity, verified_pk: int
) -> list[SupportIssueEvent]:
    """Return the webhook events after the last verified one, with the numbers of issues that GitHub lists."""
    # A key and no time, because a batch stores many events at the same time. After a move, there is no cursor.
    webhook_events = SupportIssueEvent.objects.filter(
        # This poll can resume listed issues, which ended when the integration moved away.
        Q(issue__ended_at=None) | Q(issue__github_id__in=activity.numbers),
        pk__gt=verified_pk,
        issue__monitored_repository=monitored_repository,
        source="webhook",
        kind__in=VERIFIABLE_KINDS,
        seen_at__gte=monitored_repository.began_at,
    )
    rows = list(webhook_events.select_related("issue__policy", "issue__integration").order_by("pk"))
    for row in rows:
        # A forged webhook can report another number, which this poll corrects.
        row.issue.number = activity.numbers.get(row.issue.github_id, row.issue.number)
    return rows


def _build_denial_events(row: SupportIssueEvent) -> tuple[TimelineEvent, ...]:
    """Build the denial of an event, with the same time and the closest GitHub kind.

    A critical label that doesn't pause only makes the target stricter, so it still counts, but shows no permissions of
    its actor.
    """
    key = f"{DENIED_KEY}:{row.key}"[:120]
    # Without the comment, which can exist: GitHub may list it with another text, author, or time.
    kind = VERIFIABLE_CHANGES.get(IssueEventKind(row.kind), IssueEventKind.COMMENT_EDITED)
    denial = TimelineEvent(key, kind, row.at, UNKNOWN_ACTOR, label=row.label, data={DENIED_KEY: row.key})
    policy = get_sla_policy(row.issue)
    is_critical = normalize_label(row.label) in policy.critical_labels - policy.pause_labels
    if row.kind != IssueEventKind.LABELED or not is_critical:
        return (denial,)
    label_key = f"{REPLACED_KEY}:{row.key}"[:120]
    label_data = {REPLACED_KEY: row.key}
    label_event = TimelineEvent(
        label_key, IssueEventKind.LABELED, row.at, UNKNOWN_ACTOR, label=row.label, data=label_data
    )
    return denial, label_event


def _is_known(
    api: GitHubApi, monitored_repository: MonitoredRepository, row: SupportIssueEvent, last_due_pk: int
) -> bool:
    """Return whether GitHub confirms an event, or can't deny it because the issue or comment was deleted or moved."""
    repository = monitored_repository.repository
    number = row.issue.number
    if issues.is_gone(api, repository, number):
        return True
    comment = None
    if row.kind in COMMENT_TEXT_KINDS:
        comment = issues.get_comment(api, repository, int(get_comment_key(row).rpartition(":")[2]))
    if comment is not None:
        is_created = row.kind != IssueEventKind.COMMENTED or _is_same_action(comment.user, comment.created_at, row)
        return comment.issue_number == number and is_created and can_be_version(map_comment(comment)[-1], row)
    events = issues.list_issue_events(api, repository, number)
    if len(events) >= issues.MAX_EVENTS:
        return True
    if row.kind in COMMENT_TEXT_KINDS:
        listed_ids = issues.list_comment_ids(api, repository, number)
        missing_comments = _list_undenied_comments(row.issue, last_due_pk) - set(map(build_comment_key, listed_ids))
        return _is_deletion_listed(events, row, missing_comments)
    return any(_is_confirmation(event, row) for event in events)


def _is_deletion_listed(events: list[GitHubIssueEvent], row: SupportIssueEvent, missing_comments: set[str]) -> bool:
    """Return whether GitHub lists a deletion of the comment.

    GitHub doesn't say which comment was deleted, so the deletions of all other missing comments are subtracted: if
    webhooks report more deleted comments than GitHub lists deletions, none of them is confirmed. A webhook of the
    deletion proves nothing, because it can be forged, too. Only a comment that was deleted before a poll, and that no
    webhook reported, can still confirm another one.
    """
    deleted_times = [event.created_at for event in events if event.event == "comment_deleted"]
    other_count = len(missing_comments - {get_comment_key(row)})
    return len(deleted_times) > other_count and max(deleted_times) >= row.at


def _list_undenied_comments(issue: SupportIssue, last_due_pk: int) -> set[str]:
    """Return the keys of comments that GitHub listed or confirmed, and of those that are due for verification."""
    known_events = SupportIssueEvent.objects.filter(issue=issue)
    denied_keys = {row.data[DENIED_KEY] for row in known_events.filter(data__has_key=DENIED_KEY)}
    is_due = Q(source="poll") | Q(pk__lte=last_due_pk)
    comments = known_events.filter(is_due, kind=IssueEventKind.COMMENTED).exclude(key__in=denied_keys)
    return set(map(get_comment_key, comments))


def _is_confirmation(event: GitHubIssueEvent, row: SupportIssueEvent) -> bool:
    """Return whether an event in GitHub's list confirms a change."""
    is_same_label = row.label in ("", event.label.name if event.label else "")
    return event.event == row.kind and is_same_label and _is_same_action(event.actor, event.created_at, row)


def _is_same_action(user: GitHubUser | None, moment: datetime, row: SupportIssueEvent) -> bool:
    """Return whether time and actor match. GitHub omits deleted accounts or replaces them with the user “ghost”."""
    is_same_user = user is None or user.login == UNKNOWN_ACTOR.login or user.id == row.actor_id
    return is_same_time(moment, row) and is_same_user
