"""With which credential does the portal ask GitHub? With none, a token, or as an installation of a GitHub App."""

import hashlib

from django.conf import settings
from github.Auth import Auth

from verification.sources import Sources
from verification.sources.github.api import installation, token_auth
from verification.sources.github.client import GitHub
from verification.sources.http_cache import Memory
from verification.sources.rate_limits import Budget

ANONYMOUS_LIMIT, TOKEN_LIMIT = 60, 5000  # requests an hour, until GitHub says itself


def credential() -> tuple[str, int, Auth | None]:
    """The credential that the settings name: its name without its secret, its limit, and how it signs requests."""
    app, number = settings.GITHUB_APP_ID, settings.GITHUB_APP_INSTALLATION
    if app and number:
        name = f"app {app}, installation {number}, key {_print_of(settings.GITHUB_APP_KEY)}"
        return name, TOKEN_LIMIT, installation(app, settings.GITHUB_APP_KEY, number)
    if settings.GITHUB_TOKEN:
        return f"token {_print_of(settings.GITHUB_TOKEN)}", TOKEN_LIMIT, token_auth(settings.GITHUB_TOKEN)
    return "anonymous", ANONYMOUS_LIMIT, None


def _print_of(secret: str) -> str:
    """Tells one secret from another and nothing of it, so that a new one begins with a clean row."""
    return hashlib.sha256(secret.encode()).hexdigest()[:8]


def github(*, background: bool = False) -> GitHub:
    """GitHub for one run. Where the credential is dead, what somebody waits for is asked anonymously."""
    name, limit, auth = credential()
    budget = Budget(name, limit, background)
    if auth is not None and not background and budget.is_dead():
        budget, auth = Budget("anonymous", ANONYMOUS_LIMIT), None
    return GitHub(token="", auth=auth, gate=budget, memory=Memory("github"))


def sources(*, background: bool = False) -> Sources:
    """The clients of one run of the portal."""
    return Sources(github(background=background))
