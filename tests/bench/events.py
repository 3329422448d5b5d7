"""Audit log at many events (--rows) compared with 100,000: appends, a history page, an anchor, and verification.

    bin/bench events --rows 20000000

The database generates the events, EVENTS_PER_STREAM per stream. Their hashes are not valid, but incremental
verification doesn't read them: it starts at the last anchor. Each figure is the fastest of several rounds.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.urls import reverse  # noqa: E402
from django.utils import timezone  # noqa: E402

from portal.audit.anchors import write_due_anchor  # noqa: E402
from portal.audit.models import AuditEvent  # noqa: E402
from portal.audit.services import record_system_event  # noqa: E402
from portal.audit.verification import verify_since_anchor  # noqa: E402
from tests.bench import growth_world  # noqa: E402
from tests.portal.rollback_requests import create_client  # noqa: E402

SMALLEST = 100_000
ROUNDS = 5
APPENDED = 500
EVENTS_PER_STREAM = 200
Figures = dict[str, float]
COLUMNS = "stream, seq, event_type, actor_id, actor, note, data, internal, at, before, key_id, hash"
SEED = f"""
INSERT INTO audit_auditevent ({COLUMNS}, integration_id, partner_id)
SELECT 'integration:' || ({growth_world.STRIDE} + g / {EVENTS_PER_STREAM}), g %% {EVENTS_PER_STREAM} + 1,
  'requirement.submitted', 1 + g %% 50, 'Somebody', '', '{{"title": "License", "requirement": "license"}}', false,
  now() - interval '3 years' + g * interval '4 seconds', repeat('0', 64), 'tests', repeat('0', 64),
  {growth_world.STRIDE} + g / {EVENTS_PER_STREAM}, {growth_world.STRIDE} + g / {EVENTS_PER_STREAM} / 20
FROM generate_series(%s, %s) g
"""


def seed(first: int, last: int) -> float:
    """Let the database insert events without reference checks, and return how many it inserts per second."""
    begin = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(SEED, [first, last - 1])
        cursor.execute("RESET session_replication_role")
        cursor.execute("VACUUM ANALYZE audit_auditevent")
    return (last - first) / (time.perf_counter() - begin)


def measure_seconds(call: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the shortest time of several rounds."""
    seconds = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def append_events() -> None:
    """Append events to a stream one by one, each in a transaction of its own."""
    for _ in range(APPENDED):
        with transaction.atomic():
            record_system_event("benchmark", "responsibility.changed", now=timezone.now())


def measure(world: growth_world.World, folder: Path, day: int) -> Figures:
    """Return the figures of the log as it is now."""
    client = create_client(world["users"]["sam"])
    pages = {
        "history page, ms": reverse("submissions:history", args=[world["integration"].uuid]),
        "first page of the log, ms": reverse("inbox:audit_log"),
    }
    figures = {name: 1000 * measure_seconds(lambda url=url: client.get(url)) for name, url in pages.items()}  # type: ignore[misc]
    figures["appended events per second"] = APPENDED / measure_seconds(append_events)
    now = timezone.now() + timedelta(days=day)
    write_due_anchor(now)  # of all events that the database generated
    append_events()
    write_due_anchor(now + timedelta(days=1))
    append_events()
    figures["daily anchor, s"] = measure_seconds(lambda: write_due_anchor(now + timedelta(days=2)), rounds=1)
    append_events()
    verified_at = now + timedelta(days=2)
    figures["verification since the last anchor, s"] = measure_seconds(
        lambda: list(verify_since_anchor(folder, verified_at))
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size('audit_auditevent')")
        figures["size, GB"] = cursor.fetchone()[0] / 1e9
    return figures


def print_figures(small: Figures, large: Figures, rows: int) -> None:
    """Print the figures of both sizes with their ratio."""
    print(f"{'':<45}{SMALLEST:>14,}{rows:>14,}{'ratio':>8}")
    for name, value in large.items():
        print(f"{name:<45}{small[name]:>14,.2f}{value:>14,.2f}{value / small[name]:>8.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bin/bench events", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    settings.ALLOWED_HOSTS = ["*"]
    call_command("migrate", verbosity=0)
    world = growth_world.build()
    with tempfile.TemporaryDirectory() as folder:
        settings.AUDIT_ANCHOR_DIR = folder
        seed(0, SMALLEST)
        small = measure(world, Path(folder), day=0)
        rate = seed(SMALLEST, options.rows)
        large = measure(world, Path(folder), day=3)
    print(f"{AuditEvent.objects.count():,} events, inserted at {rate:,.0f} per second")
    print_figures(small, large, options.rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
