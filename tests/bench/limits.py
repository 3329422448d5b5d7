"""Time limits: how long hostile input, slow servers and an unreachable Redis can keep the portal busy.

The tests check the results. This measures the time, with aims that an idle machine meets easily.
"""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
django.setup()

from django.core.cache import caches  # noqa: E402
from django.test import override_settings  # noqa: E402

from integrations.sla.engine.comment_classifier import build_fingerprint, has_request, is_answer  # noqa: E402
from portal.core.cache import FaultTolerantRedisClient  # noqa: E402
from portal.jobs.broker import can_reach_broker  # noqa: E402
from tests.integrations.sla.engine.test_comment_classifier import HOSTILE_COMMENTS  # noqa: E402
from tests.verification.checks.rules.test_listing import HOSTILE_PAGES  # noqa: E402
from tests.verification.releases import test_timeouts as timeouts  # noqa: E402
from tests.verification.sources.test_repository_snapshot import HOSTILE_TEXTS, READERS  # noqa: E402
from verification.sources.html_pages import extract_links, parse_page  # noqa: E402

Case = tuple[str, float, list[Callable[[], object]]]  # name, seconds that each call may take, and the calls


def list_cases() -> Iterator[Case]:
    """Yield everything that is measured."""
    for read in READERS:
        yield f"source code: {read.__name__}", 2.0, [partial(read, text) for text in HOSTILE_TEXTS]
    for classify in (is_answer, has_request, build_fingerprint):
        yield f"comments: {classify.__name__}", 1.5, [partial(classify, text) for text in HOSTILE_COMMENTS]
    yield "pages: text", 3.0, [partial(parse_page, text.encode()) for text in HOSTILE_PAGES]
    yield "pages: links", 3.0, [partial(extract_links, text) for text in HOSTILE_PAGES]
    stalled = timeouts.build_stalled_packages
    slow = timeouts.build_slow_downloads
    yield "stalled registry, limit 0.5 s", 3.0, [partial(timeouts.verify_slow_release, stalled, seconds=0.5)]
    yield "slow downloads, limit 1 s", 4.0, [partial(timeouts.verify_slow_release, slow, seconds=1)]
    yield "cache without Redis", 1.0, [partial(call_without_redis, read_cache)]
    yield "broker without Redis", 1.0, [partial(call_without_redis, can_reach_broker)]


def read_cache() -> None:
    """Read from a cache that hasn't noticed yet that Redis is unavailable."""
    FaultTolerantRedisClient.retry_at = 0.0
    caches["default"].get("key")


def call_without_redis(call: Callable[[], object]) -> None:
    """Call a function while the server at the address of Redis accepts connections but never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"redis://127.0.0.1:{listener.getsockname()[1]}/0"
        cache = {"default": {"BACKEND": "portal.core.cache.FaultTolerantRedisCache", "LOCATION": url}}
        with override_settings(REDIS_URL=url, CACHES=cache):
            call()


def measure(run: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    begin = time.monotonic()
    run()
    return time.monotonic() - begin


def main() -> int:
    missed_aims = 0
    for name, most, runs in list_cases():
        seconds = max(map(measure, runs))
        missed_aims += seconds > most
        print(f"{name:<40} {seconds:6.2f} s  at most {most:.1f}  {'missed' if seconds > most else 'met'}")
    return 1 if missed_aims else 0


if __name__ == "__main__":
    sys.exit(main())
