"""Encryption of the URL and the secrets of a webhook endpoint."""

import base64
import os
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from portal.core.crypto import Secret
from portal.webhooks.models import WebhookEndpoint

SECRET_BYTES = 32
# Both secrets sign during this time, so a receiver can replace its own at any moment.
SECRET_OVERLAP_PERIOD = timedelta(days=1)


def generate_secret() -> Secret:
    """Return a new signing secret in the format of Standard Webhooks."""
    return Secret("whsec_" + base64.b64encode(os.urandom(SECRET_BYTES)).decode())


def set_url(endpoint: WebhookEndpoint, url: str) -> None:
    endpoint.encrypt("url", Secret(url))
    endpoint.display_url = format_display_url(endpoint.format, url)


def format_display_url(endpoint_format: str, url: str) -> str:
    """Return the visible part of a URL: host and last characters for Slack and Teams, or everything but the query."""
    url_parts = urlsplit(url)
    if endpoint_format != WebhookEndpoint.Format.WEBHOOK:
        # Whoever knows the whole URL can post to the channel. The last characters tell webhooks apart.
        return f"{url_parts.netloc}/…{url[-4:]}"
    return f"{url_parts.scheme}://{url_parts.netloc}{url_parts.path}"[:280] + ("?…" if url_parts.query else "")


def set_secret(endpoint: WebhookEndpoint, now: datetime) -> Secret:
    """Set and return a new secret. The previous secret stays valid for one day."""
    secret = generate_secret()
    if endpoint.secret:
        endpoint.old_secret, endpoint.old_secret_until = endpoint.secret, now + SECRET_OVERLAP_PERIOD
    endpoint.encrypt("secret", secret)
    return secret


def list_signing_secrets(endpoint: WebhookEndpoint, now: datetime) -> tuple[Secret, ...]:
    """Return the active secrets, newest first.

    Raises:
        DecryptionError: No configured key decrypts a secret.
    """
    is_old_valid = endpoint.old_secret_until is not None and endpoint.old_secret_until > now
    names = ("secret", "old_secret") if is_old_valid else ("secret",)
    return tuple(endpoint.decrypt(name) for name in names if getattr(endpoint, name))
