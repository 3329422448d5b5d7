"""What does GitHub tell of an issue? Its JSON, from a webhook or from a list, as the same facts under the same keys.

Pure. A payload of another shape raises Untellable; what concerns no issue in support is None.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from integrations.sla.engine.types import Actor, Happening, Kind

NOBODY = Actor(0, "ghost")
# Who may label, close what is not theirs, or lock has been let in by the partner: GitHub says no association there.
LET_IN = "COLLABORATOR"
# GitHub's words for what happens to an issue, in its webhooks and in its lists of events.
CHANGES = {
    "edited": Kind.EDITED,
    "renamed": Kind.EDITED,
    "labeled": Kind.LABELED,
    "unlabeled": Kind.UNLABELED,
    "closed": Kind.CLOSED,
    "reopened": Kind.REOPENED,
    "locked": Kind.LOCKED,
    "unlocked": Kind.UNLOCKED,
    "transferred": Kind.TRANSFERRED,
    "converted_to_discussion": Kind.TRANSFERRED,
    "deleted": Kind.DELETED,
}
UNREAD = ":unread"  # how the key of a comment ends whose first words nobody told
ENDINGS = {Kind.TRANSFERRED, Kind.DELETED}  # these happen once, so their key needs no moment
SAID = {"created": Kind.COMMENTED, "edited": Kind.COMMENT_EDITED, "deleted": Kind.COMMENT_DELETED}
READ_EVENTS = frozenset({"issues", "issue_comment"})
T = TypeVar("T")


class Untellable(ValueError):
    """The payload has not the shape that GitHub documents."""


@dataclass(frozen=True, slots=True)
class Told:
    """An issue as one message tells of it, and the facts in that message."""

    github_id: int
    number: int
    title: str
    url: str
    author: Actor
    opened_at: datetime
    updated_at: datetime
    facts: tuple[Happening, ...]


def from_webhook(event: str, payload: Mapping[str, Any], received_at: datetime) -> Told | None:
    """What a webhook tells. None where it concerns no issue. Raises Untellable."""
    if event not in READ_EVENTS:
        return None
    return _shaped(lambda: _from_webhook(event, payload, received_at))


def from_issue(raw: Mapping[str, Any]) -> Told | None:
    """What a list of issues tells of one: that it was opened. None for a pull request. Raises Untellable."""
    return _shaped(lambda: _issue(raw, ()))


def from_event(raw: Mapping[str, Any]) -> Told | None:
    """What the repository's list of events tells. None for what does not matter. Raises Untellable."""
    return _shaped(lambda: _from_event(raw))


def comment_facts(raw: Mapping[str, Any]) -> tuple[Happening, ...]:
    """What a list of comments tells of one: that it was made and, where it was, edited. Raises Untellable."""
    return _shaped(lambda: _comment(raw))


def body_of(told: Told) -> str:
    """What the report says, as this message tells of it."""
    return told.facts[0].text


def rewritten(told: Told) -> Happening:
    """That a report reads otherwise than we knew. A list says neither who rewrote it nor when: we take it for its
    author's doing, at the issue's last update.
    """
    data = {"body": True, "guessed": True}
    key = f"edited:guessed:{_stamp(told.updated_at)}"
    return Happening(key, Kind.EDITED, told.updated_at, told.author, body_of(told), data=data)


def deletion(comment: str, raw: Mapping[str, Any]) -> Happening:
    """That a comment, by its key, was deleted, as a list of events tells of it. Raises Untellable."""
    return _shaped(lambda: _deletion(comment, moment(raw["created_at"]), raw.get("actor"), ""))


def moment(value: Any) -> datetime:
    """GitHub's moment in UTC. Raises Untellable."""
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise Untellable(f"a moment expected, not {value!r}") from error
    if found.tzinfo is None:
        raise Untellable("a moment without a zone")
    return found.astimezone(UTC)


def _shaped(function: Callable[[], T]) -> T:
    try:
        return function()
    except (KeyError, TypeError, AttributeError) as error:
        raise Untellable(f"not as GitHub documents it: {error!r}") from error


def _from_webhook(event: str, payload: Mapping[str, Any], received_at: datetime) -> Told | None:
    action, issue = payload["action"], payload["issue"]
    sender = payload.get("sender")
    if event == "issue_comment":
        return _issue(issue, _comment_change(action, payload["comment"], sender, received_at))
    if action not in CHANGES:
        return _issue(issue, ())
    kind = CHANGES[action]
    at = received_at if kind is Kind.DELETED else moment(issue["updated_at"])
    if kind is Kind.CLOSED:
        at = moment(issue["closed_at"])
    label = payload["label"]["name"] if kind in (Kind.LABELED, Kind.UNLABELED) else ""
    data = _data_of(kind, issue)
    key = str(kind) if kind in ENDINGS else f"{kind}:{_text(label, 80)}:{_stamp(at)}"
    change = _change(key, kind, at, sender, issue, label, data)
    return _issue(issue, (replace(change, text=_text(issue.get("body"))) if data.get("body") else change,))


