"""What is due now? One list of small jobs, each of which may run twice, late, or beside itself."""

import logging
from collections.abc import Callable
from datetime import datetime

from django.db import close_old_connections

from integrations import sweep as integrations_sweep
from portal import alerts, mail
from portal.models import Heartbeat
from verification import jobs, kept, nightly
from verification.support import reading, reconcile
from verification.support import sweep as clocks

logger = logging.getLogger(__name__)

JOBS: dict[str, Callable[[datetime], int]] = {
    "deliveries": reading.read_due,
    "clocks": clocks.sweep_due,
    "alerts": alerts.tell_due,
    "mails": mail.deliver_due,
    "nights": nightly.plan,
    "polls": reconcile.poll_due,
    "checks": jobs.run_due,
    "answers": kept.forget_unused,
    "turns": integrations_sweep.refresh_due,
    "credentials": integrations_sweep.tend_credentials,
}


def sweep(now: datetime) -> dict[str, int]:
    """Run every job once. One that fails is logged and does not stop the others; then the heart beats."""
    done = {}
    close_old_connections()
    for name, job in JOBS.items():
        try:
            done[name] = job(now)
        except Exception:
            logger.exception("The sweep of %s failed.", name)
            done[name] = 0
    Heartbeat.objects.update_or_create(process="sweep", defaults={"at": now})
    return done
