"""Does what is due, with neither Celery nor Redis: the net under every lost message."""

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from portal import sweeping


class Command(BaseCommand):
    help = "Does what is due: mails, checks, turns that time has changed. Once, or every so many seconds."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--every", type=int, default=0, metavar="SECONDS", help="repeat until stopped")

    def handle(self, *args: Any, every: int, **options: Any) -> None:
        stop = threading.Event()
        if every:
            for name in (signal.SIGTERM, signal.SIGINT):
                signal.signal(name, lambda *_: stop.set())
        while True:
            done = sweeping.sweep(timezone.now())
            if any(done.values()):
                self.stdout.write("swept " + ", ".join(f"{name} {count}" for name, count in done.items() if count))
            if not every or stop.wait(every):
                return
