"""Settings of preflight's clients, read from the environment without a settings module."""

import os
from urllib.parse import urlsplit

from django.conf import settings

from verification.sources.http.urls import is_this_machine

DEFAULT_URLS = {
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_WEB_URL": "https://github.com",
    "REGISTRY_URL": "https://registry.terraform.io",
}
RELEASE_TIMEOUT_SECONDS = 1800  # for a whole release; home connections are slow, and no other job waits


class PreflightUsageError(ValueError):
    """Invalid arguments or environment. The message is a sentence for the user, without values of the environment."""


def configure() -> None:
    """Configure the settings of the clients, unless a caller has done so. Raises PreflightUsageError.

    The token is read from GITHUB_TOKEN only, because every user of the machine can see command-line arguments.
    """
    # manage.py check_repository runs with the portal's settings.
    if not settings.configured:
        addresses = read_addresses()
        allow_loopback = any(is_this_machine(urlsplit(address).hostname or "") for address in addresses.values())
        token = os.environ.get("GITHUB_TOKEN", "").strip()
        settings.configure(
            **addresses,
            GITHUB_TOKEN=token,
            ALLOW_LOOPBACK_HTTP=allow_loopback,
            BLOCKED_NETWORKS=(),
            RELEASE_SECONDS=RELEASE_TIMEOUT_SECONDS,
            USE_TZ=True,
        )


def read_addresses() -> dict[str, str]:
    """Read the base URLs. Raises PreflightUsageError for plain http, which would send the token unencrypted."""
    return {name: _read_address(name, default) for name, default in DEFAULT_URLS.items()}


def _read_address(name: str, default: str) -> str:
    value = os.environ.get(name, "").strip().rstrip("/") or default
    if not _is_allowed(value):
        raise PreflightUsageError(f"{name} must be an address that begins with https://.")
    return value


def _is_allowed(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:  # such as brackets that enclose no IPv6 address
        return False
    if parts.scheme == "http":
        return is_this_machine(host)
    return parts.scheme == "https" and host != ""
