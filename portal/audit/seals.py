"""Keyed seals of the audit log.

A seal is an HMAC-SHA256 under one of AUDIT_KEYS, which are kept outside the database: whoever can write to the database
alone cannot write an event that verifies.
"""

import hashlib
import hmac
import json

from django.conf import settings


class UnknownKeyError(Exception):
    """The key that sealed something is not in AUDIT_KEYS."""


def get_newest_key_id() -> str:
    """Return the ID of the key that seals what is written now."""
    return next(iter(settings.AUDIT_KEYS))


def is_known_key(key_id: str) -> bool:
    """Return whether a key is in AUDIT_KEYS."""
    return key_id in settings.AUDIT_KEYS


def list_older_keys(key_id: str) -> set[str]:
    """Return the IDs of the keys that a key replaced; none where the key is not in AUDIT_KEYS."""
    key_ids = list(settings.AUDIT_KEYS)
    return set(key_ids[key_ids.index(key_id) + 1 :]) if key_id in key_ids else set()


def compute_seal(purpose: str, content: object, key_id: str) -> str:
    """Return the seal of JSON content, in hexadecimal digits.

    The purpose keeps a seal of one kind of record from fitting another kind. Raises UnknownKeyError.
    """
    secret = settings.AUDIT_KEYS.get(key_id)
    if secret is None:
        raise UnknownKeyError(f"the key {key_id!r} is not in AUDIT_KEYS")
    # Seal what a reader gets back from JSON: there, the keys of an object are text and sorted as such.
    stored = json.loads(json.dumps([purpose, content]))
    message = json.dumps(stored, sort_keys=True, ensure_ascii=True).encode()
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
