"""Says what the portal may still ask of GitHub, and takes a credential into use again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from verification.sources.models import GitHubRateLimit


class Command(BaseCommand):
    help = "Prints a line for each credential: what was asked this hour, what remains, and whether it is dead."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--revive", metavar="NAME", help="use this credential again, once its cause is settled")

    def handle(self, *args: Any, revive: str | None, **options: Any) -> None:
        if revive is not None and not GitHubRateLimit.objects.filter(name=revive).update(
            dead_at=None, dead_why="", strikes=0, blocked_until=None
        ):
            raise CommandError(f"There is no credential called {revive}.")
        for row in GitHubRateLimit.objects.order_by("name"):
            self.stdout.write(format_line(row))


def format_line(row: GitHubRateLimit) -> str:
    """ "token 1a2b3c4d: 12 of 5000 asked since 14:10, 4988 remain until 15:10"."""
    text = f"{row.name}: {row.spent} of {row.limit} asked since {row.hour_from:%H:%M}"
    if row.remaining is not None and row.reset_at is not None:
        text += f", {row.remaining} remain until {row.reset_at:%H:%M}"
    return text + (f", dead since {row.dead_at:%d %b, %H:%M}: {row.dead_why}" if row.dead_at else "")
