"""How is a secret kept? Sealed with AES-256-GCM under a key of its own, and bound to the row that holds it.

A sealed value is: format (1 byte), which configured key (8), salt (16), nonce (12), ciphertext. The record's key
is derived from the configured key and the salt, so that no key ever seals two values. ENCRYPTION_KEYS names the
newest key first: it seals, the older ones still open, and `manage.py rekey_credentials` makes them superfluous.
"""

import hashlib
import os
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.translation import gettext as _

FORMAT_VERSION = b"\x01"
KEY_ID_BYTES, SALT_BYTES, NONCE_BYTES = 8, 16, 12
HEADER_BYTES = len(FORMAT_VERSION) + KEY_ID_BYTES + SALT_BYTES + NONCE_BYTES


class DecryptionError(Exception):
    """The sealed value does not open here. The text is fit to show and says nothing of the value."""


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A value that never shows itself: in a log, a traceback or a template it is three asterisks."""

    value: str

    def __str__(self) -> str:
        return "***"

    __repr__ = __str__


def _derive_key(key: str, purpose: bytes, salt: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=purpose).derive(key.encode())


def _compute_key_id(key: str) -> bytes:
    return _derive_key(key, b"portal credentials: key id", b"", KEY_ID_BYTES)


def _build_cipher(key: str, salt: bytes) -> AESGCM:
    return AESGCM(_derive_key(key, b"portal credentials: record key", salt, 32))


def encrypt(secret: Secret, context: str) -> bytes:
    """The secret sealed with the newest key. `context` must be the same to open it."""
    key = settings.ENCRYPTION_KEYS[0]
    salt, nonce = os.urandom(SALT_BYTES), os.urandom(NONCE_BYTES)
    header = FORMAT_VERSION + _compute_key_id(key) + salt + nonce
    return header + _build_cipher(key, salt).encrypt(nonce, secret.value.encode(), header + context.encode())


def decrypt(encrypted_value: bytes, context: str) -> Secret:
    """The secret. Raises CannotOpen for a key that is gone, another context, or changed bytes."""
    header, ciphertext = encrypted_value[:HEADER_BYTES], encrypted_value[HEADER_BYTES:]
    key_id = header[len(FORMAT_VERSION) : len(FORMAT_VERSION) + KEY_ID_BYTES]
    key = next((key for key in settings.ENCRYPTION_KEYS if _compute_key_id(key) == key_id), None)
    if not encrypted_value.startswith(FORMAT_VERSION) or key is None:
        raise DecryptionError(
            _("These credentials were sealed with a key that is no longer configured. Ask for them again.")
        )
    salt, nonce = header[-SALT_BYTES - NONCE_BYTES : -NONCE_BYTES], header[-NONCE_BYTES:]
    try:
        return Secret(_build_cipher(key, salt).decrypt(nonce, ciphertext, header + context.encode()).decode())
    except InvalidTag:
        raise DecryptionError(_("These credentials were changed after they were sealed. Ask for them again.")) from None


def is_current(encrypted_value: bytes) -> bool:
    """Whether the newest key sealed it."""
    return encrypted_value.startswith(FORMAT_VERSION + _compute_key_id(settings.ENCRYPTION_KEYS[0]))


def hash_token(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
