"""Batches of periodic jobs, in which an error in one row doesn't stop the others."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from django.db import DatabaseError, InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)
Item = TypeVar("Item")


def process_each(
    items: Iterable[Item], process: Callable[[Item], int | None], action: str, *, limit: int | None = None
) -> int:
    """Process each item and return the sum of the results. After an error, log it and continue with the next item.

    Args:
        items: Rows, or their primary keys.
        process: Returns the number of items that it handled, or whether it handled any. None counts as 1.
        action: Verb and object for the log, such as "delete session".
        limit: Sum at which to stop.

    Raises:
        DatabaseError, InterfaceError: The database is not available, so the next run must process the remaining items.
        Exception: The last error, if several items failed and none succeeded: the job itself is faulty.
    """
    total = 0
    processed_count = 0
    errors: list[Exception] = []
    for item in items:
        if total == limit:
            break
        try:
            count = process(item)
            total += 1 if count is None else count
            processed_count += 1
        except Exception as error:
            if isinstance(error, DatabaseError | InterfaceError) and not connection.is_usable():
                raise
            key = getattr(item, "pk", item)
            # A locked row or a full disk isn't a fault of the code, so it needs no traceback.
            if isinstance(error, OperationalError):
                logger.warning("cannot %s %s (%s)", action, key, error)
            else:
                logger.exception("cannot %s %s", action, key)
            errors.append(error)
    # The status page must show a job as late if none of its rows can be processed. A single bad row doesn't count.
    if len(errors) > 1 and not processed_count:
        raise errors[-1]
    return total
