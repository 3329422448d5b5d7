"""Search of 100,000 entries on PostgreSQL and SQLite, compared with reading fifty rows by primary key.

Queries take turns with the plain page, so that both meet the same load. The texts share a small vocabulary, so that
each word is in two fifths of all entries, which is the hard case for an index.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import median, quantiles

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from integrations.submissions.models import Integration  # noqa: E402
from portal.accounts.models import User  # noqa: E402
from portal.search.entries import build_entry  # noqa: E402
from portal.search.indexing import rebuild  # noqa: E402
from portal.search.models import Kind, SearchEntry  # noqa: E402
from portal.search.queries import search  # noqa: E402
from portal.search.views import MAX_PALETTE_RESULTS, MAX_PALETTE_RESULTS_PER_KIND, MAX_RESULTS  # noqa: E402
from tests.bench.world import build, fill  # noqa: E402

ENTRIES = 100_000
INTEGRATIONS = 10_000
ROUNDS = 40
WARM_UP = 3
TARGET_MILLISECONDS = 50
PALETTE = {"limit": MAX_PALETTE_RESULTS, "limit_per_kind": MAX_PALETTE_RESULTS_PER_KIND}
WORDS = (
    "crash",
    "timeout",
    "import",
    "state",
    "error",
    "plan",
    "apply",
    "token",
    "network",
    "volume",
    "login",
    "lease",
)
QUERIES = {
    "one letter": "i",
    "word of many titles": "integration",
    "word and number": "integration 4711",
    "common word": "crash",
    "two common words": "crash timeo",
    "plural": "tokens",
    "number": "47",
    "rare word": "w4711",
    "company": "company 7",
    "no match": "zzz",
}
SQLITE_ONLY = "--sqlite"


def create_entries() -> tuple[User, User]:
    """Fill the index: integrations and their companies, then issues. Return an owner and a reviewer."""
    row, owner, reviewer = build()
    fill(row, INTEGRATIONS)
    rebuild()
    random = Random(7)
    partners = list(Integration.objects.order_by("pk").values_list("partner", flat=True))
    SearchEntry.objects.bulk_create(
        (
            build_entry(
                Kind.ISSUE,
                f"bench {number}",
                " ".join(random.sample(WORDS, 5)),
                *(f"w{random.randint(0, 50_000)}" for _ in range(10)),
                source=f"issue:bench {number}",
                url="/",
                subtitle=f"company{number % 500}/repository#{number}",
                partner_id=partners[number % len(partners)],
            )
            for number in range(SearchEntry.objects.count(), ENTRIES)
        ),
        batch_size=1000,
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return owner, reviewer


def show_plain_page(pks: list[int]) -> object:
    return list(SearchEntry.objects.filter(pk__in=pks).defer("words"))


def build_calls(owner: User, reviewer: User) -> dict[str, Callable[[], object]]:
    pks = list(SearchEntry.objects.order_by("pk").values_list("pk", flat=True)[5000:5050])
    calls: dict[str, Callable[[], object]] = {"plain page": partial(show_plain_page, pks)}
    for name, query in QUERIES.items():
        calls[f"{name}, palette, partner"] = partial(search, owner, query, **PALETTE)
        calls[f"{name}, palette, staff"] = partial(search, reviewer, query, **PALETTE)
        calls[f"{name}, page, staff"] = partial(search, reviewer, query, MAX_RESULTS)
    return calls


def measure(calls: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    """Return the milliseconds of each call; the calls take turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(ROUNDS + WARM_UP):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            if turn >= WARM_UP:
                times[name].append((time.perf_counter() - begin) * 1000)
    return times


def main() -> int:
    call_command("migrate", verbosity=0)
    times = measure(build_calls(*create_entries()))
    baseline = median(times["plain page"])
    print(f"{connection.vendor}: {SearchEntry.objects.count():,} entries")
    print(f"{'query':<38}{'p50 ms':>8}{'p95 ms':>8}{'x plain page':>14}  target")
    missed_targets = 0
    for name, took in times.items():
        p95 = quantiles(took, n=20)[-1]
        missed_targets += p95 > TARGET_MILLISECONDS
        words = "missed" if p95 > TARGET_MILLISECONDS else "met"
        print(f"{name:<38}{median(took):>8.1f}{p95:>8.1f}{median(took) / baseline:>14.1f}  {words}", flush=True)
    return 1 if missed_targets else 0


def run_on_sqlite() -> int:
    """Run the same measurement on a new SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"DATABASE_URL": f"sqlite:///{Path(folder) / 'bench.sqlite3'}"}
        return subprocess.run([sys.executable, "-m", "tests.bench.search", SQLITE_ONLY], env=environment).returncode


if __name__ == "__main__":
    missed = main()
    raise SystemExit(missed if SQLITE_ONLY in sys.argv else missed | run_on_sqlite())
