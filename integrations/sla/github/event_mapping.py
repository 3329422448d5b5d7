"""Mapping of GitHub's issues, comments, and events to events of the SLA engine.

Webhooks and API lists give the same events under the same keys. What doesn't concern a support issue maps to None.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from integrations.sla.engine.types import CHANGE_KINDS, FINAL_KINDS, Actor, IssueEventKind, TimelineEvent
from verification.sources.github.issue_models import (
    CommentWebhook,
    GitHubComment,
    GitHubIssue,
    GitHubIssueEvent,
    GitHubUser,
    IssueWebhook,
)

UNKNOWN_ACTOR = Actor(0, "ghost")
# GitHub omits the association of actors who label, lock, or close others' issues. Only collaborators can do this.
TRUSTED_ASSOCIATION = "COLLABORATOR"
# GitHub's action names in webhooks and event lists
KINDS_BY_ACTION = {str(kind): kind for kind in CHANGE_KINDS | FINAL_KINDS} | {
    "renamed": IssueEventKind.EDITED,
    "converted_to_discussion": IssueEventKind.TRANSFERRED,
}
UNREAD_SUFFIX = ":unread"  # key suffix of comments whose original text we don't have
HANDLED_EVENTS = frozenset({"issues", "issue_comment"})


@dataclass(frozen=True, slots=True)
class IssueUpdate:
    """Issue with its events from one webhook or list entry. The first event is the opening."""

    issue: GitHubIssue
    events: tuple[TimelineEvent, ...]


def map_webhook(event: str, payload: Mapping[str, object], received_at: datetime) -> IssueUpdate | None:
    """Map a webhook. None if it doesn't concern an issue. Raises ValidationError."""
    if event not in HANDLED_EVENTS:
        return None
    if event == "issues":
        webhook = IssueWebhook.model_validate(payload)
        return map_issue(webhook.issue, *_map_issue_change(webhook, received_at))
    comment_webhook = CommentWebhook.model_validate(payload)
    return map_issue(comment_webhook.issue, *_map_comment_change(comment_webhook, received_at))


def map_event(event: GitHubIssueEvent) -> IssueUpdate | None:
    """Map an entry of the repository's event list. None for irrelevant events."""
    if event.event not in KINDS_BY_ACTION or event.issue is None:
        return None
    kind = KINDS_BY_ACTION[event.event]
    data: dict[str, object] = {"event": event.id}
    if kind is IssueEventKind.CLOSED:
        data |= {"reason": event.state_reason, "commit": event.commit_id}
    key = str(kind) if kind in FINAL_KINDS else f"event:{event.id}"
    label = event.label.name if event.label and kind in (IssueEventKind.LABELED, IssueEventKind.UNLABELED) else ""
    actor = _build_editor(event.actor, event.issue)
    return map_issue(event.issue, TimelineEvent(key, kind, event.created_at, actor, label=label, data=data))


def map_comment(comment: GitHubComment) -> tuple[TimelineEvent, ...]:
    """Map a comment to its creation and, if edited, its last edit.

    GitHub doesn't provide the original text of an edited comment: lists and webhooks show the last text, and a
    webhook's previous text may stem from another edit. The text therefore counts from the last edit.
    """
    key = build_comment_key(comment.id)
    actor = _build_actor(comment.user, comment.author_association)
    created_at = comment.created_at
    updated_at = comment.updated_at
    data: dict[str, object] = {"comment": key, "url": comment.html_url}
    if updated_at <= created_at:
        return (TimelineEvent(key, IssueEventKind.COMMENTED, created_at, actor, comment.body, data=data),)
    unread_data = data | {"unread": True}
    edit_key = f"{key}:edited:{_format_timestamp(updated_at)}"
    return (
        TimelineEvent(f"{key}{UNREAD_SUFFIX}", IssueEventKind.COMMENTED, created_at, actor, data=unread_data),
        TimelineEvent(edit_key, IssueEventKind.COMMENT_EDITED, updated_at, actor, comment.body, data=data),
    )


