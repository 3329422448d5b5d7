"""Cache of figures that take long to count because they cover many rows."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from django.core.cache import cache
from django.core.exceptions import EmptyResultSet
from django.db.models import QuerySet

Figures = TypeVar("Figures")
MAX_UNCACHED_ROWS = 500
_is_refreshing = ContextVar("is_refreshing", default=False)


def read_figures(
    key: str,
    count: Callable[[], Figures],
    get_row_count: Callable[[Figures], int],
    *,
    seconds: int = 600,
    max_uncached_rows: int = MAX_UNCACHED_ROWS,
) -> Figures:
    """Return figures, from the cache if they cover many rows.

    Args:
        key: Identifies the figures, such as the result of `build_key`.
        count: Counts the figures.
        get_row_count: Returns the number of rows that the figures cover.
        seconds: Maximum age of cached figures.
        max_uncached_rows: Figures that cover up to this many rows are never cached.
    """
    # Keys contain SQL, which is longer than cache keys may be.
    cache_key = f"figures-{hashlib.sha256(key.encode()).hexdigest()}"
    figures: Figures | None = None if _is_refreshing.get() else cache.get(cache_key)
    if figures is None:
        figures = count()
        if get_row_count(figures) > max_uncached_rows:
            cache.set(cache_key, figures, seconds)
    return figures


def build_key(name: str, rows: QuerySet[Any]) -> str:
    """Return the cache key of figures that cover these rows."""
    try:
        return f"{name} {rows.values('pk').query}"
    except EmptyResultSet:  # Django builds no SQL for an empty set, such as the partners of a user without a company
        return f"{name} of no rows"


@contextmanager
def refresh_figures() -> Iterator[None]:
    """Ignore cached figures within the context, and cache the newly counted ones."""
    token = _is_refreshing.set(True)
    try:
        yield
    finally:
        _is_refreshing.reset(token)
