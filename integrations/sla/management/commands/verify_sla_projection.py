"""Does everything that is stored of support still follow from its facts?"""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from integrations.sla.models import IssueEvent, Watch
from integrations.sla.projection_audit import Tally, replay

MOST_SHOWN = 200
EVERY = 10.0  # seconds between two lines of progress


class Command(BaseCommand):
    help = "Recomputes severity, clocks and breaches of issues from their facts, and prints what is stored otherwise."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--all", action="store_true", help="every issue")
        what.add_argument("--repository", metavar="OWNER/NAME", help="the issues of one watched repository")
        parser.add_argument("--at", metavar="ISO", help="as of this moment instead of now, with its offset")

    def handle(self, *args: Any, repository: str | None, at: str | None, **options: Any) -> None:
        now = parse_datetime(at) if at else timezone.now()
        if now is None or now.tzinfo is None:
            raise CommandError("Say --at as 2026-04-14T09:00:00Z.")
        watch = self.watch(repository) if repository else None
        total = IssueEvent.objects.filter(**({"issue__watch": watch} if watch else {})).count()
        drift, tally = 0, Tally()
        for difference in replay(now, tally, watch, Progress(self, total)):
            drift += 1
            if drift <= MOST_SHOWN:
                self.stdout.write(str(difference))
        if drift > MOST_SHOWN:
            self.stdout.write(f"and {drift - MOST_SHOWN} more")
        self.stdout.write(f"replayed {tally.issues} issues, {tally.events} events")
        self.stdout.write(f"drift {drift}")
        if drift:
            raise SystemExit(1)

    def watch(self, repository: str) -> int:
        found = Watch.objects.filter(repository__iexact=repository).values_list("pk", flat=True).first()
        if found is None:
            raise CommandError(f"{repository} is not watched.")
        return found


class Progress:
    """A line on the error stream every so many seconds."""

    def __init__(self, command: BaseCommand, total: int) -> None:
        self.command, self.total, self.said = command, total, time.monotonic()

    def __call__(self, tally: Tally) -> None:
        if time.monotonic() - self.said > EVERY:
            self.said = time.monotonic()
            self.command.stderr.write(f"{tally.events} of {self.total} events")
