"""What do GitHub's lists say of a repository's issues? Changed since a moment, in pages that lose nothing."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlencode

from verification.sources.errors import NotFound, Unavailable
from verification.sources.github.api import Api

PAGE = 100
MOST_PAGES = 50
MOST_EVENTS = 1000  # of one issue
ONE = re.compile(r"/issues/(?:comments/)?\d+(?:[/?]|$)")  # an issue or a comment asked for by its number


class Asks(Protocol):
    """What is needed of a client: see github_api.Api."""

    has_credential: bool

    def get(self, path: str, what: str) -> Any: ...


class _Unchanged:
    """Stands for an answer that is the one we have seen."""


UNCHANGED = _Unchanged()


@dataclass(slots=True)
class Seen:
    """The ETags of answers as we last saw them, one an address; a memory that keeps no answers. See Api.

    A full page is not remembered: what comes after it may change where it does not. Nor is what is asked for by its
    number: that is asked for to learn what it says.
    """

    before: Mapping[str, str]
    now: dict[str, str]

    def get(self, address: str) -> Any:
        etag = self.before.get(address)
        return _Kept(etag) if etag else None

    def put(self, address: str, etag: str, value: Any, *, final: bool = False) -> None:
        full = isinstance(value, list) and len(value) >= PAGE
        if etag and not full and not ONE.search(address):
            self.now[address] = etag

    def confirm(self, address: str) -> None:
        self.now[address] = self.before[address]


@dataclass(frozen=True, slots=True)
class _Kept:
    etag: str
    value: Any = UNCHANGED
    final: bool = False


def changed(api: Asks, repository: str, kind: str, since: datetime, **more: str) -> Iterator[list[Mapping[str, Any]]]:
    """The issues or comments changed since a moment, oldest change first, page by page; no page where nothing changed.

    Each page begins where the last one ended, by moment and not by number: what changes while we read moves to the
    end, and no row slips from a page that is to come onto one that was read. Raises Unreadable.
    """
    what = f"the {kind.rpartition('/')[2]} of {repository}"
    start, number = _stamp(since), 1
    for _ in range(MOST_PAGES):
        query = {**more, "sort": "updated", "direction": "asc", "since": start, "per_page": str(PAGE)}
        page = _list(api, f"/repos/{repository}/{kind}?{urlencode(query | _page(number))}", what)
        if page is not None:
            yield page
        if page is None or len(page) < PAGE:
            return
        last = str(page[-1]["updated_at"])
        start, number = (start, number + 1) if last == start else (last, 1)
    raise Unavailable(f"GitHub has more {what} than we read at once.")


def open_numbers(api: Asks, repository: str) -> set[int]:
    """The numbers of all open issues and pull requests. Raises Unreadable."""
    found: set[int] = set()
    for number in range(1, MOST_PAGES + 1):
        query = urlencode({"state": "open", "sort": "created", "direction": "asc", "per_page": str(PAGE)})
        page = _list(api, f"/repos/{repository}/issues?{query}&page={number}", f"the open issues of {repository}")
        rows = page or []
        found |= {int(row["number"]) for row in rows}
        if len(rows) < PAGE:
            return found
    raise Unavailable(f"GitHub has more open issues of {repository} than we read at once.")


def events_after(api: Asks, repository: str, last: int, since: datetime) -> list[Mapping[str, Any]]:
    """What happened to issues after the event numbered `last` (0: since a moment), oldest first. Raises Unreadable."""
    what, start, found = f"the events of {repository}", _stamp(since), []
    for number in range(1, MOST_PAGES + 1):
        query = urlencode({"per_page": str(PAGE)} | _page(number))
        page = _list(api, f"/repos/{repository}/issues/events?{query}", what)
        rows = page or []
        new = [row for row in rows if int(row["id"]) > last and str(row["created_at"]) >= start]
        found += new
        if len(new) < len(rows) or len(rows) < PAGE:
            return sorted({int(row["id"]): row for row in found}.values(), key=lambda row: int(row["id"]))
    raise Unavailable(f"GitHub has more {what} than we read at once.")


def comment_numbers(api: Asks, repository: str, issue: int) -> set[int]:
    """The ids of the comments that an issue has. Raises Unreadable."""
    found: set[int] = set()
    for number in range(1, MOST_PAGES + 1):
        path = f"/repos/{repository}/issues/{issue}/comments?{urlencode({'per_page': str(PAGE)} | _page(number))}"
        rows = _list(api, path, f"the comments of {repository}#{issue}") or []
        found |= {int(row["id"]) for row in rows}
        if len(rows) < PAGE:
            return found
    raise Unavailable(f"GitHub has more comments of {repository}#{issue} than we read at once.")


def comment(api: Asks, repository: str, number: int) -> Mapping[str, Any] | None:
    """One comment; None where GitHub has none of that number. Raises Unreadable."""
    what = f"a comment of {repository}"
    try:
        raw = api.get(f"/repos/{repository}/issues/comments/{number}", what)
    except NotFound:
        return None
    return _rows([raw], what)[0]


def events_of(api: Asks, repository: str, issue: int) -> list[Mapping[str, Any]]:
    """What happened to one issue; of more than MOST_EVENTS the first ones. Raises Unreadable."""
    what, found = f"the events of {repository}#{issue}", []
    for number in range(1, MOST_EVENTS // PAGE + 1):
        path = f"/repos/{repository}/issues/{issue}/events?{urlencode({'per_page': str(PAGE)} | _page(number))}"
        rows = _list(api, path, what) or []
        found += rows
        if len(rows) < PAGE:
            break
    return found


@dataclass(frozen=True, slots=True)
class Identity:
    """A repository's number, its current name, and whether the public can't see it."""

    number: int
    name: str
    is_private: bool


def identity(api: Asks, repository: str) -> Identity | None:
    """Return the repository's identity, or None where nothing changed since it was last read. Raises Unreadable."""
    raw = api.get(f"/repos/{repository}", f"the repository {repository}")
    if raw is UNCHANGED:
        return None
    try:
        return Identity(int(raw["id"]), str(raw["full_name"]), bool(raw["private"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Unavailable(f"GitHub described {repository} in a way that we do not understand.") from error


def is_gone(api: Asks, repository: str, issue: int) -> bool:
    """Whether GitHub says that the issue is there no longer. Raises Unreadable for all but a plain answer."""
    try:
        raw = api.get(f"/repos/{repository}/issues/{issue}", f"{repository}#{issue}")
    except NotFound:
        return True
    return raw is not UNCHANGED and not str(raw.get("repository_url", "")).lower().endswith(f"/{repository.lower()}")


def failed_deliveries(api: Api, repository: str, hook: int, since: datetime) -> list[tuple[Mapping[str, Any], int]]:
    """What GitHub tried to deliver since a moment and could not, each with how often it tried; oldest first.

    Raises Unreadable. Of more deliveries than we read at once, those that came last are looked at.
    """
    rows = _deliveries(api, repository, hook, _stamp(since))
    arrived = {row["guid"] for row in rows if 200 <= int(row["status_code"]) < 300}
    tried = Counter(row["guid"] for row in rows)
    failed = {row["guid"]: row for row in reversed(rows) if row["guid"] not in arrived}
    return [(row, tried[guid]) for guid, row in failed.items()]


def _deliveries(api: Api, repository: str, hook: int, since: str) -> list[Mapping[str, Any]]:
    """Newest first."""
    found: list[Mapping[str, Any]] = []
    cursor, what = "", f"the deliveries of {repository}"
    for _ in range(MOST_PAGES):
        query = urlencode({"per_page": str(PAGE)} | ({"cursor": cursor} if cursor else {}))
        page, cursor = api.page(f"/repos/{repository}/hooks/{hook}/deliveries?{query}", what)
        rows = _rows(page, what)
        young = [row for row in rows if str(row["delivered_at"]) >= since]
        found += young
        if not cursor or len(young) < len(rows):
            break
    return found


def redeliver(api: Api, repository: str, hook: int, delivery: int) -> None:
    """Have GitHub deliver once more. Raises Unreadable."""
    api.post(f"/repos/{repository}/hooks/{hook}/deliveries/{delivery}/attempts", f"a delivery of {repository}")


def _list(api: Asks, path: str, what: str) -> list[Mapping[str, Any]] | None:
    answer = api.get(path, what)
    return None if answer is UNCHANGED else _rows(answer, what)


def _rows(rows: Any, what: str) -> list[Mapping[str, Any]]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Unavailable(f"GitHub described {what} in a way that we do not understand.")
    return rows


def _page(number: int) -> dict[str, str]:
    return {"page": str(number)} if number > 1 else {}


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
