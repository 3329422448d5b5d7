"""Many changes in a row, after which derived rows are rebuilt once instead of with each change."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec

Parameters = ParamSpec("Parameters")
_is_bulk_change: ContextVar[bool] = ContextVar("is_bulk_change", default=False)


@contextmanager
def bulk_changes(*rebuilds: Callable[[], object]) -> Iterator[None]:
    """Skip updates decorated with `skip_in_bulk_changes`, and call the functions that make up for them at the end."""
    token = _is_bulk_change.set(True)
    try:
        yield
    finally:
        _is_bulk_change.reset(token)
    for rebuild in rebuilds:
        rebuild()


def skip_in_bulk_changes(update: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Let an update of derived rows do nothing within `bulk_changes`."""

    @wraps(update)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        if not _is_bulk_change.get():
            update(*args, **kwargs)

    return run
