"""Renewal of leases while a process works."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread

from django.db import DatabaseError, InterfaceError, connections
from django.utils import timezone

logger = logging.getLogger(__name__)

RENEWALS_PER_LEASE = 4  # so that a short outage of the database doesn't end a lease
MAX_RUN_SECONDS = 3600.0  # a longer run counts as stuck and loses its lease, so that the work can run again


@contextmanager
def keep_lease(name: str, lease: timedelta, renew: Callable[[datetime], bool]) -> Iterator[None]:
    """Renew a lease until the block ends, so that only a dead process or a stuck run loses it.

    Args:
        name: Name of the claimed work, for the log.
        lease: Duration of the lease.
        renew: Sets the end of the lease. Returns False if the lease belongs to another process now.
    """
    stop = Event()
    interval = lease.total_seconds() / RENEWALS_PER_LEASE

    def renew_until_stopped() -> None:
        for _ in range(int(MAX_RUN_SECONDS / interval)):
            if stop.wait(interval):
                return
            try:
                if not renew(timezone.now() + lease):
                    return
            except (DatabaseError, InterfaceError):
                logger.warning("The lease of %s could not be renewed.", name)
            finally:
                connections.close_all()  # only those of this thread
        logger.error("The lease of %s ends because it has run for %d s.", name, MAX_RUN_SECONDS)

    thread = Thread(target=renew_until_stopped, name=f"lease of {name}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
