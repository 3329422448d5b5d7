"""How is a secret kept? Sealed with AES-256-GCM under a key of its own, and bound to the row that holds it.

A sealed value is: format (1 byte), which configured key (8), salt (16), nonce (12), ciphertext. The record's key
is derived from the configured key and the salt, so that no key ever seals two values. CREDENTIALS_KEYS names the
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

FORMAT = b"\x01"
KEY_ID, SALT, NONCE = 8, 16, 12
HEAD = len(FORMAT) + KEY_ID + SALT + NONCE


class CannotOpen(Exception):
    """The sealed value does not open here. The text is fit to show and says nothing of the value."""


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A value that never shows itself: in a log, a traceback or a template it is three asterisks."""

    value: str

    def __str__(self) -> str:
        return "***"

    __repr__ = __str__


def _derived(key: str, purpose: bytes, salt: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=purpose).derive(key.encode())


def _key_id(key: str) -> bytes:
    return _derived(key, b"portal credentials: key id", b"", KEY_ID)


def _cipher(key: str, salt: bytes) -> AESGCM:
    return AESGCM(_derived(key, b"portal credentials: record key", salt, 32))


def seal(secret: Secret, context: str) -> bytes:
    """The secret sealed with the newest key. `context` must be the same to open it."""
    key = settings.CREDENTIALS_KEYS[0]
    salt, nonce = os.urandom(SALT), os.urandom(NONCE)
    head = FORMAT + _key_id(key) + salt + nonce
    return head + _cipher(key, salt).encrypt(nonce, secret.value.encode(), head + context.encode())


def unseal(sealed: bytes, context: str) -> Secret:
    """The secret. Raises CannotOpen for a key that is gone, another context, or changed bytes."""
    head, text = sealed[:HEAD], sealed[HEAD:]
    wanted = head[len(FORMAT) : len(FORMAT) + KEY_ID]
    key = next((key for key in settings.CREDENTIALS_KEYS if _key_id(key) == wanted), None)
    if not sealed.startswith(FORMAT) or key is None:
        raise CannotOpen(
            _("These credentials were sealed with a key that is no longer configured. Ask for them again.")
        )
    salt, nonce = head[-SALT - NONCE : -NONCE], head[-NONCE:]
    try:
        return Secret(_cipher(key, salt).decrypt(nonce, text, head + context.encode()).decode())
    except InvalidTag:
        raise CannotOpen(_("These credentials were changed after they were sealed. Ask for them again.")) from None


def is_current(sealed: bytes) -> bool:
    """Whether the newest key sealed it."""
    return sealed.startswith(FORMAT + _key_id(settings.CREDENTIALS_KEYS[0]))


def token_hash(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
