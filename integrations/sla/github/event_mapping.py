"""Mapping of GitHub's JSON to issue events.

Webhooks and API lists give the same events under the same keys. A payload with an unexpected structure raises
UnmappableEvent. A payload that doesn't concern a support issue maps to None.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from integrations.sla.engine.types import Actor, IssueEventKind, TimelineEvent
from portal.core.value_types import JsonObject

UNKNOWN_ACTOR = Actor(0, "ghost")
# GitHub omits the association of actors who label, lock, or close others' issues. Only collaborators can do this.
TRUSTED_ASSOCIATION = "COLLABORATOR"
# GitHub's action names in webhooks and event lists
KINDS_BY_ACTION = {
    "edited": IssueEventKind.EDITED,
    "renamed": IssueEventKind.EDITED,
    "labeled": IssueEventKind.LABELED,
    "unlabeled": IssueEventKind.UNLABELED,
    "closed": IssueEventKind.CLOSED,
    "reopened": IssueEventKind.REOPENED,
    "locked": IssueEventKind.LOCKED,
    "unlocked": IssueEventKind.UNLOCKED,
    "transferred": IssueEventKind.TRANSFERRED,
    "converted_to_discussion": IssueEventKind.TRANSFERRED,
    "deleted": IssueEventKind.DELETED,
}
UNREAD_SUFFIX = ":unread"  # key suffix of comments whose original text we don't have
FINAL_KINDS = {IssueEventKind.TRANSFERRED, IssueEventKind.DELETED}  # happen once, so their keys have no timestamp
COMMENT_KINDS_BY_ACTION = {
    "created": IssueEventKind.COMMENTED,
    "edited": IssueEventKind.COMMENT_EDITED,
    "deleted": IssueEventKind.COMMENT_DELETED,
}
HANDLED_EVENTS = frozenset({"issues", "issue_comment"})
T = TypeVar("T")


class UnmappableEvent(ValueError):
    """Payload that doesn't match GitHub's documentation."""


@dataclass(frozen=True, slots=True)
class IssueUpdate:
    """Issue data and events from one webhook or list entry."""

    github_id: int
    number: int
    title: str
    url: str
    author: Actor
    opened_at: datetime
    updated_at: datetime
    facts: tuple[TimelineEvent, ...]


def map_webhook(event: str, payload: JsonObject, received_at: datetime) -> IssueUpdate | None:
    """Map a webhook. None if it doesn't concern an issue. Raises UnmappableEvent."""
    if event not in HANDLED_EVENTS:
        return None
    return _map_payload(lambda: _map_webhook(event, payload, received_at))


def map_issue(raw: JsonObject) -> IssueUpdate | None:
    """Map an entry of the issue list to its opening. None for a pull request. Raises UnmappableEvent."""
    return _map_payload(lambda: _build_issue_update(raw, ()))


def map_event(raw: JsonObject) -> IssueUpdate | None:
    """Map an entry of the repository's event list. None for irrelevant events. Raises UnmappableEvent."""
    return _map_payload(lambda: _map_event(raw))


def map_comment(raw: JsonObject) -> tuple[TimelineEvent, ...]:
    """Map an entry of the comment list to its creation and last edit. Raises UnmappableEvent."""
    return _map_payload(lambda: _map_comment(raw))


def get_body(update: IssueUpdate) -> str:
    """Return the issue text of an update."""
    return update.facts[0].text


def build_edit_event(update: IssueUpdate) -> TimelineEvent:
    """Build an edit event for a changed issue text.

    The issue list has neither editor nor time, so we assume the author at the issue's last update.
    """
    data = {"body": True, "guessed": True}
    key = f"edited:guessed:{_format_timestamp(update.updated_at)}"
    return TimelineEvent(key, IssueEventKind.EDITED, update.updated_at, update.author, get_body(update), data=data)


def build_deletion_event(comment: str, raw: JsonObject) -> TimelineEvent:
    """Build a deletion event of a comment from an entry of the event list. Raises UnmappableEvent."""
    return _map_payload(
        lambda: _build_deletion_event(comment, parse_timestamp(raw["created_at"]), raw.get("actor"), "")
    )


