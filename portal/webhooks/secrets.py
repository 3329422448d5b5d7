"""Encryption of the URL and the secrets of a webhook endpoint."""

import base64
import os
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from portal.core import crypto
from portal.core.crypto import Secret
from portal.webhooks.models import WebhookEndpoint

SECRET_BYTES = 32
SECRET_OVERLAP_PERIOD = timedelta(days=1)


def generate_secret() -> Secret:
    """Return a new signing secret in the format of Standard Webhooks."""
    return Secret("whsec_" + base64.b64encode(os.urandom(SECRET_BYTES)).decode())


def build_encryption_context(endpoint: WebhookEndpoint, usage: str) -> str:
    return f"endpoint {endpoint.uuid} {usage}"


def set_address(endpoint: WebhookEndpoint, address: str) -> None:
    endpoint.address = crypto.encrypt(Secret(address), build_encryption_context(endpoint, "address"))
    endpoint.display_url = format_display_address(endpoint.form, address)


def decrypt_address(endpoint: WebhookEndpoint) -> Secret:
    return crypto.decrypt(bytes(endpoint.address), build_encryption_context(endpoint, "address"))


def format_display_address(form: str, address: str) -> str:
    """Return the visible part of a URL: host and last characters for Slack, or everything but the query."""
    address_parts = urlsplit(address)
    if form == WebhookEndpoint.Form.SLACK:
        return f"{address_parts.netloc}/…{address[-4:]}"
    return f"{address_parts.scheme}://{address_parts.netloc}{address_parts.path}"[:280] + (
        "?…" if address_parts.query else ""
    )


def set_secret(endpoint: WebhookEndpoint, now: datetime) -> Secret:
    """Set and return a new secret. The previous secret stays valid for one day."""
    new_secret_value = generate_secret()
    if endpoint.secret:
        endpoint.old_secret, endpoint.old_secret_until = endpoint.secret, now + SECRET_OVERLAP_PERIOD
    endpoint.secret = crypto.encrypt(new_secret_value, build_encryption_context(endpoint, "secret"))
    return new_secret_value


def list_signing_secrets(endpoint: WebhookEndpoint, now: datetime) -> tuple[Secret, ...]:
    """Return the active secrets, newest first.

    Raises:
        DecryptionError: No configured key decrypts a secret.
    """
    encrypted_secrets = [endpoint.secret] if endpoint.secret else []
    if endpoint.old_secret and endpoint.old_secret_until and endpoint.old_secret_until > now:
        encrypted_secrets.append(endpoint.old_secret)
    return tuple(
        crypto.decrypt(bytes(encrypted_secret), build_encryption_context(endpoint, "secret"))
        for encrypted_secret in encrypted_secrets
    )


def reencrypt(endpoint: WebhookEndpoint) -> bool:
    """Encrypt all values with the newest key and return whether any value changed."""
    usages_by_column = {"address": "address", "secret": "secret", "old_secret": "secret"}
    changed_columns = []
    for column, usage in usages_by_column.items():
        encrypted_value = getattr(endpoint, column)
        if encrypted_value and not crypto.is_current(bytes(encrypted_value)):
            plain_value = crypto.decrypt(bytes(encrypted_value), build_encryption_context(endpoint, usage))
            setattr(endpoint, column, crypto.encrypt(plain_value, build_encryption_context(endpoint, usage)))
            changed_columns.append(column)
    if changed_columns:
        endpoint.save(update_fields=changed_columns)
    return bool(changed_columns)
