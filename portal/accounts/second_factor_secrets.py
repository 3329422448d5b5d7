"""Secrets of authenticator apps and seeds of recovery codes, encrypted at rest with ENCRYPTION_KEYS."""

import base64

from allauth.mfa.models import Authenticator

from portal.core import crypto
from portal.core.encrypted_fields import RotationResult, rotate_rows

# Binds encrypted values to this use. allauth doesn't pass the user, so the context can't include one.
ENCRYPTION_CONTEXT = "second factor"
SECRET_FIELDS = ("secret", "seed")  # of `Authenticator.data`; passkeys store public keys only


def encrypt(text: str) -> str:
    """Return the encrypted text in Base64."""
    return base64.b64encode(crypto.encrypt(crypto.Secret(text), ENCRYPTION_CONTEXT)).decode()


def decrypt(text: str) -> str:
    """Return the decrypted text. Raises DecryptionError if no configured key can decrypt it."""
    return crypto.decrypt(base64.b64decode(text), ENCRYPTION_CONTEXT).value


def rotate_keys() -> RotationResult:
    """Encrypt every secret with the newest key."""
    return rotate_rows(Authenticator.objects.all(), _reencrypt, lambda row: f"{row} of {row.user.email}")


def _reencrypt(row: Authenticator) -> list[str]:
    field = next((field for field in SECRET_FIELDS if field in row.data), None)
    if field is None or crypto.is_current(base64.b64decode(row.data[field])):
        return []
    row.data[field] = encrypt(decrypt(row.data[field]))
    return ["data"]
