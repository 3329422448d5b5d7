"""Encrypted columns, and the rotation of the keys that encrypt them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.apps import apps
from django.db import models, transaction
from django.db.models import Q, QuerySet

from portal.core import crypto

RowT = TypeVar("RowT", bound=models.Model)


class EncryptedField(models.BinaryField):
    """Column of encrypted secrets in an `EncryptedRow`."""

    def deconstruct(self) -> tuple[str, str, list[object], dict[str, object]]:
        """Return the field for migrations: a plain binary column."""
        name, _, arguments, options = super().deconstruct()
        return name, "django.db.models.BinaryField", list(arguments), dict(options)


class EncryptedRow(models.Model):
    """Row with encrypted columns."""

    class Meta:
        abstract = True

    def build_encryption_context(self, name: str) -> str:
        """Return what binds the value of a column to this row, so that it can't be decrypted in another one."""
        raise NotImplementedError

    def encrypt(self, name: str, secret: crypto.Secret) -> None:
        """Set a column to an encrypted secret."""
        setattr(self, name, crypto.encrypt(secret, self.build_encryption_context(name)))

    def decrypt(self, name: str) -> crypto.Secret:
        """Return the secret in a column. Raises DecryptionError."""
        return crypto.decrypt(bytes(getattr(self, name)), self.build_encryption_context(name))

    def reencrypt(self) -> list[str]:
        """Encrypt with the newest key and return the names of the changed columns. Raises DecryptionError."""
        values = {name: getattr(self, name) for name in list_encrypted_fields(type(self))}
        outdated = [name for name, value in values.items() if value and not crypto.is_current(bytes(value))]
        for name in outdated:
            self.encrypt(name, self.decrypt(name))
        return outdated


@dataclass(frozen=True, slots=True)
class RotationResult:
    """How many rows were encrypted with the newest key, and the names of those that no configured key decrypts."""

    label: str
    changed_count: int
    undecryptable: list[str]


# Rotations of values in columns of other packages. Columns of our own models are found by their class.
OTHER_ROTATIONS: list[Callable[[], RotationResult]] = []


def list_encrypted_fields(model: type[models.Model]) -> list[str]:
    return [field.name for field in model._meta.concrete_fields if isinstance(field, EncryptedField)]


def rotate_keys() -> list[RotationResult]:
    """Encrypt every value with the newest key. It can run repeatedly, and while other processes change the values."""
    encrypted_models = [model for model in apps.get_models() if issubclass(model, EncryptedRow)]
    own = [rotate_rows(_list_filled(model), EncryptedRow.reencrypt) for model in encrypted_models]
    return own + [rotate() for rotate in OTHER_ROTATIONS]


def rotate_rows(
    rows: QuerySet[RowT], reencrypt: Callable[[RowT], list[str]], describe: Callable[[RowT], str] = str
) -> RotationResult:
    """Encrypt the values of some rows with the newest key.

    Args:
        rows: The rows.
        reencrypt: Encrypts the outdated values of a row and returns the names of the changed columns.
        describe: Returns what to call a row that no configured key decrypts.
    """
    changed_count = 0
    undecryptable = []
    for pk in list(rows.order_by("pk").values_list("pk", flat=True)):
        with transaction.atomic():  # locked, so that a value that is set at the same time is not overwritten
            row = rows.select_for_update(no_key=True).filter(pk=pk).first()
            if row is None:
                continue
            try:
                changed_columns = reencrypt(row)
            except crypto.DecryptionError:
                undecryptable.append(describe(row))
                continue
            if changed_columns:
                row.save(update_fields=changed_columns)
                changed_count += 1
    return RotationResult(str(rows.model._meta.verbose_name_plural), changed_count, undecryptable)


def _list_filled(model: type[EncryptedRow]) -> QuerySet[EncryptedRow]:
    is_filled = Q()
    for name in list_encrypted_fields(model):
        is_filled |= Q(**{f"{name}__isnull": False}) & ~Q(**{name: b""})
    # Not the default manager, which may hide rows.
    return model._base_manager.filter(is_filled)
