"""Keyed seals of the audit log.

A seal is an HMAC-SHA256 under one of AUDIT_KEYS, which are stored outside the database. Write access to the database
is therefore not enough to forge an event that verifies.
"""

import hashlib
import hmac
import json

from django.conf import settings


class UnknownKeyError(Exception):
    """The key of a seal is not in AUDIT_KEYS."""


def get_newest_key_id() -> str:
    """Return the ID of the key for new seals."""
    return next(iter(settings.AUDIT_KEYS))


def is_known_key(key_id: str) -> bool:
    """Return whether a key is in AUDIT_KEYS."""
    return key_id in settings.AUDIT_KEYS


def list_older_keys(key_id: str) -> set[str]:
    """Return the IDs of the keys that a key replaced. Empty if the key is not in AUDIT_KEYS."""
    key_ids = list(settings.AUDIT_KEYS)
    return set(key_ids[key_ids.index(key_id) + 1 :]) if key_id in key_ids else set()


def compute_seal(purpose: str, content: object, key_id: str) -> str:
    """Return the seal of JSON content, in hexadecimal digits.

    The purpose prevents a seal from being valid for another kind of record. Raises UnknownKeyError.
    """
    secret = settings.AUDIT_KEYS.get(key_id)
    if secret is None:
        raise UnknownKeyError(f"the key {key_id!r} is not in AUDIT_KEYS")
    # Normalize through JSON first: the database returns object keys as strings.
    normalized_content = json.loads(json.dumps([purpose, content]))
    message = json.dumps(normalized_content, sort_keys=True, ensure_ascii=True).encode()
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
