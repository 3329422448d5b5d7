"""Events of issues at many rows (--rows) compared with 100,000: inserts, pages, recomputation.

    bin/bench issue_events --rows 20000000

The database generates the rows. An issue has 20 events on average, and the longest histories have a share of 1 / √n of
n issues, scattered over the whole table. Each figure is the fastest of several rounds.
"""

import argparse
import os
import time
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.urls import reverse  # noqa: E402
from django.utils import timezone  # noqa: E402

from integrations.sla.engine.types import Actor, IssueEventKind, TimelineEvent  # noqa: E402
from integrations.sla.github import event_store  # noqa: E402
from integrations.sla.models import SupportIssue, SupportIssueEvent  # noqa: E402
from integrations.sla.selectors.issue_states import compute_issue_state  # noqa: E402
from integrations.sla.services import monitoring, projection  # noqa: E402
from tests.bench import growth_world  # noqa: E402
from tests.bench.events import SMALLEST, Figures, measure_seconds, print_figures  # noqa: E402
from tests.integrations.sla.pages.issues import create_issue  # noqa: E402
from tests.portal.rollback_requests import create_client  # noqa: E402

EVENTS_PER_ISSUE = 20
# Events of the issues that are read
TYPICAL = 20
LONG = 2_000
STORED = 20  # short rounds, because other programs interrupt long ones
STORE_ROUNDS = 15
BEGAN_AT = "now() - interval '3 years' + g * interval '4 seconds'"
OWNER = f"{growth_world.STRIDE} + floor(%s * power(random(), 2))"
TABLE = SupportIssueEvent._meta.db_table
SEED = f"""
INSERT INTO sla_supportissueevent
  (issue_id, key, kind, at, seen_at, source, actor_id, actor, actor_type, association, text, label, data)
SELECT {OWNER}, 'comment:' || g, 'commented', {BEGAN_AT}, {BEGAN_AT}, 'webhook', 1 + g %% 50000, 'somebody', 'User',
  'NONE', repeat('It does not do what it should. ', 8), '', '{{}}'
FROM generate_series(%s, %s) g
"""


def seed(first: int, last: int) -> float:
    """Let the database insert rows without reference checks, and return how many it inserts per second."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        begin = time.perf_counter()
        cursor.execute(SEED, [last // EVENTS_PER_ISSUE, first, last - 1])
        seconds = time.perf_counter() - begin
        cursor.execute(f"VACUUM ANALYZE {TABLE}")
        cursor.execute("RESET session_replication_role")
    return (last - first) / seconds


def comment(number: int, issue: SupportIssue) -> TimelineEvent:
    """Return a comment on an issue."""
    at = issue.opened_at + timedelta(seconds=1 + number)
    return TimelineEvent(f"comment:{number}", IssueEventKind.COMMENTED, at, Actor(5, "uma"), "It still fails. " * 15)


def create_read_issues(world: growth_world.World) -> dict[int, SupportIssue]:
    """Create the issues that are read, by their number of events."""
    issues = {}
    for count in (TYPICAL, LONG):
        at = timezone.now() - timedelta(days=3)
        issue = issues[count] = create_issue(world["listed"], f"An issue with {count} events", at)
        events = [comment(number, issue) for number in range(count - issue.events.count())]
        SupportIssueEvent.objects.bulk_create(
            SupportIssueEvent.from_timeline(issue.pk, event, "webhook", event.at) for event in events
        )
    return issues


def store_events(issues: list[SupportIssue]) -> None:
    """Store a comment on each issue as the intake does, each in a transaction that recomputes the clocks."""
    for issue in issues:
        number = SupportIssueEvent.objects.filter(issue=issue).count()
        batch = event_store.IssueEventBatch(issue.number, (comment(number, issue),))
        with transaction.atomic():
            monitored_repository = monitoring.lock_repository(issue.monitored_repository_id, wait=True)
            assert monitored_repository
            changed = event_store.store_updates(monitored_repository, (), "webhook", timezone.now(), [batch])
            projection.rebuild_projections(changed, timezone.now())


def recompute(issue: SupportIssue) -> None:
    """Compute the clocks of an issue from its events."""
    (loaded,) = projection.load_issues([issue.pk])
    compute_issue_state(loaded, timezone.now())


def measure(world: growth_world.World, issues: dict[int, SupportIssue]) -> Figures:
    """Return the figures of the table as it is now."""
    client = create_client(world["users"]["sam"])
    figures = {}
    for count, issue in issues.items():
        url = reverse("sla:issue", args=[issue.uuid])
        assert client.get(url).status_code == 200
        calls = {
            "issue page": lambda url=url: client.get(url),
            "recomputation of an issue": lambda issue=issue: recompute(issue),
        }
        for name, call in calls.items():
            figures[f"{name}, {count:,} events, ms"] = 1000 * measure_seconds(call)
    at = timezone.now() - timedelta(days=1)
    new_issues = [create_issue(world["listed"], f"Issue {n}", at) for n in range(STORED)]
    figures["issue events stored per second"] = STORED / measure_seconds(lambda: store_events(new_issues), STORE_ROUNDS)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size(%s)", [TABLE])
        figures["size, GB"] = cursor.fetchone()[0] / 1e9
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(prog="bin/bench issue_events", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    settings.ALLOWED_HOSTS = ["*"]
    call_command("migrate", verbosity=0)
    world = growth_world.build()
    issues = create_read_issues(world)
    seed(0, SMALLEST)
    small = measure(world, issues)
    rate = seed(SMALLEST, options.rows)
    large = measure(world, issues)
    print(f"{rate:,.0f} rows inserted per second")
    print_figures(small, large, options.rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
