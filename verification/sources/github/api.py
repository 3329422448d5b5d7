"""How is GitHub asked? One question at a time, within its limits, and not again for what has not changed.

Where the requests are counted and where answers are kept is the caller's: without a database nothing is.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

import github
import requests
from github.Auth import AppAuth, AppInstallationAuth, Auth, Token
from github.Requester import Requester

from verification.sources.errors import Denied, NotFound, Unavailable, Unreadable, Withheld
from verification.sources.http import github_transport

TIMEOUT = 10  # seconds to connect, and between two parts of an answer
NO_TOKEN = (401, 404)  # GitHub does not know the App, its key or its installation
NEXT = re.compile(r'<([^<>]*)>\s*;\s*rel="?next"?')
FINAL = re.compile(r"/git/(?:trees|blobs|commits)/(?:[0-9a-f]{40}|[0-9a-f]{64})(?:\?|$)")


class Gate(Protocol):
    """Counts requests and obeys limits: see verification.sources.rate_limits.Budget."""

    def before(self) -> None: ...

    def after(self, status: int, headers: Mapping[str, str], message: str = "") -> None: ...


class Memory(Protocol):
    """Keeps answers: see verification.sources.http_cache.Memory."""

    def get(self, address: str) -> Any: ...

    def put(self, address: str, etag: str, value: Any, *, final: bool = False) -> None: ...

    def confirm(self, address: str) -> None: ...


class Open:
    """A gate that counts nothing and only knows a limit when it sees one."""

    def before(self) -> None:
        """Nothing stands in the way."""

    def after(self, status: int, headers: Mapping[str, str], message: str = "") -> None:
        if status == 401:
            raise Unavailable("GitHub does not accept the token.")
        if status == 429 or (status == 403 and ("rate limit" in message or "retry-after" in headers)):
            raise Unavailable("GitHub's limit for our requests is used up.")


class Forgetful:
    """A memory that keeps nothing."""

    def get(self, address: str) -> None: ...

    def put(self, address: str, etag: str, value: Any, *, final: bool = False) -> None: ...

    def confirm(self, address: str) -> None: ...


@cache
def installation(app: str, key: str, number: int) -> AppInstallationAuth:
    """An installation of a GitHub App; one a process, so that its token is fetched once an hour."""
    return AppInstallationAuth(AppAuth(app, key), number)


def token_auth(token: str) -> Auth | None:
    return Token(token) if token else None


class Api:
    """Answers to GET requests as parsed JSON. The address of the API is ours, by setting."""

    def __init__(
        self,
        base_url: str,
        auth: Auth | None,
        gate: Gate | None = None,
        memory: Memory | None = None,
        timeout: int = TIMEOUT,
    ) -> None:
        self._client = github.Github(
            base_url=base_url,
            auth=auth,
            timeout=timeout,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,  # who asks for many things waits between them: see support.redelivery
            user_agent="partner-portal",
        )
        self._gate, self._memory = gate or Open(), memory or Forgetful()
        self.has_credential = auth is not None  # GitHub may then answer about more than what is public

    @property
    def _requester(self) -> Requester:
        return self._client.requester

    def get(self, path: str, what: str) -> Any:
        """The answer, which may be one that was kept. Raises Unreadable with a sentence about `what`."""
        kept = self._memory.get(path)
        if kept is not None and kept.final:
            return kept.value
        status, headers, body = self._within_limits("GET", path, what, kept.etag if kept else "")
        if status == 304 and kept is not None:
            self._memory.confirm(path)
            return kept.value
        if status != 200:
            raise refusal(status, what)
        return self._taken(path, headers.get("etag", ""), body, what)

    def page(self, path: str, what: str) -> tuple[Any, str]:
        """One page of a list that GitHub leads on by cursors, never kept, and the next cursor; blank after the last.

        Raises Unreadable with a sentence about `what`.
        """
        status, headers, body = self._within_limits("GET", path, what)
        if status != 200:
            raise refusal(status, what)
        return parsed(body, what), next_cursor(headers.get("link", ""))

    def post(self, path: str, what: str) -> None:
        """Have something done there. Raises Unreadable with a sentence about `what`."""
        status, _, _ = self._within_limits("POST", path, what)
        if not 200 <= status < 300:
            raise refusal(status, what)

    def close(self) -> None:
        self._client.close()

    def _within_limits(self, method: str, path: str, what: str, etag: str = "") -> tuple[int, dict[str, str], str]:
        try:
            self._gate.before()
            status, headers, body = self._asked(method, path, etag)
            self._gate.after(status, headers, "" if status < 400 else body[:2000].lower())
        except Unavailable as limit:
            raise Unavailable(f"{limit} So {what} was not read.", limit.until) from limit
        except (requests.RequestException, github.GithubException, ValueError, RuntimeError, AssertionError) as error:
            raise Unavailable(f"GitHub did not answer usably, so {what} was not read.") from error
        return status, headers, body

    def _asked(self, method: str, path: str, etag: str) -> tuple[int, dict[str, str], str]:
        github_transport.begin()
        try:
            status, headers, body = self._requester.requestJson(
                method, path, headers={"If-None-Match": etag} if etag else None
            )
        except github.GithubException as refused:  # only the request for an installation's token is judged by PyGithub
            if refused.status in NO_TOKEN:
                self._gate.after(401, {})
            raise
        return status, {name.lower(): str(value) for name, value in headers.items()}, body

    def _taken(self, path: str, etag: str, body: str, what: str) -> Any:
        """The body as JSON, kept for the next time."""
        value = parsed(body, what)
        self._memory.put(path, etag, value, final=FINAL.search(path) is not None)
        return value


def parsed(body: str, what: str) -> Any:
    """An answer's body as JSON. Raises Unavailable."""
    try:
        return json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Unavailable(f"GitHub did not answer usably, so {what} was not read.") from error


def next_cursor(link: str) -> str:
    """The cursor in the address that a Link header calls the next page; blank where it names none."""
    found = NEXT.search(link)
    return parse_qs(urlsplit(found[1]).query).get("cursor", [""])[0] if found else ""


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def refusal(status: int, what: str) -> Unreadable:
    """404 and 410 say that nothing is to be seen, 451 and 403 why not, all else is an outage."""
    if status in {404, 410}:
        return NotFound(f"GitHub does not show {what}: it does not exist or is not public.")
    if status == 451:
        return Withheld(f"GitHub withholds {what} for legal reasons (451).")
    if status == 403:
        return Denied(f"GitHub does not let the portal read {what}.")
    return Unavailable(f"GitHub answered {status}, so {what} was not read.")