def parse_timestamp(value: Any) -> datetime:
    """Parse a GitHub timestamp and convert it to UTC. Raises UnmappableEvent."""
    try:
        timestamp = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise UnmappableEvent(f"expected a timestamp, not {value!r}") from error
    if timestamp.tzinfo is None:
        raise UnmappableEvent("a timestamp has no time zone")
    return timestamp.astimezone(UTC)


def _map_payload(function: Callable[[], T]) -> T:
    try:
        return function()
    except (KeyError, TypeError, AttributeError) as error:
        raise UnmappableEvent(f"unexpected structure: {error!r}") from error


def _map_webhook(event: str, payload: JsonObject, received_at: datetime) -> IssueUpdate | None:
    action, issue = payload["action"], payload["issue"]
    sender = payload.get("sender")
    if event == "issue_comment":
        return _build_issue_update(issue, _map_comment_change(action, payload["comment"], sender, received_at))
    if action not in KINDS_BY_ACTION:
        return _build_issue_update(issue, ())
    kind = KINDS_BY_ACTION[action]
    occurred_at = received_at if kind is IssueEventKind.DELETED else parse_timestamp(issue["updated_at"])
    if kind is IssueEventKind.CLOSED:
        occurred_at = parse_timestamp(issue["closed_at"])
    label = payload["label"]["name"] if kind in (IssueEventKind.LABELED, IssueEventKind.UNLABELED) else ""
    data = _build_event_data(kind, issue)
    key = str(kind) if kind in FINAL_KINDS else f"{kind}:{_parse_text(label, 80)}:{_format_timestamp(occurred_at)}"
    change = _build_change_event(key, kind, occurred_at, sender, issue, label, data)
    return _build_issue_update(
        issue, (replace(change, text=_parse_text(issue.get("body"))) if data.get("body") else change,)
    )


def _build_event_data(kind: IssueEventKind, issue: JsonObject) -> dict[str, object]:
    if kind is IssueEventKind.CLOSED:
        return {"reason": _parse_text(issue.get("state_reason"))}
    return {"body": True} if kind is IssueEventKind.EDITED else {}


def _map_comment_change(
    action: str, raw: JsonObject, sender: JsonObject | None, received_at: datetime
) -> tuple[TimelineEvent, ...]:
    if action not in COMMENT_KINDS_BY_ACTION:
        return ()
    if action != "deleted":
        return _map_comment(raw)
    association = raw.get("author_association") if _is_same_user(sender, raw.get("user")) else TRUSTED_ASSOCIATION
    return (
        *_map_comment(raw),
        _build_deletion_event(build_comment_key(_parse_number(raw["id"])), received_at, sender, association),
    )


def _build_deletion_event(
    comment: str, occurred_at: datetime, user: JsonObject | None, association: object
) -> TimelineEvent:
    """Build a deletion event. Anyone can delete their own comments, so a deletion doesn't prove a permission."""
    actor = _parse_actor(user, association)
    return TimelineEvent(
        f"{comment}:deleted", IssueEventKind.COMMENT_DELETED, occurred_at, actor, data={"comment": comment}
    )


def build_comment_key(comment: int) -> str:
    """Return the key of a comment, which its edits and deletion refer to."""
    return f"comment:{comment}"


def _map_comment(raw: JsonObject) -> tuple[TimelineEvent, ...]:
    """Map a comment to its creation and, if edited, its last edit.

    GitHub doesn't provide the original text of an edited comment: lists and webhooks show the last text, and a
    webhook's previous text may stem from another edit. The text therefore counts from the last edit.
    """
    key, actor = (
        build_comment_key(_parse_number(raw["id"])),
        _parse_actor(raw.get("user"), raw.get("author_association")),
    )
    created_at, updated_at, body = (
        parse_timestamp(raw["created_at"]),
        parse_timestamp(raw["updated_at"]),
        _parse_text(raw.get("body")),
    )
    if updated_at <= created_at:
        return (TimelineEvent(key, IssueEventKind.COMMENTED, created_at, actor, body, data=_build_comment_data(raw)),)
    return (
        TimelineEvent(
            f"{key}{UNREAD_SUFFIX}",
            IssueEventKind.COMMENTED,
            created_at,
            actor,
            data=_build_comment_data(raw) | {"unread": True},
        ),
        TimelineEvent(
            f"{key}:edited:{_format_timestamp(updated_at)}",
            IssueEventKind.COMMENT_EDITED,
            updated_at,
            actor,
            body,
            data=_build_comment_data(raw),
        ),
    )


