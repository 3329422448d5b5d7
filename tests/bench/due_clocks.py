"""Due clocks advanced among 10,000, 100,000, and 1,000,000 open ones, compared with plain SQL.

The baseline is plain psycopg on the same data: per batch one indexed SELECT … FOR UPDATE SKIP LOCKED, one UPDATE, and
three bulk INSERTs of the same rows (breach, event, alert). Both run on one connection, one after the other, and the
data is restored in between. If HELPDESK_PYTHON names a Python with django-helpdesk, its escalation command is measured
too.
"""

import os
import subprocess
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.db.backends.utils import CursorWrapper  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from integrations.sla.tasks import BATCH_SIZE, advance_due_clocks  # noqa: E402
from tests.bench.world import build  # noqa: E402
from tests.integrations.sla.rows import create_issue_row, create_repository_row  # noqa: E402

SIZES = (10_000, 100_000, 1_000_000)
DUE = (0, 100, 10_000)
ROUNDS = {0: 80, 100: 15, 10_000: 4}
TARGET_HELPDESK = 80
TARGET = {0: 2.0, 100: 2.0, 10_000: 1.5}
HEAD = "clocks       due    ours ms   plain ms   ratio  target  statements"

FILL = """
INSERT INTO sla_slaclock (issue_id, monitored_repository_id, integration_id, target_type, is_committed, severity, state,
       started_at, due_at, warn50_at, warn75_at, warn90_at, next_at, warned, counted_seconds, paused_seconds)
SELECT %(issue)s + n / 2, %(monitored_repository)s, %(integration)s, 'v' || n %% 2, true, 'critical', 'running',
       %(now)s, at, at, at, at, at, 90, 0, 0
  FROM generate_series(%(first)s, %(last)s) n, LATERAL (SELECT %(now)s + (1 + n) * interval '1 second' AS at) moment
"""
ISSUES = """
INSERT INTO sla_supportissue (uuid, monitored_repository_id, integration_id, github_id, number, title, url, author,
       opened_at, is_open, severity, last_commenter_role, updated_at, edition)
SELECT gen_random_uuid(), %(monitored_repository)s, %(integration)s, 5000000 + n, n, 'Issue ' || n, '', 'reporter',
       %(now)s, true, 'critical', '', %(now)s, ''
  FROM generate_series(%(first)s, %(last)s) n
"""


def run_plain_sql(now: datetime) -> int:
    """Write the same rows with plain SQL. Return how many were due."""
    processed_count = 0
    batch = BATCH_SIZE
    while batch == BATCH_SIZE:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT id, issue_id, integration_id, target_type, severity, due_at FROM sla_slaclock "
                "WHERE next_at <= %s ORDER BY next_at LIMIT %s FOR UPDATE SKIP LOCKED",
                (now, BATCH_SIZE),
            )
            rows = cursor.fetchall()
            if rows:
                _write(cursor, rows, now)
        batch = len(rows)
        processed_count += batch
    return processed_count


def _write(cursor: CursorWrapper, rows: list[tuple[Any, ...]], now: datetime) -> None:
    ids = [row[0] for row in rows]
    cursor.execute(
        "UPDATE sla_slaclock SET next_at = NULL, state = 'overdue', breached_at = %s WHERE id = ANY(%s)",
        (now, ids),
    )
    columns = [list(column) for column in zip(*rows, strict=True)]
    cursor.execute(
        "INSERT INTO sla_slabreach (clock_id, issue_id, integration_id, target_type, severity, due_at, found_at, "
        "retraction_reason, outcome) SELECT c, i, g, v, s, d, %s, '', '' FROM unnest(%s::bigint[], %s::bigint[], "
        "%s::bigint[], %s::text[], %s::text[], %s::timestamptz[]) AS t(c, i, g, v, s, d) ON CONFLICT DO NOTHING",
        (now, *columns),
    )
    cursor.execute(
        "INSERT INTO sla_alert (key, kind, clock_id, integration_id, share, due_at, created_at, not_before) "
        "SELECT k, 'breached', c, g, 100, d, %s, %s FROM unnest(%s::text[], %s::bigint[], %s::bigint[], "
        "%s::timestamptz[]) AS t(k, c, g, d) ON CONFLICT (key) DO NOTHING",
        (now, now, [f"{i}:breached" for i in ids], ids, columns[2], columns[5]),
    )


