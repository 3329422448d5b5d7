"""Settings of preflight's clients, read from the environment without a settings module."""

import os
from urllib.parse import urlsplit

from django.conf import settings

DEFAULT_URLS = {
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_WEB_URL": "https://github.com",
    "REGISTRY_URL": "https://registry.terraform.io",
}
RELEASE_TIMEOUT_SECONDS = 1800  # seconds for reading a whole release: a line at home is slower, and nobody else waits
LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")


class InvalidSettingError(ValueError):
    """A variable of the environment holds nothing that can be used. The message does not repeat it."""


def configure() -> None:
    """Set up what the clients ask for, unless a caller has done so. Raises BadSetting.

    The token comes from GITHUB_TOKEN alone: arguments are shown to everyone on the machine.
    """
    if not settings.configured:
        addresses = read_addresses()
        allow_loopback = any(urlsplit(address).hostname in LOOPBACK_HOSTS for address in addresses.values())
        token = os.environ.get("GITHUB_TOKEN", "").strip()
        settings.configure(
            **addresses,
            GITHUB_TOKEN=token,
            ALLOW_LOOPBACK_HTTP=allow_loopback,
            RELEASE_SECONDS=RELEASE_TIMEOUT_SECONDS,
            USE_TZ=True,
        )


def read_addresses() -> dict[str, str]:
    """The addresses to read from. Raises BadSetting: a token must not travel where others can read along."""
    return {name: _read_address(name, default) for name, default in DEFAULT_URLS.items()}


def _read_address(name: str, default: str) -> str:
    value = os.environ.get(name, "").strip().rstrip("/") or default
    parts = urlsplit(value)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS):
        raise InvalidSettingError(f"{name} must be an address that begins with https://.")
    return value
