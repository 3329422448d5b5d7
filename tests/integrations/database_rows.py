"""Rows of the database."""

from typing import TypeVar

from django.db.models import Model

Row = TypeVar("Row", bound=Model)


def reload_row(row: Row) -> Row:
    """Return the stored row, without the cached relations of the given one."""
    return type(row)._default_manager.get(pk=row.pk)
