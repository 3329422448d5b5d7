"""Command that shows the GitHub rate limits and enables a disabled credential again."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from portal.core.cli import build_usage_error
from verification.sources.models import GitHubRateLimit


class Command(BaseCommand):
    help = "Show the requests, the remaining limit, and the status of each GitHub credential."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--enable", metavar="NAME", help="Enable a disabled credential again.")

    def handle(self, *args: object, enable: str | None, **options: object) -> None:
        if enable is not None and not GitHubRateLimit.objects.filter(name=enable).update(
            disabled_at=None, disabled_reason="", strikes=0, blocked_until=None
        ):
            raise build_usage_error(
                f"Credential {enable} not found. Run the command without --enable to list all credentials."
            )
        lines = [format_line(row) for row in GitHubRateLimit.objects.order_by("name")]
        self.stdout.write("\n".join(lines) or "No requests to GitHub yet.")


def format_line(row: GitHubRateLimit) -> str:
    """Format a line: "token 1a2b3c4d: 12 of 5000 requests since 14:10 UTC, 4988 remaining until 15:10 UTC"."""
    text = f"{row.name}: {row.request_count} of {row.limit} requests since {row.window_started_at:%H:%M} UTC"
    if row.remaining is not None and row.reset_at is not None:
        text += f", {row.remaining} remaining until {row.reset_at:%H:%M} UTC"
    if row.disabled_at:
        text += f", disabled since {row.disabled_at:%Y-%m-%d %H:%M} UTC: {row.disabled_reason}"
    return text
