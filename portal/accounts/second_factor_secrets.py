"""Secrets of authenticator apps and seeds of recovery codes, encrypted at rest with ENCRYPTION_KEYS."""

import base64

from allauth.mfa.models import Authenticator
from django.db import transaction

from portal.core import crypto

# Binds encrypted values to this use. allauth doesn't pass the user, so the context can't include one.
ENCRYPTION_CONTEXT = "second factor"
SECRET_FIELDS = ("secret", "seed")  # of `Authenticator.data`; passkeys store public keys only


def encrypt(text: str) -> str:
    """Return the encrypted text in Base64."""
    return base64.b64encode(crypto.encrypt(crypto.Secret(text), ENCRYPTION_CONTEXT)).decode()


def decrypt(text: str) -> str:
    """Return the decrypted text. Raises DecryptionError if no configured key can decrypt it."""
    return crypto.decrypt(base64.b64decode(text), ENCRYPTION_CONTEXT).value


def rekey_secrets() -> tuple[int, list[str]]:
    """Encrypt every secret with the newest key. Return the count and the owners of undecryptable secrets."""
    count, undecryptable_emails = 0, []
    for pk in Authenticator.objects.order_by("pk").values_list("pk", flat=True):
        # Lock the row: using a recovery code at the same time updates the same column.
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
