"""Directory with 10,000 listings: p95 of each page compared with a plain page of the same server.

The plain page has fifty rows from one query, as in other benchmarks; an empty response is measured too. One client
sends the requests one after the other, so that none waits in a queue.
"""

import http.client
import os
import time
from datetime import timedelta
from statistics import quantiles

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from integrations.programs.registry import PROGRAMS  # noqa: E402
from integrations.submissions.models import Integration  # noqa: E402
from portal.core.name_matching import normalize_text  # noqa: E402
from portal.directory.models import Listing  # noqa: E402
from portal.directory.services import join_platforms  # noqa: E402
from portal.directory.support_metrics import MIN_SAMPLE_SIZE  # noqa: E402
from tests.bench.pages import count_queries  # noqa: E402
from tests.bench.server import Gunicorn  # noqa: E402
from tests.bench.world import build, fill  # noqa: E402

LISTINGS = 10_000
REQUEST_COUNT = 120
TARGET_RATIO = 5.0
TARGET_QUERIES = 10
WORDS = ("cloud", "firewall", "volumes", "scan", "dashboards", "login", "images", "mesh", "budget", "drift")
PLATFORMS = ("linux_amd64", "linux_arm64", "darwin_arm64", "windows_amd64", "freebsd_amd64")
PAGES = {
    "directory": "/directory/",
    "page 300": "/directory/?page=300",
    "search": "/directory/?q=wall",
    "search of two words": "/directory/?q=company+drif",
    "nothing found": "/directory/?q=nothing+like+it",
    "filters": "/directory/?product=Terraform&track=workflow&sort=support",
    "platform": "/directory/?platform=linux_arm64&sort=name",
    "listing": "",
    "partner": "/partners/company-7/",
    "Atom feed": "/feeds/directory.atom",
}
BASELINE_PAGES = ("/minimal/", "/plain/")


def create_listings() -> Listing:
    """Create listings of every program, category, and company, and return the first."""
    row, _, _ = build()
    fill(row, LISTINGS)
    now = timezone.now()
    programs = list(PROGRAMS.values())
    Integration.objects.update(released_at=now)
    listings = []
    for n, each in enumerate(Integration.objects.select_related("partner").order_by("pk")):
        program = programs[n % len(programs)]
        category = program.editions[-1].categories[n % len(program.editions[-1].categories)]
        name = f"{WORDS[n % 10].capitalize()} {n}"
        tier = program.editions[-1].release_tier
        settled_count = n % 40
        share = float(60 + n % 41)
        listings.append(
            Listing(
                integration=each,
                uuid=each.uuid,
                partner=each.partner,
                publisher=each.partner.name,
                publisher_slug=each.partner.slug,
                name=name,
                name_plain=normalize_text(name),
                program=program.key,
                product=program.product,
                track=program.partner_type,
                category=category.key,
                category_name=category.name,
                tier=tier.key,
                tier_name=tier.name,
                listing_status="suspended" if n % 50 == 7 else "listed",
                summary="Servers, networks and volumes as code.",
                version="1.4.2",
                on_time_share=share,
                settled_count=settled_count,
                search_text=normalize_text(
                    f"{name} {each.partner.name} {category.name} {program.product} {program.name} as code"
                ),
                is_public=True,
                listed_at=now - timedelta(hours=n),
                changed_at=now,
                rank=round(share * 10) if settled_count >= MIN_SAMPLE_SIZE else -1,
                figures_at=now,
                platforms=join_platforms(PLATFORMS[n % 5 :]),
            )
        )
    Listing.objects.bulk_create(listings, batch_size=500)
    return listings[0]


def measure_request_milliseconds(line: http.client.HTTPConnection, path: str) -> float:
    """Return the milliseconds until the whole response has arrived."""
    begin = time.perf_counter()
    line.request("GET", path, headers={"Host": "127.0.0.1"})
    answer = line.getresponse()
    answer.read()
    assert answer.status == 200, (path, answer.status)
    return (time.perf_counter() - begin) * 1000


def measure_p95s(line: http.client.HTTPConnection, paths: list[str]) -> list[float]:
    """Return the 95th percentile of each path in milliseconds. The paths take turns, so that all meet the same load."""
    took: list[list[float]] = [[] for _ in paths]
    for turn in range(REQUEST_COUNT + 5):
        for times, path in zip(took, paths, strict=True):
            once = measure_request_milliseconds(line, path)
            if turn >= 5:  # the first ones fill the caches
                times.append(once)
    return [quantiles(times, n=20)[-1] for times in took]


def main() -> int:
    call_command("migrate", verbosity=0)
    first = create_listings()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    server = Gunicorn()
    client = Client(HTTP_HOST="127.0.0.1")
    missed_targets = 0
    try:
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        print(f"{'page':<22}{'p95 ms':>8}{'minimal':>9}{'fifty rows':>12}{'x fifty rows':>14}{'queries':>9}  target")
        for name, path in PAGES.items():
            path = path or f"/directory/{first.uuid}/"
            minimal, baseline, took = measure_p95s(line, [*BASELINE_PAGES, path])
            count = count_queries(client, path)
            wrong = took / baseline > TARGET_RATIO or count > TARGET_QUERIES
            missed_targets += wrong
            words = "missed" if wrong else "met"
            print(f"{name:<22}{took:>8.1f}{minimal:>9.1f}{baseline:>12.1f}{took / baseline:>14.2f}{count:>9}  {words}")
    finally:
        server.stop()
    return 1 if missed_targets else 0


if __name__ == "__main__":
    raise SystemExit(main())
