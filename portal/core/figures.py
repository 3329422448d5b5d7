"""Cache of figures that are counted from many rows."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from django.core.cache import cache
from django.core.exceptions import EmptyResultSet
from django.db.models import QuerySet

Figures = TypeVar("Figures")
MAX_ROWS_COUNTED_EACH_TIME = 500
_is_refreshing = ContextVar("is_refreshing", default=False)


def read_figures(
    key: str,
    count: Callable[[], Figures],
    get_row_count: Callable[[Figures], int],
    *,
    seconds: int = 600,
    max_uncached_rows: int = MAX_ROWS_COUNTED_EACH_TIME,
) -> Figures:
    """Return figures that are up to `seconds` old if they count many rows, because counting these takes long.

    Args:
        key: Identifies what is counted, such as the SQL of the rows.
        count: Counts the figures.
        get_row_count: Returns the number of rows that figures count.
        seconds: Maximum age of the figures.
        max_uncached_rows: Figures of up to this many rows are never cached.
    """
    cache_key = f"figures-{hashlib.sha256(key.encode()).hexdigest()}"
    figures: Figures | None = None if _is_refreshing.get() else cache.get(cache_key)
    if figures is None:
        figures = count()
        if get_row_count(figures) > max_uncached_rows:
            cache.set(cache_key, figures, seconds)
    return figures


def build_key(name: str, rows: QuerySet[Any]) -> str:
    """Return the key of figures that are counted from these rows."""
    try:
        return f"{name} {rows.values('pk').query}"
    except EmptyResultSet:  # Django has no query for rows that can't exist, such as those of a person without a company
        return f"{name} of no rows"


@contextmanager
def refresh_figures() -> Iterator[None]:
    """Count all figures again that are read within."""
    token = _is_refreshing.set(True)
    try:
        yield
    finally:
        _is_refreshing.reset(token)
