"""Where does preflight read from? The few settings of the clients, from the environment, without a settings module."""

import os
from urllib.parse import urlsplit

from django.conf import settings

ADDRESSES = {
    "GITHUB_API_URL": "https://api.github.com",
    "GITHUB_WEB_URL": "https://github.com",
    "REGISTRY_URL": "https://registry.terraform.io",
}
PATIENCE = 1800  # seconds for reading a whole release: a line at home is slower, and nobody else waits
HERE = ("127.0.0.1", "::1", "localhost")


class BadSetting(ValueError):
    """A variable of the environment holds nothing that can be used. The message does not repeat it."""


def configure() -> None:
    """Set up what the clients ask for, unless a caller has done so. Raises BadSetting.

    The token comes from GITHUB_TOKEN alone: arguments are shown to everyone on the machine.
    """
    if not settings.configured:
        addresses = read()
        here = any(urlsplit(address).hostname in HERE for address in addresses.values())
        token = os.environ.get("GITHUB_TOKEN", "").strip()
        settings.configure(
            **addresses, GITHUB_TOKEN=token, LOOPBACK_SOURCES=here, RELEASE_SECONDS=PATIENCE, USE_TZ=True
        )


def read() -> dict[str, str]:
    """The addresses to read from. Raises BadSetting: a token must not travel where others can read along."""
    return {name: _address(name, default) for name, default in ADDRESSES.items()}


def _address(name: str, default: str) -> str:
    value = os.environ.get(name, "").strip().rstrip("/") or default
    parts = urlsplit(value)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in HERE):
        raise BadSetting(f"{name} must be an address that begins with https://.")
    return value
