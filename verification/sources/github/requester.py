"""PyGithub's requester with rate limits and the portal's errors.

PyGithub's objects send their requests through it, and so does GitHubApi. The caller provides the rate limiter. By
default, no request is counted.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import github
import jwt
import requests
from github.Auth import Auth
from github.Requester import Requester

from verification.sources.errors import (
    AccessDeniedError,
    GitHubUnavailableError,
    LegallyWithheldError,
    SourceError,
    SourceNotFoundError,
    SourceUnavailableError,
)
from verification.sources.http import github_transport

TIMEOUT_SECONDS = 10  # seconds to connect, and between two reads of a response
TOKEN_ERROR_STATUSES = (401, 404)  # GitHub doesn't know the app, its key, or its installation
PAGE_SIZE = 100


class RateLimiter:
    """Rate limiter that doesn't count and only detects limit responses.

    verification.sources.rate_limits.GitHubRateLimiter counts.
    """

    def count_request(self) -> None:
        """Allow every request."""

    def record_response(self, status: int, headers: Mapping[str, str], message: str = "") -> None:
        """Raise SourceUnavailableError for a limit or a rejected credential."""
        if status == 401:
            raise GitHubUnavailableError("GitHub doesn't accept the token.")
        if status == 429 or (status == 403 and ("rate limit" in message or "retry-after" in headers)):
            raise GitHubUnavailableError("We reached GitHub's rate limit.")


class LimitedRequester(Requester):
    """Requester that applies a rate limiter to each request and response."""

    def __init__(self, base_url: str, auth: Auth | None = None, rate_limiter: RateLimiter | None = None) -> None:
        super().__init__(
            auth=auth,
            base_url=base_url,
            timeout=TIMEOUT_SECONDS,
            user_agent="partner-portal",
            per_page=PAGE_SIZE,
            verify=True,
            retry=None,
            pool_size=None,
            lazy=True,  # objects send no request of their own before one of their lists
        )
        self._rate_limiter = rate_limiter or RateLimiter()

    def requestJson(self, verb: str, url: str, *args: Any, **kwargs: Any) -> tuple[int, dict[str, Any], str]:
        """Send one request. Raises SourceUnavailableError for a limit, and what PyGithub and requests raise."""
        self._rate_limiter.count_request()
        github_transport.reset_hops()
        try:
            status, headers, body = super().requestJson(verb, url, *args, **kwargs)
        except jwt.PyJWTError:  # the key in the settings can't sign the request of an installation token
            self._rate_limiter.record_response(401, {})
            raise
        except github.GithubException as error:  # PyGithub raises here only for the request of an installation token
            if error.status in TOKEN_ERROR_STATUSES:
                self._rate_limiter.record_response(401, {})
            raise ValueError("no installation token") from error
        self._rate_limiter.record_response(status, headers, "" if status < 400 else body[:2000].lower())
        return status, headers, body


@contextmanager
def convert_github_errors(what: str) -> Iterator[None]:
    """Raise a SourceError with a message about `what` for each error of PyGithub and of the connection."""
    try:
        yield
    except SourceUnavailableError as limit:
        raise GitHubUnavailableError(f"{limit} Can't read {what}.", limit.retry_at) from limit
    except (requests.ConnectionError, requests.Timeout) as error:
        raise GitHubUnavailableError(f"Can't read {what}: GitHub isn't reachable.") from error
    except (github.BadAttributeException, AttributeError, KeyError, TypeError) as error:  # of PyGithub's parsers
        raise GitHubUnavailableError(f"Can't parse GitHub's response for {what}.") from error
    except github.GithubException as error:
        raise build_error(error.status, what) from error
    except (requests.RequestException, ValueError, RuntimeError, AssertionError) as error:
        raise GitHubUnavailableError(f"Can't read {what}: GitHub sent an invalid response.") from error


def build_error(status: int, what: str) -> SourceError:
    """Build the error for a status: 404, 410 and 409 not found, 451 withheld, 403 denied, others an outage."""
    if status in {404, 410}:
        return SourceNotFoundError(f"GitHub doesn't show {what}. It doesn't exist or isn't public.")
    if status == 409:  # a repository without commits
        return SourceNotFoundError(f"GitHub can't show {what}. The repository is empty.")
    if status == 451:
        return LegallyWithheldError(f"GitHub withholds {what} for legal reasons (451).")
    if status == 403:
        return AccessDeniedError(f"GitHub denies access to {what}.")
    return GitHubUnavailableError(f"Can't read {what}: GitHub returned status {status}.")
