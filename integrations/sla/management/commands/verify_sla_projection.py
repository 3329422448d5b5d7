"""Command that compares stored SLA data with a new projection."""

import time
from argparse import ArgumentParser
from datetime import datetime

from django.core.management.base import BaseCommand
from django.db.models import QuerySet
from django.utils import timezone

from integrations.sla.models import MonitoredRepository, SupportIssue, SupportIssueEvent
from integrations.sla.projection_audit import replay_issues
from portal.core.cli import build_usage_error, parse_moment

MAX_SHOWN_DIFFERENCES = 200
PROGRESS_INTERVAL_SECONDS = 10.0


class Command(BaseCommand):
    help = (
        "Recompute severity, clocks, and breaches of issues from their events, and print the differences. Exit codes: "
        "0 without differences, 1 otherwise."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        selection_group = parser.add_mutually_exclusive_group(required=True)
        selection_group.add_argument("--all", action="store_true", help="Verify all issues.")
        selection_group.add_argument(
            "--repository", metavar="OWNER/NAME", help="Verify the issues of one monitored repository."
        )
        parser.add_argument(
            "--at", type=parse_moment, metavar="TIME", help="Time of the projection, by default in UTC. Default: now."
        )

    def handle(self, *args: object, repository: str | None, at: datetime | None, **options: object) -> None:
        now = at or timezone.now()
        issues = self.select_issues(repository) if repository else SupportIssue.objects.all()
        total = SupportIssueEvent.objects.filter(issue__in=issues).count()
        issue_count = 0
        event_count = 0
        difference_count = 0
        reported_at = time.monotonic()
        for number, differences in replay_issues(issues, now):
            issue_count += 1
            event_count += number
            for difference in differences[: max(0, MAX_SHOWN_DIFFERENCES - difference_count)]:
                self.stdout.write(difference)
            difference_count += len(differences)
            if time.monotonic() - reported_at > PROGRESS_INTERVAL_SECONDS:
                reported_at = time.monotonic()
                self.stderr.write(f"{event_count} of {total} events")
        if difference_count > MAX_SHOWN_DIFFERENCES:
            self.stdout.write(f"and {difference_count - MAX_SHOWN_DIFFERENCES} more")
        self.stdout.write(f"Replayed issues: {issue_count}, events: {event_count}")
        self.stdout.write(f"Differences: {difference_count}")
        if difference_count:
            raise SystemExit(1)

    def select_issues(self, repository: str) -> QuerySet[SupportIssue]:
        if not MonitoredRepository.objects.filter(repository__iexact=repository).exists():
            raise build_usage_error(f"{repository} is not monitored.")
        return SupportIssue.objects.filter(monitored_repository__repository__iexact=repository)
