"""Secrets that the page after a redirect shows once, so that reloading a page doesn't create another secret.

Until then, the session stores them encrypted, because sessions are rows of the database.
"""

import base64
import time

from django.http import HttpRequest

from portal.core import crypto

MAX_AGE_SECONDS = 600


def store_secret(request: HttpRequest, subject: str, secret: crypto.Secret) -> None:
    """Store a secret until the page of its subject, such as `token <uuid>`, takes it."""
    encrypted_secret = crypto.encrypt(secret, _build_context(request, subject))
    request.session[_build_key(subject)] = [time.time(), base64.b64encode(encrypted_secret).decode()]


def take_secret(request: HttpRequest, subject: str) -> crypto.Secret | None:
    """Return and delete the secret of a subject, or return None if it was shown or is older than MAX_AGE_SECONDS."""
    stored_at, encoded_secret = request.session.pop(_build_key(subject), (0.0, ""))
    if time.time() - stored_at > MAX_AGE_SECONDS:
        return None
    try:
        return crypto.decrypt(base64.b64decode(encoded_secret), _build_context(request, subject))
    except crypto.DecryptionError:  # the key was replaced since
        return None


def _build_key(subject: str) -> str:
    return f"new secret of {subject}"


def _build_context(request: HttpRequest, subject: str) -> str:
    return f"new secret of {subject} for user {request.user.pk}"
