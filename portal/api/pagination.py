"""Pagination of lists with cursors.

A cursor is the key of a page's last row, so that rows that are added or deleted between two requests don't shift pages.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from ninja import Schema
from pydantic import Field

from portal.api.conditional import set_header
from portal.api.problems import FieldError
from portal.core.primary_keys import parse_pk

T = TypeVar("T")
MAX_PAGE_SIZE = 100
DEFAULT_PAGE_SIZE = 50


class CursorPage(Schema, Generic[T]):
    """Page of a list. `next` is the cursor of the next page, null on the last page."""

    items: list[T]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Rows of a page, which `CursorPage` serializes."""

    items: list[T]
    next: str | None


class PaginationParams(Schema):
    """Pagination parameters of a list."""

    after: str | None = Field(None, max_length=200, description="Cursor: the `next` value of the previous page.")
    limit: int = Field(DEFAULT_PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE, description="Maximum number of items.")


def encode_cursor(pk: int) -> str:
    """Encode the key of a page's last row."""
    # “=” would be escaped in a query.
    return base64.urlsafe_b64encode(f"k{pk}".encode()).decode().rstrip("=")


def decode_cursor(text: str) -> int:
    """Decode a cursor to a key. Raises ApiError for an invalid cursor."""
    try:
        key = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except ValueError as error:
        raise build_cursor_error() from error
    pk = parse_pk(key[1:]) if key.startswith("k") else None
    if pk is None:
        raise build_cursor_error()
    return pk


def build_cursor_error() -> FieldError:
    return FieldError("after", "Invalid cursor.", "Invalid cursor. Use the `next` value of the previous page.")


def paginate(
    request: HttpRequest,
    rows: QuerySet[Model, T],
    pagination: PaginationParams,
    key: str = "pk",
) -> Page[T]:
    """Return a page of a list, newest first by a stable key, and set the Link header."""
    if pagination.after is not None:
        rows = rows.filter(**{f"{key}__lt": decode_cursor(pagination.after)})
    # One more row tells whether there is a next page, without a count.
    page_rows = list(rows.order_by(f"-{key}")[: pagination.limit + 1])
    return build_page(request, page_rows, pagination, lambda row: encode_cursor(getattr(row, key)))


def build_page(
    request: HttpRequest,
    rows: list[T],
    pagination: PaginationParams,
    encode_position: Callable[[T], str],
) -> Page[T]:
    """Build a page from its rows and, if there is a next page, one more row. Set the Link header."""
    items = rows[: pagination.limit]
    next_cursor = encode_position(items[-1]) if len(rows) > pagination.limit else None
    if next_cursor:
        query = request.GET.copy()
        query["after"] = next_cursor
        set_header(request, "Link", f'<{request.build_absolute_uri(request.path)}?{query.urlencode()}>; rel="next"')
    return Page(items, next_cursor)
