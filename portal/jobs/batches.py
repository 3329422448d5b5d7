"""Batches of periodic jobs, in which an error about one row doesn't stop the others."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from django.db import InterfaceError, OperationalError

log = logging.getLogger(__name__)
Item = TypeVar("Item")


def process_each(items: Iterable[Item], process: Callable[[Item], int], name: str) -> int:
    """Process each item and return the sum of the results. After an error, log it and continue with the next item.

    Args:
        items: Rows, or their primary keys.
        process: Function that returns how much it did, or whether it did anything.
        name: Name of an item, for the log.

    Raises:
        OperationalError, InterfaceError: The database is not available, so the next run must process the rest.
    """
    total = 0
    for item in items:
        try:
            total += process(item)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            log.exception("cannot process %s %s", name, getattr(item, "pk", item))
    return total
