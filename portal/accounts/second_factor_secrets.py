"""Secrets of authenticator apps and seeds of recovery codes, encrypted at rest with ENCRYPTION_KEYS."""

import base64

from allauth.mfa.models import Authenticator
from django.db import transaction

from portal.core import crypto

ENCRYPTION_CONTEXT = (
    "second factor"  # what sealed values are bound to; the library does not say whose secret it asks for
)
SECRET_FIELDS = ("secret", "seed")  # of `Authenticator.data`; passkeys store public keys only


def encrypt(text: str) -> str:
    """Return the text as it is stored."""
    return base64.b64encode(crypto.encrypt(crypto.Secret(text), ENCRYPTION_CONTEXT)).decode()


def decrypt(text: str) -> str:
    """Return what `encrypt` was given. Raises CannotOpen where no configured key opens it."""
    return crypto.decrypt(base64.b64decode(text), ENCRYPTION_CONTEXT).value


def rekey_secrets() -> tuple[int, list[str]]:
    """Encrypt every secret with the newest key. Return how many, and the owners of those that no key opens."""
    count, undecryptable_emails = 0, []
    for pk in Authenticator.objects.order_by("pk").values_list("pk", flat=True):
        # Locked, because a recovery code that is used meanwhile is marked in the same column.
        with transaction.atomic():
            row = Authenticator.objects.select_for_update().select_related("user").get(pk=pk)
            field = next((field for field in SECRET_FIELDS if field in row.data), None)
            if field is None or crypto.is_current(base64.b64decode(row.data[field])):
                continue
            try:
                row.data[field] = encrypt(decrypt(row.data[field]))
            except crypto.DecryptionError:
                undecryptable_emails.append(row.user.email)
                continue
            row.save(update_fields=["data"])
            count += 1
    return count, undecryptable_emails
