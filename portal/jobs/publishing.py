"""Messages that tell workers what to do: sent in half a second or not at all, since they bring speed, never truth."""

import logging
from collections.abc import Sequence
from datetime import timedelta

from celery import current_app
from django.conf import settings
from kombu.pools import connections

logger = logging.getLogger(__name__)
# a page waits for this; a worker's own connections wait longer for their work
SOCKET_TIMEOUT_SECONDS = {"socket_timeout": 0.3, "socket_connect_timeout": 0.3}


def publish_jobs(job_ids: Sequence[int], *, expires: timedelta | None = None) -> int:
    """Ask workers to run jobs. Return how many were published; the others are found in the database.

    Args:
        job_ids: The jobs.
        expires: How long the messages are valid. None publishes them for good.
    """
    if not job_ids or not settings.REDIS_URL:
        return 0
    published = 0
    try:
        for job_id in job_ids:
            _send(job_id, expires)
            published += 1
    except Exception:
        logger.warning("%s jobs could not be published; they are dispatched later.", len(job_ids) - published)
    return published


def _send(job_id: int, expires: timedelta | None) -> None:
    template = current_app.connection_for_write(transport_options=SOCKET_TIMEOUT_SECONDS)
    with connections[template].acquire(block=True) as connection:  # the process keeps it for the next message
        seconds = expires.total_seconds() if expires else None
        current_app.send_task("jobs.run", [job_id], connection=connection, retry=False, expires=seconds)
