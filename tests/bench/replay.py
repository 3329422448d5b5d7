"""verify_sla_projection over a million events: time, memory, and whether the stored clocks match.

bin/bench replay --events 100000
"""

import argparse
import os
import random
import resource
import sys
import time
from datetime import datetime, timedelta
from io import StringIO

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from integrations.sla import tasks  # noqa: E402
from integrations.sla.engine.types import IssueEventKind  # noqa: E402
from integrations.sla.models import MonitoredRepository, SupportIssue, SupportIssueEvent  # noqa: E402
from integrations.sla.services import projection  # noqa: E402
from tests.bench.monitored_repositories import create_monitored_repositories  # noqa: E402

EVENTS = 1_000_000
PER_ISSUE = 10
CHUNK = 500
COMMENTS = (
    "It crashes at once.",
    "Which version do you use?",
    "1.4.2, on Linux.",
    "It is fixed in 1.4.3.",
    "Thank you.",
)


def create_issues(monitored_repositories: list[MonitoredRepository], count: int, now: datetime) -> None:
    """Create issues of the last half year, each with comments, a label, a closing, and reopenings."""
    rng = random.Random(3)
    for first in range(0, count, CHUNK):
        rows = []
        for number in range(first, min(first + CHUNK, count)):
            monitored_repository = monitored_repositories[number % len(monitored_repositories)]
            opened_at = now - timedelta(minutes=rng.randrange(260_000))
            rows.append(
                SupportIssue(
                    monitored_repository=monitored_repository,
                    integration_id=monitored_repository.integration_id,
                    github_id=number,
                    number=number,
                    title="It breaks",
                    url="https://github.com",
                    author="uma",
                    opened_at=opened_at,
                    updated_at=opened_at,
                    edition=monitored_repository.integration.edition_date,
                )
            )
        issues = SupportIssue.objects.bulk_create(rows)
        events = [event for issue in issues for event in build_events(issue, rng)]
        SupportIssueEvent.objects.bulk_create(events, batch_size=2000)
        with transaction.atomic():
            projection.rebuild_projections([issue.pk for issue in issues], now)


def build_events(issue: SupportIssue, rng: random.Random) -> list[SupportIssueEvent]:
    at = issue.opened_at
    rows = [build_event(issue, 0, IssueEventKind.OPENED, issue.opened_at, COMMENTS[0], reporter=True)]
    for number in range(1, PER_ISSUE):
        at += timedelta(minutes=rng.randrange(5, 600))
        kind = (
            (IssueEventKind.LABELED, IssueEventKind.CLOSED, IssueEventKind.REOPENED)[number % 3]
            if number > 5
            else IssueEventKind.COMMENTED
        )
        rows.append(build_event(issue, number, kind, at, COMMENTS[number % len(COMMENTS)], reporter=number % 2 == 0))
    return rows


def build_event(
    issue: SupportIssue, number: int, kind: IssueEventKind, at: datetime, text: str, *, reporter: bool
) -> SupportIssueEvent:
    return SupportIssueEvent(
        issue=issue,
        key="opened" if number == 0 else f"{kind}:{number}",
        kind=kind,
        at=at,
        seen_at=at,
        source="poll",
        actor_id=1 if reporter else 2,
        actor="uma" if reporter else "alice",
        actor_type="User",
        association="NONE" if reporter else "MEMBER",
        text=text,
        label="crash" if kind == IssueEventKind.LABELED else "",
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="bin/bench replay", description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    total = parser.parse_args().events
    call_command("migrate", verbosity=0)
    now = timezone.now().replace(microsecond=0)
    monitored_repositories = create_monitored_repositories(100)
    MonitoredRepository.objects.update(began_at=now - timedelta(days=400), data_up_to=now)
    monitored_repositories = list(MonitoredRepository.objects.select_related("integration"))
    start = time.monotonic()
    create_issues(monitored_repositories, total // PER_ISSUE, now)
    projection_seconds = time.monotonic() - start
    tasks.advance_due_clocks(now)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.monotonic()
    output = StringIO()
    try:
        call_command("verify_sla_projection", all=True, at=now, stdout=output)
    except SystemExit:
        print(output.getvalue()[-2000:])
    replay_seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    drift = output.getvalue().strip().splitlines()[-1]
    print(f"{total} events of {total // PER_ISSUE} issues, written and projected in {projection_seconds:.0f} s")
    print(
        f"verified in {replay_seconds:.0f} s, {total / replay_seconds:.0f} events/s; "
        f"{(after - before) / 1024:.0f} MB more than before, {after / 1024:.0f} MB at most; {drift}"
    )
    return 0 if drift == "Differences: 0" else 1


if __name__ == "__main__":
    sys.exit(main())
