"""Requests to GitHub that return JSON: one at a time, with conditional requests for unchanged data.

The caller provides the cache. By default, no response is stored.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from github.Auth import AppAuth, AppInstallationAuth, Auth, Token
from github.Repository import Repository

from verification.sources.errors import GitHubUnavailableError, PageLimitError
from verification.sources.github.requester import LimitedRequester, RateLimiter, build_error, convert_github_errors

# Git names these objects by their content, so their responses never change.
IMMUTABLE_PATH_PATTERN = re.compile(r"/git/(?:trees|blobs|commits)/(?:[0-9a-f]{40}|[0-9a-f]{64})(?:\?|$)")

# Of the commit that a SHA, branch, or tag names. GitHub returns 422 if it doesn't exist.
COMMIT_PATH_PATTERN = re.compile(r"/repos/[^/?]+/[^/?]+/commits/[^/?]+")

# A page of a repository's issue events. GitHub returns 422 for pages beyond its limit.
EVENT_PAGE_PATTERN = re.compile(r"/repos/[^/?]+/[^/?]+/issues/events\?(?:.*&)?page=\d+")


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """Cached response. A `final` response never changes and needs no revalidation."""

    value: object
    etag: str
    final: bool = False


class ResponseCache:
    """Cache that stores nothing. verification.sources.http_cache.HttpCache stores responses."""

    def get(self, address: str) -> CachedResponse | None:
        """Return the cached response of a URL, or None if it is missing."""
        return None

    def put(self, address: str, etag: str, value: object, *, final: bool = False) -> None:
        """Store a response."""

    def confirm(self, address: str) -> None:
        """Record that the source confirmed the cached response."""


@cache
def build_installation_auth(app_id: str, key: str, installation_id: int) -> AppInstallationAuth:
    """Build the authentication of a GitHub App installation. It is cached, so its token is fetched once an hour."""
    return AppInstallationAuth(AppAuth(app_id, key), installation_id)


def build_token_auth(token: str) -> Auth | None:
    return Token(token) if token else None


class GitHubApi:
    """Client for GitHub's REST API that returns parsed JSON, with conditional requests."""

    def __init__(
        self,
        base_url: str,
        auth: Auth | None,
        rate_limiter: RateLimiter | None = None,
        cache: ResponseCache | None = None,
    ) -> None:
        self.requester = LimitedRequester(base_url, auth, rate_limiter)
        self._cache = cache or ResponseCache()
        self.has_credential = auth is not None  # the responses may then include private data

    def get(self, path: str, what: str) -> Any:
        """Return the response, possibly from the cache. Raises SourceError with a message about `what`."""
        cached = self._cache.get(path)
        if cached is not None and cached.final:
            return cached.value
        status, headers, body = self._send("GET", path, what, cached.etag if cached else "")
        if status == 304 and cached is not None:
            self._cache.confirm(path)
            return cached.value
        if status == 422 and COMMIT_PATH_PATTERN.fullmatch(path):
            raise build_error(404, what)
        if status == 422 and EVENT_PAGE_PATTERN.fullmatch(path):
            raise PageLimitError(f"GitHub doesn't list all of {what}.")
        if status != 200:
            raise build_error(status, what)
        value = parse_body(body, what)
        self._cache.put(path, headers.get("etag", ""), value, final=IMMUTABLE_PATH_PATTERN.search(path) is not None)
        return value

    def get_repository(self, full_name: str) -> Repository:
        """Return PyGithub's object for a repository without a request."""
        return Repository(self.requester, url=f"/repos/{full_name}")

    def post(self, path: str, what: str) -> None:
        """Send a POST request. Raises SourceError with a message about `what`."""
        status, _, _ = self._send("POST", path, what)
        if not 200 <= status < 300:
            raise build_error(status, what)

    def close(self) -> None:
        self.requester.close()

    def _send(self, method: str, path: str, what: str, etag: str = "") -> tuple[int, dict[str, str], str]:
        with convert_github_errors(what):
            return self.requester.requestJson(method, path, headers={"If-None-Match": etag} if etag else None)


def parse_body(body: str, what: str) -> object:
    """Parse a JSON response body. Raises SourceUnavailableError if it isn't JSON."""
    try:
        # Python's parser accepts NaN and Infinity, which JSON doesn't have and PostgreSQL refuses.
        return json.loads(body, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        raise GitHubUnavailableError(f"Can't read {what}: GitHub sent an invalid response.") from error


def _reject_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
