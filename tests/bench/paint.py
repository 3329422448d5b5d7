"""Paint times: milliseconds until the largest part of each public page is painted in Chromium.

The journeys check the size of these pages and their layout shifts; this measures how soon they appear.
"""

import os
import sys
import tempfile
from io import StringIO
from pathlib import Path
from statistics import median

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in the thread of the queries
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from portal.directory.models import Listing  # noqa: E402
from tests.chromium import CHROMIUM, FLAGS  # noqa: E402
from tests.journeys.vitals import Vitals, serve_as_in_production  # noqa: E402

MAX_MILLISECONDS = 1000.0
VISITS = 3


def find_pages() -> dict[str, str]:
    """Return the public pages of the demo world by name."""
    listing = Listing.objects.order_by("pk")[0]
    listing_path = f"/directory/{listing.uuid}/"
    paths = (
        "/",
        "/directory/",
        "/directory/?q=rocket",
        listing_path,
        f"{listing_path}badge/",
        "/run-tasks/",
        "/programs/",
        "/help/",
        "/status/",
    )
    return {path.replace(str(listing.uuid), "…"): path for path in (*paths, "/help/glossary/", "/verify/", "/api/docs")}


def main() -> int:
    if CHROMIUM is None:
        print("not run: there is no Chromium on this machine")
        return 0
    call_command("migrate", verbosity=0)
    call_command("load_demo", verbosity=0, stdout=StringIO())
    missed_targets = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_as_in_production(Path(folder)) as base,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, path in find_pages().items():
            vitals = [Vitals.measure(browser, base + path) for _ in range(VISITS)]
            best = min(each.lcp for each in vitals)
            middle = median(each.lcp for each in vitals)
            missed_targets += best > MAX_MILLISECONDS
            words = "missed" if best > MAX_MILLISECONDS else "met"
            print(f"{name:<24} {best:6.0f} ms, median {middle:6.0f}, {vitals[0].kilobytes:5.1f} kB  {words}")
        browser.close()
    return 1 if missed_targets else 0


if __name__ == "__main__":
    sys.exit(main())
