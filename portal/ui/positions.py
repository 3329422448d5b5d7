"""Positions in ordered lists, so that a page begins after a row and the database doesn't count the rows before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core import signing
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Field, Model, Q, QuerySet

SEPARATOR = "~"  # of the number of a page and a position
AFTER, BEFORE = "a", "b"


@dataclass(frozen=True, slots=True)
class OrderColumn:
    """Column of an order that is never null."""

    field: "Field[Any, Any]"
    is_descending: bool


def list_columns(rows: QuerySet[Any]) -> list[OrderColumn]:
    """Return the columns of the order of a list, or none if a position can't be found by comparing its columns."""
    columns = []
    for entry in rows.query.order_by or rows.model._meta.ordering:
        name = str(entry).removeprefix("-")
        try:
            field = rows.model._meta.pk if name == "pk" else rows.model._meta.get_field(name)
        except FieldDoesNotExist:
            return []
        if not isinstance(field, Field) or field.null or (field.is_relation and name != "pk"):
            return []
        columns.append(OrderColumn(field, str(entry).startswith("-")))
    return columns if columns and columns[-1].field.unique else []


def encode_position(row: Model, columns: Sequence[OrderColumn], direction: str) -> str:
    """Return the position after or before a row, for the URL. It is signed, because the database compares its values.

    The order is part of the signature, so that a position is not used in another order. The time isn't, so that the
    links of a page don't change.
    """
    values = [getattr(row, column.field.attname) for column in columns]
    texts = [value.isoformat() if isinstance(value, datetime) else str(value) for value in values]
    return signing.Signer(salt=repr(columns)).sign_object([direction, *texts])


def decode_position(text: str, columns: Sequence[OrderColumn]) -> tuple[str, list[Any]] | None:
    """Return the direction and the values of a position, or None if it is not one of this order."""
    try:
        direction, *texts = signing.Signer(salt=repr(columns)).unsign_object(text)
        return direction, [column.field.to_python(value) for column, value in zip(columns, texts, strict=True)]
    except (signing.BadSignature, ValidationError):
        return None


def select_from(
    rows: QuerySet[Any], columns: Sequence[OrderColumn], direction: str, values: list[Any]
) -> QuerySet[Any]:
    """Return the rows after a position in their order, or the rows before it in the reverse order."""
    is_forward = direction == AFTER
    comparisons = ["lt" if column.is_descending == is_forward else "gt" for column in columns]
    names = [column.field.attname for column in columns]
    condition = Q()
    for index, (name, comparison) in enumerate(zip(names, comparisons, strict=True)):
        equal = dict(zip(names[:index], values, strict=False))
        condition |= Q(**equal, **{f"{name}__{comparison}": values[index]})
    # the first column alone limits the part of an index that is read
    selected = rows.filter(condition, **{f"{names[0]}__{comparisons[0]}e": values[0]})
    return selected if is_forward else selected.reverse()
