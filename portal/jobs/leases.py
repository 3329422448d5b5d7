"""Leases of what a process has claimed, renewed while it works."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread

from django.db import DatabaseError, connections
from django.utils import timezone

logger = logging.getLogger(__name__)

RENEWALS_PER_LEASE = 4  # several, so that a database that is away for a moment costs no lease
MAX_RUN_SECONDS = 3600.0  # a run that takes longer hangs: it loses its lease, so that the work can run again


@contextmanager
def keep_lease(name: str, lease: timedelta, renew: Callable[[datetime], bool]) -> Iterator[None]:
    """Renew a lease until the block ends, so that only a dead process or a run that hangs loses it.

    Args:
        name: What is claimed, for the log.
        lease: How long the lease lasts.
        renew: Moves its end to a time. Returns False if it belongs to another process by now.
    """
    stop, interval = Event(), lease.total_seconds() / RENEWALS_PER_LEASE

    def renew_until_stopped() -> None:
        for _ in range(int(MAX_RUN_SECONDS / interval)):
            if stop.wait(interval):
                return
            try:
                if not renew(timezone.now() + lease):
                    return
            except DatabaseError:
                logger.warning("The lease of %s could not be renewed.", name)
            finally:
                connections.close_all()  # those of this thread alone
        logger.error("The lease of %s ends: it has run for %d s.", name, MAX_RUN_SECONDS)

    thread = Thread(target=renew_until_stopped, name=f"lease of {name}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