def _data_of(kind: Kind, issue: Mapping[str, Any]) -> dict[str, object]:
    if kind is Kind.CLOSED:
        return {"reason": _text(issue.get("state_reason"))}
    return {"body": True} if kind is Kind.EDITED else {}


def _comment_change(action: str, raw: Mapping[str, Any], sender: Any, received_at: datetime) -> tuple[Happening, ...]:
    if action not in SAID:
        return ()
    if action != "deleted":
        return _comment(raw)
    association = raw.get("author_association") if _same(sender, raw.get("user")) else LET_IN
    return (*_comment(raw), _deletion(comment_key(_number(raw["id"])), received_at, sender, association))


def _deletion(comment: str, at: datetime, who: Any, association: Any) -> Happening:
    """Everybody may delete what they wrote themselves: to have done so makes nobody one of the partner's."""
    by = _actor(who, association)
    return Happening(f"{comment}:deleted", Kind.COMMENT_DELETED, at, by, data={"comment": comment})


def comment_key(comment: int) -> str:
    """The key of a comment, which its edits and its deletion name."""
    return f"comment:{comment}"


def _comment(raw: Mapping[str, Any]) -> tuple[Happening, ...]:
    """What an edited comment said at first, nobody tells: a list shows its last words, and so does a webhook, whose
    words from before the edit may come from another edit. They are believed from the last edit on.
    """
    key, by = comment_key(_number(raw["id"])), _actor(raw.get("user"), raw.get("author_association"))
    made, changed, said = moment(raw["created_at"]), moment(raw["updated_at"]), _text(raw.get("body"))
    if changed <= made:
        return (Happening(key, Kind.COMMENTED, made, by, said, data=_of(raw)),)
    return (
        Happening(f"{key}{UNREAD}", Kind.COMMENTED, made, by, data=_of(raw) | {"unread": True}),
        Happening(f"{key}:edited:{_stamp(changed)}", Kind.COMMENT_EDITED, changed, by, said, data=_of(raw)),
    )


def _of(raw: Mapping[str, Any]) -> dict[str, object]:
    return {"comment": comment_key(_number(raw["id"])), "url": _text(raw.get("html_url"), 400)}


def _from_event(raw: Mapping[str, Any]) -> Told | None:
    issue = raw.get("issue")
    if raw["event"] not in CHANGES or not issue:
        return None
    kind, at, number = CHANGES[raw["event"]], moment(raw["created_at"]), _number(raw["id"])
    label = raw["label"]["name"] if kind in (Kind.LABELED, Kind.UNLABELED) else ""
    data: dict[str, object] = {"event": number}
    if kind is Kind.CLOSED:
        data |= {"reason": _text(raw.get("state_reason")), "commit": _text(raw.get("commit_id"), 64)}
    key = str(kind) if kind in ENDINGS else f"event:{number}"
    return _issue(issue, (_change(key, kind, at, raw.get("actor"), issue, label, data),))


def _change(
    key: str, kind: Kind, at: datetime, who: Any, issue: Mapping[str, Any], label: str, data: Mapping[str, object]
) -> Happening:
    own = _same(who, issue.get("user"))
    by = _actor(who, issue.get("author_association") if own else LET_IN)
    return Happening(key, kind, at, by, label=_text(label, 100), data=data)


def _issue(raw: Mapping[str, Any], facts: Iterable[Happening]) -> Told | None:
    if raw.get("pull_request"):
        return None
    author, opened = _actor(raw.get("user"), raw.get("author_association")), moment(raw["created_at"])
    title = _text(raw["title"], 300)
    first = Happening("opened", Kind.OPENED, opened, author, _text(raw.get("body")), data={"title": title})
    return Told(
        github_id=_number(raw["id"]),
        number=_number(raw["number"]),
        title=title,
        url=_text(raw.get("html_url"), 400),
        author=author,
        opened_at=opened,
        updated_at=moment(raw["updated_at"]),
        facts=(first, *facts),
    )


def _actor(raw: Any, association: Any) -> Actor:
    if not raw:
        return NOBODY
    return Actor(
        _number(raw["id"]),
        _text(raw["login"], 100),
        _text(raw.get("type"), 20) or "User",
        _text(association, 30) or "NONE",
    )


def _same(one: Any, other: Any) -> bool:
    return bool(one and other) and one.get("id") == other.get("id")


def _stamp(at: datetime) -> str:
    return at.strftime("%Y%m%dT%H%M%SZ")


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**63:
        raise Untellable("a number expected")
    return value


def _text(value: Any, most: int = 65_536) -> str:
    """Text without what a database refuses; None is blank."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Untellable("text expected")
    return value.replace("\x00", "").encode("utf-8", "replace").decode()[:most]
