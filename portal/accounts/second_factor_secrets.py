"""Secrets of authenticator apps and seeds of recovery codes, encrypted at rest with CREDENTIALS_KEYS."""

import base64

from allauth.mfa.models import Authenticator
from django.db import transaction

from portal.core import crypto

CONTEXT = "second factor"  # what sealed values are bound to; the library does not say whose secret it asks for
FIELDS = ("secret", "seed")  # of `Authenticator.data`; passkeys store public keys only


def encrypt(text: str) -> str:
    """Return the text as it is stored."""
    return base64.b64encode(crypto.seal(crypto.Secret(text), CONTEXT)).decode()


def decrypt(text: str) -> str:
    """Return what `encrypt` was given. Raises CannotOpen where no configured key opens it."""
    return crypto.unseal(base64.b64decode(text), CONTEXT).value


def rekey() -> tuple[int, list[str]]:
    """Encrypt every secret with the newest key. Return how many, and the owners of those that no key opens."""
    count, lost = 0, []
    for pk in Authenticator.objects.order_by("pk").values_list("pk", flat=True):
        # Locked, because a recovery code that is used meanwhile is marked in the same column.
        with transaction.atomic():
            row = Authenticator.objects.select_for_update().select_related("user").get(pk=pk)
            field = next((field for field in FIELDS if field in row.data), None)
            if field is None or crypto.is_current(base64.b64decode(row.data[field])):
                continue
            try:
                row.data[field] = encrypt(decrypt(row.data[field]))
            except crypto.CannotOpen:
                lost.append(row.user.email)
                continue
            row.save(update_fields=["data"])
            count += 1
    return count, lost
