"""Command that runs overdue jobs without Celery and Redis."""

import signal
import threading
from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from portal.core.cli import parse_positive_number
from portal.jobs import dispatcher
from portal.jobs.registry import QUEUES, THREADS_BY_QUEUE


class Command(BaseCommand):
    help = "Run overdue jobs and periodic jobs until stopped. With --once, run one round."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--every",
            type=parse_positive_number,
            default=5,
            metavar="SECONDS",
            help="Seconds between two rounds. Default: 5.",
        )
        parser.add_argument("--once", action="store_true", help="Run the jobs that are overdue now, then exit.")

    def handle(self, *args: object, every: float, once: bool, **options: object) -> None:
        if once:
            for queue in QUEUES:
                self.report(dispatcher.run_overdue(queue))
            return
        stop = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            # The current round ends first, so that no job is interrupted.
            signal.signal(name, lambda *_: stop.set())
        threads = [
            threading.Thread(
                target=dispatcher.run_overdue_until_stopped, args=(queue, every, stop, self.report), name=queue
            )
            for queue in QUEUES
            for _ in range(THREADS_BY_QUEUE.get(queue, 1))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def report(self, counts: dict[str, int]) -> None:
        if any(counts.values()):
            self.stdout.write("ran " + ", ".join(f"{name} {count}" for name, count in counts.items() if count))
