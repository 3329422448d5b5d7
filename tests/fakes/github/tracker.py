"""Issues of a repository as GitHub reports them: in webhooks and in lists, with times that the test chooses.

The emulator uses its own clock and knows few events. A tracker records the same history as webhook deliveries and as
lists, in GitHub's format, so that tests can drop, reorder, and repeat deliveries and compare the result with the lists.
"""

import hashlib
import hmac
import json
import re
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

PER_PAGE = 30
ORG = UUID("7a2f7f0e-3f8e-4f5e-9d5c-1f6b1c0b7a11")


@dataclass(frozen=True)
class Person:
    """A GitHub account and its association with the repository."""

    id: int
    login: str
    association: str = "NONE"
    type: str = "User"

    def raw(self) -> dict[str, Any]:
        return {"id": self.id, "login": self.login, "type": self.type, "html_url": f"https://github.com/{self.login}"}


@dataclass(frozen=True)
class WebhookDelivery:
    """A delivery as GitHub sends it. `id` is the GUID of its header."""

    id: str
    event: str
    body: bytes

    def build_headers(self, secret: str) -> dict[str, str]:
        """Return the headers for Django's test client."""
        signature = hmac.new(secret.encode(), self.body, hashlib.sha256).hexdigest()
        return {
            "X-GitHub-Delivery": self.id,
            "X-GitHub-Event": self.event,
            "X-Hub-Signature-256": f"sha256={signature}",
            "User-Agent": "GitHub-Hookshot/044aadd",
        }


