"""GitHub credentials of the portal: none, a token, or an installation of a GitHub App."""

import hashlib
from datetime import datetime

from django.conf import settings
from github.Auth import Auth

from verification.sources.github.api import build_installation_auth, build_token_auth
from verification.sources.github.client import GitHubClient
from verification.sources.http_cache import HttpCache
from verification.sources.rate_limits import GitHubRateLimiter

# Requests per hour (GitHub, Rate limits for the REST API), until a response contains the actual limit.
ANONYMOUS_LIMIT = 60
TOKEN_LIMIT = 5000


def get_credential() -> tuple[str, int, Auth | None]:
    """Return the configured credential: its name without the secret, its rate limit, and its authentication."""
    app_id = settings.GITHUB_APP_ID
    installation_id = settings.GITHUB_APP_INSTALLATION
    if app_id and installation_id:
        name = f"app {app_id}, installation {installation_id}, key {_compute_fingerprint(settings.GITHUB_APP_KEY)}"
        return name, TOKEN_LIMIT, build_installation_auth(app_id, settings.GITHUB_APP_KEY, installation_id)
    if settings.GITHUB_TOKEN:
        name = f"token {_compute_fingerprint(settings.GITHUB_TOKEN)}"
        return name, TOKEN_LIMIT, build_token_auth(settings.GITHUB_TOKEN)
    return "anonymous", ANONYMOUS_LIMIT, None


def get_background_resource() -> str:
    """Return the resource of jobs that no one waits for: they share the credential's limit for the background."""
    return f"github:{get_credential()[0]}"


def _compute_fingerprint(secret: str) -> str:
    """Return a fingerprint of a secret, so that a new secret starts with a new row."""
    # The name is shown and logged, so it must not contain the secret.
    return hashlib.sha256(secret.encode()).hexdigest()[:8]


def build_github_client(*, background: bool = False) -> GitHubClient:
    """Build the GitHub client of one run. With a disabled credential, foreground requests are sent anonymously."""
    name, limit, auth = get_credential()
    rate_limiter = GitHubRateLimiter(name, limit, background)
    if auth is not None and not background and rate_limiter.is_disabled():
        rate_limiter = GitHubRateLimiter("anonymous", ANONYMOUS_LIMIT)
        auth = None
    return GitHubClient(token="", auth=auth, rate_limiter=rate_limiter, cache=HttpCache("github"))


def get_background_limit_end() -> datetime | None:
    """Return when requests that no one waits for are possible again, None if they are."""
    name, limit, _ = get_credential()
    return GitHubRateLimiter(name, limit, background=True).get_blocked_until()
