"""Encryption of secrets with AES-256-GCM, one derived key per value, bound to a context such as the row.

An encrypted value is: format (1 byte), ID of the configured key (8), salt (16), nonce (12), ciphertext. Each value has
a key of its own, derived from the configured key and the salt. ENCRYPTION_KEYS starts with the newest key, which
encrypts. Older keys only decrypt until `manage.py rotate_encryption_keys` has replaced them.
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
KEY_ID_BYTES = 8
SALT_BYTES = 16
NONCE_BYTES = 12
HEADER_BYTES = len(FORMAT_VERSION) + KEY_ID_BYTES + SALT_BYTES + NONCE_BYTES


class DecryptionError(Exception):
    """Failed decryption, with a message that is safe to display."""


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """Value that prints as three asterisks in logs, tracebacks, and templates."""

    value: str

    def __str__(self) -> str:
        return "***"

    __repr__ = __str__


def _derive_key(key: str, purpose: bytes, salt: bytes, length: int) -> bytes:
    # The configured keys are random, so they need no slow hash. Different purposes give independent keys (RFC 5869).
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=purpose).derive(key.encode())


def _compute_key_id(key: str) -> bytes:
    return _derive_key(key, b"portal credentials: key id", b"", KEY_ID_BYTES)


def _build_cipher(key: str, salt: bytes) -> AESGCM:
    return AESGCM(_derive_key(key, b"portal credentials: record key", salt, 32))


def encrypt(secret: Secret, context: str) -> bytes:
    """Return the secret encrypted with the newest key. Decryption requires the same context."""
    key = settings.ENCRYPTION_KEYS[0]
    salt = os.urandom(SALT_BYTES)
    nonce = os.urandom(NONCE_BYTES)
    header = FORMAT_VERSION + _compute_key_id(key) + salt + nonce
    # The header is authenticated as well, so that it can't be combined with another ciphertext.
    return header + _build_cipher(key, salt).encrypt(nonce, secret.value.encode(), header + context.encode())


def decrypt(encrypted_value: bytes, context: str) -> Secret:
    """Return the decrypted secret.

    Raises:
        DecryptionError: The key is no longer configured, the context differs, or the bytes were changed.
    """
    header = encrypted_value[:HEADER_BYTES]
    ciphertext = encrypted_value[HEADER_BYTES:]
    key_id = header[len(FORMAT_VERSION) : len(FORMAT_VERSION) + KEY_ID_BYTES]
    key = next((key for key in settings.ENCRYPTION_KEYS if _compute_key_id(key) == key_id), None)
    if not encrypted_value.startswith(FORMAT_VERSION) or key is None:
        raise DecryptionError(
            _("The key that encrypted these credentials is no longer configured. Request the credentials again.")
        )
    salt = get_salt(header)
    nonce = header[-NONCE_BYTES:]
    try:
        return Secret(_build_cipher(key, salt).decrypt(nonce, ciphertext, header + context.encode()).decode())
    except InvalidTag:
        message = _("The encrypted credentials are damaged. Request the credentials again.")
        raise DecryptionError(message) from None


def get_salt(encrypted_value: bytes) -> bytes:
    """Return the random salt of an encrypted value, which identifies the value without revealing the secret."""
    start = len(FORMAT_VERSION) + KEY_ID_BYTES
    return encrypted_value[start : start + SALT_BYTES]


def is_current(encrypted_value: bytes) -> bool:
    """Return whether the newest key encrypted a value."""
    return encrypted_value.startswith(FORMAT_VERSION + _compute_key_id(settings.ENCRYPTION_KEYS[0]))


def hash_token(token: str) -> str:
    """Return the SHA-256 hash under which the portal stores a token."""
    # Tokens are long and random, so no one can guess them from a fast hash, and a hash without salt can be looked up.
    return hashlib.sha256(token.encode()).hexdigest()
