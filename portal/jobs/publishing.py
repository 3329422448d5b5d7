"""Messages that start jobs in workers immediately. A message that can't be sent quickly is skipped.

The database contains all jobs, so a lost message only delays a job.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

from celery import current_app
from django.conf import settings
from kombu.pools import connections

from portal.core.redis_timeouts import SOCKET_TIMEOUTS

logger = logging.getLogger(__name__)


def publish_jobs(job_ids: Sequence[int], *, expires: timedelta | None = None) -> int:
    """Ask workers to run jobs. Return the number of published jobs. The dispatcher finds the others in the database.

    Args:
        job_ids: The jobs.
        expires: How long the messages are valid. None never expires.
    """
    if not job_ids or not settings.REDIS_URL:
        return 0
    published = 0
    seconds = expires.total_seconds() if expires else None
    try:
        # The other connections of a worker have longer timeouts.
        template = current_app.connection_for_write(transport_options=SOCKET_TIMEOUTS)
        with connections[template].acquire(block=True) as connection:  # stays open for the next message
            for job_id in job_ids:
                current_app.send_task("jobs.run", [job_id], connection=connection, retry=False, expires=seconds)
                published += 1
    except Exception:
        logger.warning("Jobs that could not be published and start later: %s.", len(job_ids) - published)
    return published