def _build_comment_data(raw: JsonObject) -> dict[str, object]:
    return {"comment": build_comment_key(_parse_number(raw["id"])), "url": _parse_text(raw.get("html_url"), 400)}


def _map_event(raw: JsonObject) -> IssueUpdate | None:
    issue = raw.get("issue")
    if raw["event"] not in KINDS_BY_ACTION or not issue:
        return None
    kind = KINDS_BY_ACTION[raw["event"]]
    occurred_at, event_id = parse_timestamp(raw["created_at"]), _parse_number(raw["id"])
    label = raw["label"]["name"] if kind in (IssueEventKind.LABELED, IssueEventKind.UNLABELED) else ""
    data: dict[str, object] = {"event": event_id}
    if kind is IssueEventKind.CLOSED:
        data |= {"reason": _parse_text(raw.get("state_reason")), "commit": _parse_text(raw.get("commit_id"), 64)}
    key = str(kind) if kind in FINAL_KINDS else f"event:{event_id}"
    return _build_issue_update(
        issue, (_build_change_event(key, kind, occurred_at, raw.get("actor"), issue, label, data),)
    )


def _build_change_event(
    key: str,
    kind: IssueEventKind,
    occurred_at: datetime,
    user: JsonObject | None,
    issue: JsonObject,
    label: str,
    data: JsonObject,
) -> TimelineEvent:
    is_own_issue = _is_same_user(user, issue.get("user"))
    actor = _parse_actor(user, issue.get("author_association") if is_own_issue else TRUSTED_ASSOCIATION)
    return TimelineEvent(key, kind, occurred_at, actor, label=_parse_text(label, 100), data=data)


def _build_issue_update(raw: JsonObject, events: Iterable[TimelineEvent]) -> IssueUpdate | None:
    if raw.get("pull_request"):
        return None
    author, opened_at = _parse_actor(raw.get("user"), raw.get("author_association")), parse_timestamp(raw["created_at"])
    title = _parse_text(raw["title"], 300)
    opening = TimelineEvent(
        "opened", IssueEventKind.OPENED, opened_at, author, _parse_text(raw.get("body")), data={"title": title}
    )
    return IssueUpdate(
        github_id=_parse_number(raw["id"]),
        number=_parse_number(raw["number"]),
        title=title,
        url=_parse_text(raw.get("html_url"), 400),
        author=author,
        opened_at=opened_at,
        updated_at=parse_timestamp(raw["updated_at"]),
        facts=(opening, *events),
    )


def _parse_actor(raw: JsonObject | None, association: object) -> Actor:
    if not raw:
        return UNKNOWN_ACTOR
    return Actor(
        _parse_number(raw["id"]),
        _parse_text(raw["login"], 100),
        _parse_text(raw.get("type"), 20) or "User",
        _parse_text(association, 30) or "NONE",
    )


def _is_same_user(first_user: JsonObject | None, second_user: JsonObject | None) -> bool:
    return first_user is not None and second_user is not None and first_user.get("id") == second_user.get("id")


def _format_timestamp(timestamp: datetime) -> str:
    return timestamp.strftime("%Y%m%dT%H%M%SZ")


def _parse_number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise UnmappableEvent("expected a number")
    return value


def _parse_text(value: object, max_length: int = 65_536) -> str:
    """Return text without characters that databases reject. None becomes an empty string."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnmappableEvent("expected text")
    return value.replace("\x00", "").encode("utf-8", "replace").decode()[:max_length]
