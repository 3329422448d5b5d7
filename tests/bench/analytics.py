"""Analytics with 10,000 integrations and 500,000 events: pages, exports, forecasts, and a full rebuild."""

import os
import resource
import time
from functools import partial
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.core.cache import cache  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import StreamingHttpResponse  # noqa: E402
from django.http.response import HttpResponseBase  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from integrations.reviews.models import ReviewerProfile  # noqa: E402
from integrations.submissions.models import Integration  # noqa: E402
from portal.accounts.models import User  # noqa: E402
from portal.analytics import forecast_accuracy, services  # noqa: E402
from portal.analytics.models import StageDuration  # noqa: E402
from portal.audit.models import AuditEvent  # noqa: E402
from portal.demo import past  # noqa: E402
from tests.bench.pages import count_queries, create_signed_in_client, get_session_cookie  # noqa: E402
from tests.bench.server import Gunicorn  # noqa: E402

COPIES = 290  # of each of the demo's 34 past integrations
ID_DISTANCE = 1_000  # between copies
FILLERS = 34  # further events of each: answers, checks, messages
PAGES = (
    "/analytics/?period=365",
    "/analytics/flow/?period=365",
    "/analytics/people/",
    "/analytics/forecast/",
    "/queue/",
)
FILES = ("/exports/integrations.csv", "/exports/integrations.xlsx")
TARGET_QUERIES = 10
TARGET_SECONDS = 1.0


def create_data() -> User:
    """Create the demo's past integrations and many copies, shifted in time by the database. Return a reviewer."""
    call_command("migrate", verbosity=0)
    reviewers = [User.objects.create_user(f"r{n}@bench.example", "b", name=f"R {n}", is_reviewer=True) for n in (1, 2)]
    for reviewer in reviewers:
        ReviewerProfile.objects.create(user=reviewer)
    past.create_past(timezone.now(), reviewers, "!")
    id_offset = f"{ID_DISTANCE} * g"
    copy_rows(Integration, {"id": f"id + {id_offset}", "uuid": "gen_random_uuid()", "name": "name || ' ' || g"})
    key = f"integration_id + {id_offset}"
    copy_rows(
        StageDuration,
        {"id": "id + 100000 * g", "integration_id": key},
        shifted_columns=("stay_started_at", "started_at", "ended_at"),
    )
    has_integration = "integration_id IS NOT NULL"
    copy_rows(
        AuditEvent,
        {"id": "id + 100000 * g", "integration_id": key, "stream": f"'integration:' || ({key})"},
        where=has_integration,
    )
    stream = f"'responsibility:' || (split_part(stream, ':', 2)::int + {id_offset})"
    copy_rows(AuditEvent, {"id": "id + 100000 * g", "stream": stream}, where="stream LIKE 'responsibility:%'")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_auditevent (id, stream, seq, integration_id, partner_id, event_type, actor, note, data,"
            " internal, at, before, key_id, hash)"
            " SELECT 50000000 + i.id * 100 + k, 'integration:' || i.id, 100 + k, i.id, i.partner_id,"
            " 'requirement.answered', 'Alice Archer', '', '{}', false, i.created_at + k * interval '1 hour', '', '', ''"
            " FROM submissions_integration i, generate_series(1, %s) k",
            [FILLERS],
        )
        cursor.execute("ANALYZE")
    return reviewers[0]


def copy_rows(
    model: type[models.Model],
    column_changes: dict[str, str],
    *,
    shifted_columns: tuple[str, ...] = (),
    where: str = "true",
) -> None:
    """Copy all rows: `column_changes` are expressions of the copy's number g; `shifted_columns` move by hours."""
    table = model._meta.db_table
    columns = [field.column for field in model._meta.concrete_fields if field.column]
    shift_expressions = {column: f"{column} - (g % 24) * interval '1 hour'" for column in shifted_columns}
    select_list = ", ".join({**shift_expressions, **column_changes}.get(column, column) for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(columns)})"
            f" SELECT {select_list} FROM {table}, generate_series(1, {COPIES}) g WHERE {where}"
        )


def measure_seconds(what: str, work: Any) -> float:
    begin = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - begin
    print(f"{what:<58}{seconds:>8.2f} s  {result}")
    return seconds


def compute_from_events() -> str:
    """Compute all durations from events, which the first page would have to do without the stored table."""
    rows = list(Integration.objects.values_list("pk", "program_key"))
    batches = (dict(rows[start : start + services.BATCH_SIZE]) for start in range(0, len(rows), services.BATCH_SIZE))
    count = sum(len(durations) for batch in batches for durations in services.compute_durations(batch).values())
    return f"{count:,} durations"


def count_bytes(client: Client, path: str) -> str:
    """Read a file as it is streamed."""
    response: HttpResponseBase = client.get(path)
    assert isinstance(response, StreamingHttpResponse)
    return f"{sum(map(len, response)):,} bytes"


def main() -> int:
    rita = create_data()
    client = create_signed_in_client(rita)
    counts = [model.objects.count() for model in (Integration, AuditEvent, StageDuration)]
    print("{:,} integrations, {:,} events, {:,} stage durations".format(*counts))
    missed_targets = 0
    server = Gunicorn()
    try:
        server.measure("/plain/", "", seconds=1)  # the first response loads everything
        baseline = server.measure("/plain/", "", clients=1)
        for path in PAGES:
            page = server.measure(path, get_session_cookie(client), clients=1)
            count = count_queries(client, path)
            seconds = 1 / page.per_second
            is_missed = count > TARGET_QUERIES or seconds > TARGET_SECONDS
            missed_targets += is_missed
            print(
                f"{path:<40}{seconds * 1000:>7.0f} ms  {baseline.per_second * seconds:>6.1f} x plain"
                f"  {count:>3} queries  {'missed' if is_missed else 'met'}"
            )
        for path in FILES:
            measure_seconds(path, partial(count_bytes, client, path))
    finally:
        server.stop()
    cache.clear()  # the forecast page has stored its figures
    measure_seconds(
        "forecasts of the past year, evaluated for every program",
        lambda: len(forecast_accuracy.evaluate_programs(timezone.now(), weeks=52)),
    )
    measure_seconds("computing from all events, without the stored table", compute_from_events)
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    return 1 if missed_targets else 0


if __name__ == "__main__":
    raise SystemExit(main())
