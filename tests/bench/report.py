"""Reports over 10,000 integrations in support: duration and memory.

The baseline is one query that counts the same clocks by state. Both run on one server, one after the other.
"""

import os
import time
from datetime import UTC, datetime, timedelta

import django

from portal.core import periods

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from integrations.sla.models import SlaClock  # noqa: E402
from portal.reports import metrics, presenters, tasks  # noqa: E402
from portal.reports.models import ReportSnapshot  # noqa: E402
from portal.reports.scopes import PROGRAMS_SCOPE, find_report_scope  # noqa: E402
from tests.bench.publication import measure_memory  # noqa: E402
from tests.chaos.world import create_world  # noqa: E402

INTEGRATIONS = 10_000
CLOCKS = 40_000
BASELINE_QUERY = "SELECT state, count(*) FROM sla_slaclock WHERE is_committed GROUP BY state"


def main() -> int:
    call_command("migrate", verbosity=0)
    now = datetime.now(UTC)
    create_world(CLOCKS // 2, CLOCKS // 2, INTEGRATIONS, now - timedelta(days=10), 7 * 86_400)
    SlaClock.objects.filter(pk__gt=CLOCKS // 4).update(state="met", stopped_at=now - timedelta(days=8), next_at=None)
    report_scope = find_report_scope(PROGRAMS_SCOPE)
    week = periods.get_last_complete_period(periods.PeriodKind.WEEK, now, periods.get_program_zone())
    zone = periods.get_program_zone()
    assert report_scope is not None
    before = measure_memory()
    with CaptureQueriesContext(connection) as queries:
        begin = time.perf_counter()
        figures = metrics.build_figures(report_scope, week, zone, now)
        seconds = time.perf_counter() - begin
    with connection.cursor() as cursor:
        begin = time.perf_counter()
        cursor.execute(BASELINE_QUERY)
        cursor.fetchall()
        baseline = time.perf_counter() - begin
    print(
        f"the programs' report over {INTEGRATIONS:,} integrations and {CLOCKS:,} clocks: {seconds * 1000:.0f} ms in "
        f"{len(queries)} queries; counting the clocks: {baseline * 1000:.0f} ms; "
        f"{len(presenters.render_json(figures)):,} bytes"
    )
    begin = time.perf_counter()
    copies = tasks.generate_due_reports(now)
    seconds = time.perf_counter() - begin
    print(
        f"all due reports: {ReportSnapshot.objects.count():,} reports, {copies:,} emails in {seconds:.1f} s "
        f"({seconds / max(1, copies) * 1000:.0f} ms each); memory {measure_memory() - before:+.0f} MB"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
