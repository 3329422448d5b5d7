"""Command that runs periodic jobs without Celery and Redis."""

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from portal.jobs import dispatcher
from portal.jobs.registry import QUEUES


class Command(BaseCommand):
    help = "Runs every periodic job once; with --every, keeps running those that are overdue."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--every",
            type=int,
            default=0,
            metavar="SECONDS",
            help="look for overdue jobs until stopped",
        )

    def handle(self, *args: Any, every: int, **options: Any) -> None:
        if not every:
            self.write_counts(dispatcher.sweep(timezone.now()))
            return
        stop = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stop.set())
        queues = [
            threading.Thread(target=dispatcher.keep_sweeping, args=(queue, every, stop, self.write_counts))
            for queue in QUEUES
        ]
        for queue in queues:
            queue.start()
        for queue in queues:
            queue.join()

    def write_counts(self, counts: dict[str, int]) -> None:
        if any(counts.values()):
            self.stdout.write("swept " + ", ".join(f"{name} {count}" for name, count in counts.items() if count))
