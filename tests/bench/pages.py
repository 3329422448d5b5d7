"""Review queue, review, and integration page with 50 and 10,000 rows, compared with a plain page."""

import os
from statistics import median

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from tests.bench.server import Gunicorn, Measure  # noqa: E402
from tests.bench.world import build, fill  # noqa: E402

SIZES = (50, 10_000)
ROUNDS = 3
TARGET_RATIO = 0.5
TARGET_QUERIES = {"review queue": 10, "review": 12, "integration": 12}
HEAD = "page            rows    req/s    plain   ratio   CPU ms  CPU ratio  queries     kB  target"


def create_signed_in_client(user: object) -> Client:
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")  # type: ignore[arg-type]
    return client


def get_session_cookie(client: Client) -> str:
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def count_queries(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        client.get(path)
    return len(queries)


def main() -> int:
    call_command("migrate", verbosity=0)
    row, owner, reviewer = build()
    pages = {
        "review queue": (create_signed_in_client(reviewer), "/queue/"),
        "review": (create_signed_in_client(reviewer), f"/integrations/{row.uuid}/review/"),
        "integration": (create_signed_in_client(owner), f"/integrations/{row.uuid}/"),
    }
    print(HEAD)
    missed_targets = 0
    for size in SIZES:
        fill(row, size)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # as autovacuum does
        server = Gunicorn()
        try:
            for name, (client, path) in pages.items():
                runs = [
                    (server.measure("/plain/", ""), server.measure(path, get_session_cookie(client)))
                    for _ in range(ROUNDS)
                ]
                missed_targets += report(name, size, runs, count_queries(client, path))
        finally:
            server.stop()
    return 1 if missed_targets else 0


def report(name: str, size: int, runs: list[tuple[Measure, Measure]], count: int) -> bool:
    """Print one line. Return whether a target was missed."""
    ratio = median(page.per_second / baseline.per_second for baseline, page in runs)
    cpu = median(baseline.cpu_ms / page.cpu_ms for baseline, page in runs)
    baseline, page = (median(r[n].per_second for r in runs) for n in (0, 1))
    missed_targets = ratio < TARGET_RATIO or count > TARGET_QUERIES[name]
    words = "missed" if missed_targets else "met"
    print(
        f"{name:<14}{size:>6}{page:>9.0f}{baseline:>9.0f}{ratio:>8.2f}{median(r[1].cpu_ms for r in runs):>9.2f}"
        f"{cpu:>11.2f}{count:>9}{runs[0][1].kilobytes:>7.0f}  {words}"
    )
    return missed_targets


if __name__ == "__main__":
    raise SystemExit(main())
