"""Requests to GitHub: one at a time, within its rate limits, with conditional requests for unchanged data.

The caller provides the rate limiter and the cache. By default, no request is counted and no response is stored.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

import github
import requests
from github.Auth import AppAuth, AppInstallationAuth, Auth, Token
from requests.utils import parse_header_links

from verification.sources.errors import (
    AccessDeniedError,
    LegallyWithheldError,
    SourceError,
    SourceNotFoundError,
    SourceUnavailableError,
)
from verification.sources.http import github_transport

TIMEOUT_SECONDS = 10  # seconds to connect, and between two reads of a response
TOKEN_ERROR_STATUSES = (401, 404)  # GitHub does not know the App, its key or its installation
IMMUTABLE_PATH_PATTERN = re.compile(r"/git/(?:trees|blobs|commits)/(?:[0-9a-f]{40}|[0-9a-f]{64})(?:\?|$)")


class RateLimiter:
    """Rate limiter that doesn't count and only detects limit responses.

    verification.sources.rate_limits.GitHubRateLimiter counts.
    """

    def before(self) -> None:
        """Allow every request."""

    def after(self, status: int, headers: Mapping[str, str], message: str = "") -> None:
        """Raise SourceUnavailableError for a limit or a rejected credential."""
        if status == 401:
            raise SourceUnavailableError("GitHub doesn't accept the token.")
        if status == 429 or (status == 403 and ("rate limit" in message or "retry-after" in headers)):
            raise SourceUnavailableError("We reached GitHub's rate limit.")


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
    """Client for GitHub's REST API that returns parsed JSON. Its base URL comes from the settings."""

    def __init__(
        self,
        base_url: str,
        auth: Auth | None,
        rate_limiter: RateLimiter | None = None,
        cache: ResponseCache | None = None,
        timeout_seconds: int = TIMEOUT_SECONDS,
    ) -> None:
        self._client = github.Github(
            base_url=base_url,
            auth=auth,
            timeout=timeout_seconds,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,  # callers with many requests wait between them: see support.redelivery
            user_agent="partner-portal",
        )
        self._rate_limiter, self._cache = rate_limiter or RateLimiter(), cache or ResponseCache()
        self.has_credential = auth is not None  # the responses may then include private data

    def get(self, path: str, what: str) -> Any:
        """Return the response, possibly from the cache. Raises SourceError with a message about `what`."""
        cached = self._cache.get(path)
        if cached is not None and cached.final:
            return cached.value
        status, headers, body = self._send_within_limits("GET", path, what, cached.etag if cached else "")
        if status == 304 and cached is not None:
            self._cache.confirm(path)
            return cached.value
        if status != 200:
            raise build_error(status, what)
        value = parse_body(body, what)
        self._cache.put(path, headers.get("etag", ""), value, final=IMMUTABLE_PATH_PATTERN.search(path) is not None)
        return value

    def page(self, path: str, what: str) -> tuple[Any, str]:
        """Return one page of a list and the cursor of the next page, which is blank on the last page.

        Pages are not cached. Raises SourceError with a message about `what`.
        """
        status, headers, body = self._send_within_limits("GET", path, what)
        if status != 200:
            raise build_error(status, what)
        return parse_body(body, what), parse_next_cursor(headers.get("link", ""))

    def post(self, path: str, what: str) -> None:
        """Send a POST request. Raises SourceError with a message about `what`."""
        status, _, _ = self._send_within_limits("POST", path, what)
        if not 200 <= status < 300:
            raise build_error(status, what)

    def close(self) -> None:
        self._client.close()

    def _send_within_limits(self, method: str, path: str, what: str, etag: str = "") -> tuple[int, dict[str, str], str]:
        try:
            self._rate_limiter.before()
            status, headers, body = self._send(method, path, etag)
            self._rate_limiter.after(status, headers, "" if status < 400 else body[:2000].lower())
        except SourceUnavailableError as limit:
            raise SourceUnavailableError(f"{limit} Can't read {what}.", limit.retry_at) from limit
        except (requests.ConnectionError, requests.Timeout) as error:
            raise SourceUnavailableError(f"Can't read {what}: GitHub isn't reachable.") from error
        except (requests.RequestException, github.GithubException, ValueError, RuntimeError, AssertionError) as error:
            raise SourceUnavailableError(f"Can't read {what}: GitHub sent an invalid response.") from error
        return status, headers, body

    def _send(self, method: str, path: str, etag: str) -> tuple[int, dict[str, str], str]:
        github_transport.reset_hops()
        try:
            status, headers, body = self._client.requester.requestJson(
                method, path, headers={"If-None-Match": etag} if etag else None
            )
        except github.GithubException as error:  # PyGithub raises only for the request of an installation token
            if error.status in TOKEN_ERROR_STATUSES:
                self._rate_limiter.after(401, {})
            raise
        return status, {name.lower(): str(value) for name, value in headers.items()}, body


def parse_body(body: str, what: str) -> object:
    """Parse a JSON response body. Raises SourceUnavailableError if it isn't JSON."""
    try:
        return json.loads(body, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        raise SourceUnavailableError(f"Can't read {what}: GitHub sent an invalid response.") from error


def parse_next_cursor(link: str) -> str:
    """Return the cursor of the next page from a Link header, or a blank string without a next page."""
    addresses = [entry["url"] for entry in parse_header_links(link) if entry.get("rel") == "next"]
    return parse_qs(urlsplit(addresses[0]).query).get("cursor", [""])[0] if addresses else ""


def _reject_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def build_error(status: int, what: str) -> SourceError:
    """Build the error for a status: 404, 410 and 409 not found, 451 withheld, 403 denied, others an outage."""
    if status in {404, 410}:
        return SourceNotFoundError(f"GitHub doesn't show {what}. It doesn't exist or isn't public.")
    if status == 409:  # a repository without commits
        return SourceNotFoundError(f"GitHub has no {what}. The repository is empty.")
    if status == 451:
        return LegallyWithheldError(f"GitHub withholds {what} for legal reasons (451).")
    if status == 403:
        return AccessDeniedError(f"GitHub denies access to {what}.")
    return SourceUnavailableError(f"Can't read {what}: GitHub returned status {status}.")
