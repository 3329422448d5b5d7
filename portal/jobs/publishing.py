"""How is a worker told that there is something to do? In half a second or not at all: only speed, never truth."""

import logging

from celery import current_app
from django.conf import settings

log = logging.getLogger(__name__)
# a page waits for this; a worker's own connections wait longer for their work
SOCKET_TIMEOUT_SECONDS = {"socket_timeout": 0.3, "socket_connect_timeout": 0.3}


def publish_task(task: str, pk: int) -> None:
    """Send the task's name and a row's id, where there are workers. The sweep finds the row without it."""
    if not settings.REDIS_URL:
        return
    try:
        with current_app.connection_for_write(transport_options=SOCKET_TIMEOUT_SECONDS) as connection:
            current_app.send_task(task, [pk], connection=connection, retry=False)
    except Exception:
        log.warning("no worker was told of %s %s; the sweep will find it", task.rpartition(".")[2], pk)