def build_edit_event(issue: GitHubIssue) -> TimelineEvent:
    """Build an edit event for a changed issue text.

    The issue list has neither editor nor time, so we assume the author at the issue's last update.
    """
    key = f"edited:guessed:{_format_timestamp(issue.updated_at)}"
    author = _build_actor(issue.user, issue.author_association)
    data = {"body": True, "guessed": True}
    return TimelineEvent(key, IssueEventKind.EDITED, issue.updated_at, author, issue.body, data=data)


def build_deletion_event(
    comment: str, deleted_at: datetime, user: GitHubUser | None, association: str = ""
) -> TimelineEvent:
    """Build a deletion event. Anyone can delete their own comments, so a deletion doesn't prove a permission."""
    actor = _build_actor(user, association)
    data = {"comment": comment}
    return TimelineEvent(f"{comment}:deleted", IssueEventKind.COMMENT_DELETED, deleted_at, actor, data=data)


def build_comment_key(comment_id: int) -> str:
    """Return the key of a comment, which its edits and deletion refer to."""
    return f"comment:{comment_id}"


def _map_issue_change(webhook: IssueWebhook, received_at: datetime) -> tuple[TimelineEvent, ...]:
    kind = KINDS_BY_ACTION.get(webhook.action)
    issue = webhook.issue
    label = ""
    text = ""
    data: dict[str, object] = {}
    if kind is None:
        return ()
    # A payload has no time of its change. Each change updates the issue, except its deletion.
    occurred_at = received_at if kind is IssueEventKind.DELETED else issue.updated_at
    if kind is IssueEventKind.CLOSED:
        occurred_at = issue.closed_at or occurred_at
        data = {"reason": issue.state_reason}
    elif kind is IssueEventKind.EDITED:
        data = {"body": True}
        text = issue.body
    elif kind in (IssueEventKind.LABELED, IssueEventKind.UNLABELED):
        label = webhook.label.name if webhook.label else ""
    # The column of the key has 120 characters.
    key = str(kind) if kind in FINAL_KINDS else f"{kind}:{label[:80]}:{_format_timestamp(occurred_at)}"
    actor = _build_editor(webhook.sender, issue)
    return (TimelineEvent(key, kind, occurred_at, actor, text, label, data),)


def _map_comment_change(webhook: CommentWebhook, received_at: datetime) -> tuple[TimelineEvent, ...]:
    comment = webhook.comment
    sender = webhook.sender
    if webhook.action not in ("created", "edited", "deleted"):
        return ()
    events = map_comment(comment)
    if webhook.action != "deleted":
        return events
    association = comment.author_association if _is_same_user(sender, comment.user) else TRUSTED_ASSOCIATION
    return (*events, build_deletion_event(build_comment_key(comment.id), received_at, sender, association))


def map_issue(issue: GitHubIssue, *events: TimelineEvent) -> IssueUpdate | None:
    """Map an issue to its opening, followed by further events. None for a pull request."""
    # GitHub's lists of issues and webhooks of comments contain pull requests, too.
    if issue.pull_request:
        return None
    author = _build_actor(issue.user, issue.author_association)
    data = {"title": issue.title}
    opening = TimelineEvent("opened", IssueEventKind.OPENED, issue.created_at, author, issue.body, data=data)
    return IssueUpdate(issue, (opening, *events))


def _build_editor(user: GitHubUser | None, issue: GitHubIssue) -> Actor:
    """Return the actor of a change, with the association of the author or of a collaborator."""
    return _build_actor(user, issue.author_association if _is_same_user(user, issue.user) else TRUSTED_ASSOCIATION)


def _build_actor(user: GitHubUser | None, association: str) -> Actor:
    return Actor(user.id, user.login, user.type or "User", association or "NONE") if user else UNKNOWN_ACTOR


def _is_same_user(first_user: GitHubUser | None, second_user: GitHubUser | None) -> bool:
    return first_user is not None and second_user is not None and first_user.id == second_user.id


def _format_timestamp(timestamp: datetime) -> str:
    return timestamp.strftime("%Y%m%dT%H%M%SZ")