def format_time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class Tracker:
    """The issues of a repository. Every event adds a delivery to `webhooks` and changes the lists."""

    full_name: str
    id: int = 4711
    hook_id: int = 77
    private: bool = False
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    deleted_issues: dict[int, int] = field(default_factory=dict)
    webhooks: list[WebhookDelivery] = field(default_factory=list)
    deliveries: list[dict[str, Any]] = field(default_factory=list)
    redelivered: list[int] = field(default_factory=list)
    last: int = 0

    def build_repository(self) -> dict[str, Any]:
        owner, name = self.full_name.split("/")
        return {
            "id": self.id,
            "name": name,
            "full_name": self.full_name,
            "private": self.private,
            "archived": False,
            "owner": {"id": 47, "login": owner, "type": "Organization"},
            "html_url": f"https://github.com/{self.full_name}",
            "default_branch": "main",
        }

    def open(self, by: Person, title: str, at: datetime, body: str = "", labels: tuple[str, ...] = ()) -> int:
        number = len(self.issues) + len(self.deleted_issues) + 1
        self.issues[number] = {
            "id": self._next_id(),
            "number": number,
            "title": title,
            "body": body,
            "user": by.raw(),
            "author_association": by.association,
            "state": "open",
            "state_reason": None,
            "locked": False,
            "labels": [],
            "comments": 0,
            "created_at": format_time(at),
            "updated_at": format_time(at),
            "closed_at": None,
            "html_url": f"https://github.com/{self.full_name}/issues/{number}",
            "repository_url": f"https://api.github.com/repos/{self.full_name}",
        }
        self._send_webhook("issues", "opened", number, by)
        for name in labels:
            self.label(number, by, name, at)
        return number

    def comment(self, number: int, by: Person, body: str, at: datetime) -> int:
        comment: dict[str, Any] = {
            "id": self._next_id(),
            "body": body,
            "user": by.raw(),
            "author_association": by.association,
            "created_at": format_time(at),
            "updated_at": format_time(at),
            "issue_url": f"https://api.github.com/repos/{self.full_name}/issues/{number}",
        }
        comment["html_url"] = f"https://github.com/{self.full_name}/issues/{number}#issuecomment-{comment['id']}"
        self.comments.append(comment)
        self._touch(number, at)
        self._send_webhook("issue_comment", "created", number, by, comment=comment)
        return int(comment["id"])

    def edit_comment(self, id: int, by: Person, body: str, at: datetime) -> None:
        comment = self._find_comment(id)
        before = comment["body"]
        number = self._get_issue_number(comment)
        comment.update(body=body, updated_at=format_time(at))
        self._touch(number, at)
        self._send_webhook("issue_comment", "edited", number, by, comment=comment, changes={"body": {"from": before}})

    def delete_comment(self, id: int, by: Person, at: datetime) -> None:
        comment = self._find_comment(id)
        number = self._get_issue_number(comment)
        self.comments.remove(comment)
        self._record_event("comment_deleted", number, by, at)
        self._send_webhook("issue_comment", "deleted", number, by, comment=comment)

    def label(self, number: int, by: Person, name: str, at: datetime) -> None:
        self.issues[number]["labels"].append({"name": name})
        self._record_event("labeled", number, by, at, label={"name": name, "color": "ededed"})
        self._send_webhook("issues", "labeled", number, by, label={"name": name})

    def unlabel(self, number: int, by: Person, name: str, at: datetime) -> None:
        self.issues[number]["labels"].remove({"name": name})
        self._record_event("unlabeled", number, by, at, label={"name": name, "color": "ededed"})
        self._send_webhook("issues", "unlabeled", number, by, label={"name": name})

    def close(self, number: int, by: Person, at: datetime, reason: str = "completed") -> None:
        self.issues[number].update(state="closed", state_reason=reason, closed_at=format_time(at))
        self._record_event("closed", number, by, at, state_reason=reason)
        self._send_webhook("issues", "closed", number, by)

    def reopen(self, number: int, by: Person, at: datetime) -> None:
        self.issues[number].update(state="open", state_reason="reopened", closed_at=None)
        self._record_event("reopened", number, by, at)
        self._send_webhook("issues", "reopened", number, by)

    def edit(self, number: int, by: Person, body: str, at: datetime) -> None:
        """Edit the body of an issue. No event in the lists shows it."""
        before = self.issues[number]["body"]
        self.issues[number]["body"] = body
        self._touch(number, at)
        self._send_webhook("issues", "edited", number, by, changes={"body": {"from": before}})

    def lock(self, number: int, by: Person, at: datetime, is_locked: bool = True) -> None:
        """Lock the conversation, or unlock it."""
        self.issues[number]["locked"] = is_locked
        self._record_event("locked" if is_locked else "unlocked", number, by, at)
        self._send_webhook("issues", "locked" if is_locked else "unlocked", number, by)

    def delete(self, number: int, by: Person) -> None:
        """Delete an issue with its comments and events."""
        self._send_webhook("issues", "deleted", number, by)
        del self.issues[number]
        self.deleted_issues[number] = 410
        self.comments = [c for c in self.comments if self._get_issue_number(c) != number]
        self.events = [e for e in self.events if e["issue"] != number]

    def ping(self) -> WebhookDelivery:
        hook = {"id": self.hook_id, "events": ["issues", "issue_comment"], "active": True}
        payload = {"zen": "Keep it logically awesome.", "hook_id": self.hook_id, "hook": hook}
        return self._build_webhook("ping", payload | {"repository": self.build_repository()})

    def answer(self, path: str, query: dict[str, str], page_size: int = PER_PAGE) -> tuple[int, Any] | None:
        """Return GitHub's response to a GET request below the repository, or None for unknown paths."""
        size = int(query.get("per_page", page_size))
        start = (int(query.get("page", "1")) - 1) * size
        if path == "":
            return 200, self.build_repository()
        if path == "/issues":
            return 200, self._list_issues(query)[start : start + size]
        if path == "/issues/comments":
            return 200, self._filter_changed(self.comments, query)[start : start + size]
        if path == "/issues/events":
            newest = sorted(self.events, key=lambda e: -int(e["id"]))[start : start + size]
            return 200, [e | {"issue": self.issues[e["issue"]]} for e in newest]
        if match := re.fullmatch(r"/issues/comments/(\d+)", path):
            return next(((200, c) for c in self.comments if c["id"] == int(match[1])), (404, {"message": "Not Found"}))
        if match := re.fullmatch(r"/issues/(\d+)(?:/(comments|events))?", path):
            return self._answer_issue(int(match[1]), match[2] or "", slice(start, start + size))
        if path == f"/hooks/{self.hook_id}/deliveries":
            return 200, self._list_deliveries(query, size)
        return None

    def redeliver(self, path: str) -> bool:
        """Answer a POST request that redelivers a webhook. Return whether the path matches."""
        match = re.fullmatch(rf"/hooks/{self.hook_id}/deliveries/(\d+)/attempts", path)
        if match:
            self.redelivered.append(int(match[1]))
        return match is not None

    def record_failed_delivery(self, delivery: WebhookDelivery, at: datetime) -> int:
        """Record at GitHub that a delivery failed. Return its ID."""
        return self._record_delivery(delivery, at, status="failed to connect to host", status_code=502)

    def _list_deliveries(self, query: dict[str, str], size: int) -> list[dict[str, Any]]:
        """Return deliveries from the cursor on, newest first."""
        first = int(query.get("cursor", "v1_9999999999999").removeprefix("v1_"))
        return sorted((d for d in self.deliveries if d["id"] <= first), key=lambda d: -int(d["id"]))[:size]

    def find_cursor(self, path: str, rows: list[dict[str, Any]]) -> str:
        """Return the cursor of the next page as in GitHub's Link header, blank for the last page."""
        if path != f"/hooks/{self.hook_id}/deliveries" or not rows:
            return ""
        older = [d["id"] for d in self.deliveries if d["id"] < rows[-1]["id"]]
        return f"v1_{max(older)}" if older else ""

    def build_next_page_query(self, path: str, query: dict[str, str], rows: Any) -> dict[str, str]:
        """Return the query of the next page, empty for the last page and for responses that are no list."""
        if not isinstance(rows, list):
            return {}
        if cursor := self.find_cursor(path, rows):
            return query | {"cursor": cursor}
        after = query | {"page": str(int(query.get("page", "1")) + 1)}
        more = None if path.endswith("/deliveries") else self.answer(path, after)
        return after if more and more[1] else {}

    def _answer_issue(self, number: int, what: str, page: slice) -> tuple[int, Any]:
        if number not in self.issues:
            return self.deleted_issues.get(number, 404), {"message": "This issue was deleted"}
        issue_comments = [c for c in self.comments if self._get_issue_number(c) == number]
        issue_events = [
            {key: value for key, value in event.items() if key != "issue"}
            for event in self.events
            if event["issue"] == number
        ]
        return 200, {"": self.issues[number], "comments": issue_comments[page], "events": issue_events[page]}[what]

    def record_delivery(self, delivery: WebhookDelivery, at: datetime) -> None:
        """Record at GitHub that a delivery arrived."""
        self._record_delivery(delivery, at, status="OK", status_code=202)

    def _record_delivery(self, delivery: WebhookDelivery, at: datetime, **result: Any) -> int:
        id = self._next_id()
        entry = {"id": id, "guid": delivery.id, "delivered_at": format_time(at), "redelivery": False}
        self.deliveries.append(entry | {"event": "issues"} | result)
        return id

    def _list_issues(self, query: dict[str, str]) -> list[dict[str, Any]]:
        state = query.get("state", "open")
        return self._filter_changed([i for i in self.issues.values() if state in ("all", i["state"])], query)

    def _filter_changed(self, rows: list[dict[str, Any]], query: dict[str, str]) -> list[dict[str, Any]]:
        since = query.get("since", "")
        by = f"{query.get('sort', 'created')}_at"
        changed_rows = sorted((r for r in rows if r["updated_at"] >= since), key=lambda r: (r[by], r["id"]))
        return changed_rows if query.get("direction") == "asc" else changed_rows[::-1]

    def _record_event(self, name: str, number: int, by: Person, at: datetime, **more: Any) -> None:
        self._touch(number, at)
        entry = {"id": self._next_id(), "event": name, "actor": by.raw(), "created_at": format_time(at)}
        self.events.append(entry | {"issue": number} | more)

    def _send_webhook(self, event: str, action: str, number: int, by: Person, **more: Any) -> None:
        payload = {"action": action, "issue": self.issues[number], "sender": by.raw(), **more}
        self.webhooks.append(self._build_webhook(event, payload | {"repository": self.build_repository()}))

    def _build_webhook(self, event: str, payload: dict[str, Any]) -> WebhookDelivery:
        guid = str(uuid5(ORG, f"{self.full_name} {self._next_id()}"))
        return WebhookDelivery(guid, event, json.dumps(deepcopy(payload)).encode())

    def _touch(self, number: int, at: datetime) -> None:
        issue = self.issues[number]
        issue["updated_at"] = max(issue["updated_at"], format_time(at))

    def _find_comment(self, id: int) -> dict[str, Any]:
        return next(c for c in self.comments if c["id"] == id)

    def _get_issue_number(self, comment: dict[str, Any]) -> int:
        return int(comment["issue_url"].rsplit("/", 1)[1])

    def _next_id(self) -> int:
        self.last += 1
        return self.id * 100_000 + self.last
