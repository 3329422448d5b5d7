"""Session storage that encrypts its rows, because they are in every backup.

Besides the sign-in, a session has what django-allauth stores until someone confirms their identity: the form that they
sent, with passwords and the URLs of webhooks, and the headers of its request. A session lasts SESSION_COOKIE_AGE.
"""

import base64
from typing import Any

from django.contrib.sessions.backends import db

from portal.core import crypto

CONTEXT = "session"


class SessionStore(db.SessionStore):
    """Session in an encrypted row. Without the key that encrypted it, it is empty, and the person signs in again."""

    def encode(self, session_dict: dict[str, Any]) -> str:
        """Return the signed and encrypted session."""
        return base64.b64encode(crypto.encrypt(crypto.Secret(super().encode(session_dict)), CONTEXT)).decode()

    def decode(self, session_data: bytes | str) -> dict[str, Any]:
        """Return the session, or an empty one if it can't be decrypted."""
        try:
            return super().decode(crypto.decrypt(base64.b64decode(session_data), CONTEXT).value)
        except (crypto.DecryptionError, ValueError):
            return {}
