"""Celery beat scheduler that keeps its schedule across restarts and logs a broker outage once."""

import logging

from celery.beat import ScheduleEntry, Scheduler as InMemoryScheduler, SchedulingError
from django.db import DatabaseError, connections
from kombu import Producer

from portal.jobs.models import PeriodicRun

logger = logging.getLogger(__name__)


class Scheduler(InMemoryScheduler):
    """Scheduler that reads the last run of each job from the database, so that a restart doesn't delay daily jobs."""

    is_broker_lost = False

    def setup_schedule(self) -> None:
        """Build the schedule with the last runs from the database."""
        super().setup_schedule()
        try:
            last_runs = dict(PeriodicRun.objects.values_list("name", "started_at"))
        except DatabaseError:
            logger.warning("The database is not available, so the intervals of all jobs start now.")
            return
        finally:
            connections.close_all()  # beat needs the database only here
        for name, entry in self.schedule.items():
            entry.last_run_at = last_runs.get(name, entry.last_run_at)

    def apply_entry(self, entry: ScheduleEntry, producer: Producer | None = None) -> None:
        """Send a job to a worker. During an outage of the broker, run_jobs runs it."""
        try:
            # The entry has already moved on to its next run, because beat plans it before it calls this.
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            if not self.is_broker_lost:
                logger.warning(
                    "The broker does not answer (%s). Until it does, run_jobs runs the jobs.", error.__context__
                )
            self.is_broker_lost = True
        else:
            if self.is_broker_lost:
                logger.warning("The broker answers again.")
            self.is_broker_lost = False
