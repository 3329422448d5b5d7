"""How are the address and the secrets of an endpoint kept? Sealed, each bound to its row and its use."""

import base64
import os
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from portal.core import crypto
from portal.core.crypto import Secret
from portal.webhooks.models import Endpoint

SECRET_BYTES = 32
BOTH_HOLD = timedelta(days=1)
NO_SECRET: tuple[Secret, ...] = ()


def new_secret() -> Secret:
    """A signing secret in the form of Standard Webhooks."""
    return Secret("whsec_" + base64.b64encode(os.urandom(SECRET_BYTES)).decode())


def place(endpoint: Endpoint, what: str) -> str:
    return f"endpoint {endpoint.uuid} {what}"


def set_address(endpoint: Endpoint, address: str) -> None:
    endpoint.address = crypto.seal(Secret(address), place(endpoint, "address"))
    endpoint.shown = shown(endpoint.form, address)


def address(endpoint: Endpoint) -> Secret:
    return crypto.unseal(bytes(endpoint.address), place(endpoint, "address"))


def shown(form: str, text: str) -> str:
    """What pages show of an address: of a Slack address its host and its end, of others all but the query."""
    parts = urlsplit(text)
    if form == Endpoint.Form.SLACK:
        return f"{parts.netloc}/…{text[-4:]}"
    return f"{parts.scheme}://{parts.netloc}{parts.path}"[:280] + ("?…" if parts.query else "")


def set_secret(endpoint: Endpoint, now: datetime) -> Secret:
    """A new secret; the one before holds for a day more."""
    fresh = new_secret()
    if endpoint.secret:
        endpoint.old_secret, endpoint.old_secret_until = endpoint.secret, now + BOTH_HOLD
    endpoint.secret = crypto.seal(fresh, place(endpoint, "secret"))
    return fresh


def secrets(endpoint: Endpoint, now: datetime) -> tuple[Secret, ...]:
    """The secrets that sign now, the newest first. Raises CannotOpen."""
    kept = [endpoint.secret] if endpoint.secret else []
    if endpoint.old_secret and endpoint.old_secret_until and endpoint.old_secret_until > now:
        kept.append(endpoint.old_secret)
    return tuple(crypto.unseal(bytes(each), place(endpoint, "secret")) for each in kept)


def reseal(endpoint: Endpoint) -> bool:
    """Seal everything with the newest key. Returns whether anything was not."""
    uses = {"address": "address", "secret": "secret", "old_secret": "secret"}
    changed = []
    for column, use in uses.items():
        sealed = getattr(endpoint, column)
        if sealed and not crypto.is_current(bytes(sealed)):
            opened = crypto.unseal(bytes(sealed), place(endpoint, use))
            setattr(endpoint, column, crypto.seal(opened, place(endpoint, use)))
            changed.append(column)
    if changed:
        endpoint.save(update_fields=changed)
    return bool(changed)