def restore_data(now: datetime, due: int) -> datetime:
    """Undo a run and return the time at which exactly `due` clocks are due.

    An idle run changed nothing. Searching for changes to undo would evict the index from the processor's caches and
    distort the next measurement.
    """
    if due == 0:
        return now
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE sla_slabreach, sla_alert")
        cursor.execute(
            "UPDATE sla_slaclock SET next_at = due_at, state = 'running', breached_at = NULL WHERE next_at IS NULL"
        )
        if cursor.rowcount:
            cursor.execute("VACUUM ANALYZE sla_slaclock")
    return now + timedelta(seconds=due)


def measure(run: Callable[[datetime], object], now: datetime, due: int) -> float:
    """Return the milliseconds of one run over `due` clocks, after restoring the data."""
    due_at = restore_data(now, due)
    begin = time.perf_counter()
    run(due_at)
    return (time.perf_counter() - begin) * 1000


def measure_pair(now: datetime, due: int) -> tuple[float, float, int]:
    """Return the fastest round of each, measured in turn, and the number of statements of the portal."""
    times = [(measure(advance_due_clocks, now, due), measure(run_plain_sql, now, due)) for _ in range(ROUNDS[due])]
    due_at = restore_data(now, due)
    with CaptureQueriesContext(connection) as queries:
        advance_due_clocks(due_at)
    return min(t[0] for t in times), min(t[1] for t in times), len(queries)


def compare_with_helpdesk(ours: float, size: int) -> bool:
    """Compare with django-helpdesk's command at 100 due clocks. Return whether the target was missed."""
    python = os.environ.get("HELPDESK_PYTHON")
    if not python:
        print("django-helpdesk: not run, because HELPDESK_PYTHON is not a Python with django-helpdesk and psycopg")
        return False
    with connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS helpdesk")
        cursor.execute("CREATE DATABASE helpdesk")
    command_options = connection.settings_dict
    place = [command_options["HOST"], str(command_options["PORT"]), "helpdesk", str(size)]
    command = [python, str(Path(__file__).with_name("peer_helpdesk.py")), *place]
    peer = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])
    has_missed_target = peer / ours < TARGET_HELPDESK
    verdict = "missed" if has_missed_target else "met"
    print(
        f"django-helpdesk, {size:,} open, 100 due: {peer:.0f} ms, "
        f"{peer / ours:.0f} × ours (target ≥ {TARGET_HELPDESK}) {verdict}"
    )
    return has_missed_target


def main() -> int:
    call_command("migrate", verbosity=0)
    row, *_ = build()
    now = timezone.now()
    monitored_repository = create_repository_row(row, now)
    first = create_issue_row(monitored_repository, 0, now)
    print(HEAD, flush=True)
    existing_count = 0
    has_missed_target = False
    idle: dict[int, float] = {}
    at_100 = 0.0
    for size in SIZES:
        values: dict[str, int | datetime] = {
            "monitored_repository": monitored_repository.pk,
            "integration": row.pk,
            "now": now,
            "issue": first.pk,
        }
        with connection.cursor() as cursor:
            cursor.execute(ISSUES, values | {"first": existing_count // 2 + 1, "last": size // 2})
            cursor.execute(FILL, values | {"first": existing_count, "last": size - 1})
            cursor.execute("VACUUM ANALYZE sla_slaclock")
        existing_count = size
        for due in DUE:
            ours, plain, statements = measure_pair(now, due)
            ratio = ours / plain
            expected = -(-due // BATCH_SIZE) + 1
            is_missed = ratio > TARGET[due] or statements > expected
            has_missed_target |= is_missed
            idle[size] = ours if due == 0 else idle[size]
            at_100 = ours if due == 100 else at_100
            summary = f"{TARGET[due]:>5.1f}x{statements:>8} of {expected}  {'missed' if is_missed else 'met'}"
            print(f"{size:>9,}{due:>7,}{ours:>11.2f}{plain:>11.2f}{ratio:>8.2f} {summary}", flush=True)
    has_missed_target |= compare_with_helpdesk(at_100, SIZES[-1])
    growth = idle[SIZES[-1]] / idle[SIZES[0]]
    has_missed_target |= growth > 1.3
    print(f"idle at 1,000,000 compared with 10,000: {growth:.2f} (target ≤ 1.3) {'missed' if growth > 1.3 else 'met'}")
    return 1 if has_missed_target else 0


if __name__ == "__main__":
    raise SystemExit(main())
