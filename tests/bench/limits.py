"""Time limits: how long hostile input, slow servers and an unreachable Redis can keep the portal busy.

The tests check the results. This measures the CPU time of hostile input, which other programs hardly change, and the
elapsed time of waiting for servers.
"""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
django.setup()

from django.core.cache import caches  # noqa: E402
from django.test import override_settings  # noqa: E402

from integrations.sla.engine.comment_classifier import build_fingerprint, has_request, is_answer  # noqa: E402
from portal.core.cache import FaultTolerantRedisCache  # noqa: E402
from portal.jobs.broker import can_reach_broker  # noqa: E402
from tests.integrations.sla.engine.test_comment_classifier import HOSTILE_COMMENTS  # noqa: E402
from tests.verification.checks.rules.test_listing import HOSTILE_PAGES  # noqa: E402
from tests.verification.releases import test_timeouts as timeouts  # noqa: E402
from tests.verification.sources.test_repository_snapshot import HOSTILE_TEXTS, READERS  # noqa: E402
from verification.sources.html_pages import extract_links, parse_page  # noqa: E402

Calls = list[Callable[[], object]]


@dataclass(frozen=True, slots=True)
class Case:
    """Calls, the seconds that each may take, and the clock that measures them."""

    name: str
    max_seconds: float
    calls: Calls
    clock: Callable[[], float] = time.process_time

    def measure(self) -> float:
        """Return the seconds of the slowest call."""
        return max(map(self._measure_call, self.calls))

    def _measure_call(self, call: Callable[[], object]) -> float:
        begin = self.clock()
        call()
        return self.clock() - begin


def list_cases() -> Iterator[Case]:
    """Yield everything that is measured."""
    for read in READERS:
        yield Case(f"source code: {read.__name__}", 2.0, [partial(read, text) for text in HOSTILE_TEXTS])
    for classify in (is_answer, has_request, build_fingerprint):
        yield Case(f"comments: {classify.__name__}", 1.5, [partial(classify, text) for text in HOSTILE_COMMENTS])
    yield Case("pages: text", 3.0, [partial(parse_page, text.encode()) for text in HOSTILE_PAGES])
    yield Case("pages: links", 3.0, [partial(extract_links, text) for text in HOSTILE_PAGES])
    waits: dict[str, tuple[float, Callable[[], object]]] = {
        "stalled registry, limit 0.5 s": (
            3.0,
            partial(timeouts.verify_slow_release, timeouts.build_stalled_packages, seconds=0.5),
        ),
        "slow downloads, limit 1 s": (
            4.0,
            partial(timeouts.verify_slow_release, timeouts.build_slow_downloads, seconds=1),
        ),
        "cache without Redis": (1.0, partial(call_without_redis, read_cache)),
        "broker without Redis": (1.0, partial(call_without_redis, can_reach_broker)),
    }
    for name, (max_seconds, call) in waits.items():
        yield Case(name, max_seconds, [call], time.monotonic)


def read_cache() -> None:
    """Read from a cache that hasn't noticed yet that Redis is unavailable."""
    FaultTolerantRedisCache.retry_at = 0.0
    caches["default"].get("key")


def call_without_redis(call: Callable[[], object]) -> None:
    """Call a function while the server at the address of Redis accepts connections but never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"redis://127.0.0.1:{listener.getsockname()[1]}/0"
        cache = {"default": {"BACKEND": "portal.core.cache.FaultTolerantRedisCache", "LOCATION": url}}
        with override_settings(REDIS_URL=url, CACHES=cache):
            call()


def main() -> int:
    missed_targets = 0
    for case in list_cases():
        seconds = case.measure()
        is_missed = seconds > case.max_seconds
        missed_targets += is_missed
        unit = "s" if case.clock is time.monotonic else "CPU s"
        words = "missed" if is_missed else "met"
        print(f"{case.name:<40} {seconds:6.2f} {unit:<5}  at most {case.max_seconds:.1f}  {words}")
    return 1 if missed_targets else 0


if __name__ == "__main__":
    sys.exit(main())
