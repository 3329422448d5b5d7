"""GitHub requests for a thousand monitored repositories in a quiet and a busy hour.

An hour is simulated in steps of 30 seconds. In a busy hour, every tenth repository has activity every six minutes, and
one webhook in twenty is lost. “No hooks” means a hundred repositories without webhooks. Responses with the status “not
modified” don't count toward GitHub's hourly limit.
"""

import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import datetime, timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from integrations.sla.github import delivery_processing, reconciliation  # noqa: E402
from integrations.sla.models import GitHubDelivery, MonitoredRepository, SlaClock, SupportIssue  # noqa: E402
from tests.bench.monitored_repositories import create_monitored_repositories  # noqa: E402
from tests.fakes.github.proxy import Proxy  # noqa: E402
from tests.fakes.github.server import TOKEN  # noqa: E402
from tests.fakes.github.tracker import Person, Tracker  # noqa: E402
from tests.integrations.sla.monitored_repository import disable_delete_guard  # noqa: E402
from verification.sources.errors import SourceUnavailableError  # noqa: E402
from verification.sources.github.api import GitHubApi, build_token_auth  # noqa: E402
from verification.sources.github.issues import EtagStore  # noqa: E402
from verification.sources.github.requester import RateLimiter  # noqa: E402

COUNT = 1000
WITHOUT_HOOKS = 100
STEP = timedelta(seconds=30)
HOUR = timedelta(hours=1)
# Of the 5,000 requests per hour that GitHub allows a token
MAX_COUNTED_REQUESTS = {"quiet": 1500, "busy": 5000}
UMA = Person(501, "uma")
ALICE = Person(601, "alice", "MEMBER")


class CountingRateLimiter(RateLimiter):
    """A rate limiter that allows every request and counts the responses by status."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()

    def record_response(self, status: int, headers: Mapping[str, str], message: str = "") -> None:
        self.statuses[status] += 1


class World:
    """Repositories with two issues each, already read once, for which an hour can be simulated."""

    def __init__(self, count: int, now: datetime, *, hooks: bool) -> None:
        self.rng = random.Random(7)
        self.rate_limiter = CountingRateLimiter()
        self.proxy = Proxy()
        self.proxy.state.tokens.add(TOKEN)
        threading.Thread(target=self.proxy.serve_forever, daemon=True).start()
        self.monitored_repositories = list(MonitoredRepository.objects.order_by("pk")[:count])
        self.trackers = {
            monitored_repository.pk: self.create_tracker(monitored_repository, now)
            for monitored_repository in self.monitored_repositories
        }
        MonitoredRepository.objects.update(began_at=now - timedelta(days=9), poll_at=None, cursors={}, etags={})
        MonitoredRepository.objects.filter(pk__in=self.trackers).update(poll_at=now)
        for polled_at in (now, now + timedelta(minutes=2)):
            MonitoredRepository.objects.filter(pk__in=self.trackers).update(poll_at=polled_at)
            self.poll(polled_at)
        self.spread_polls(now, hooks)

    def create_tracker(self, monitored_repository: MonitoredRepository, now: datetime) -> Tracker:
        tracker = Tracker(monitored_repository.repository, monitored_repository.repository_id or 0)
        for days in (7, 5):
            number = tracker.open(UMA, "It crashes", now - timedelta(days=days))
            tracker.comment(number, ALICE, "It is fixed in 1.2.", now - timedelta(days=days - 1))
        tracker.webhooks.clear()
        self.proxy.state.trackers[monitored_repository.repository.lower()] = tracker
        return tracker

    def spread_polls(self, now: datetime, hooks: bool) -> None:
        """Spread the daily and hourly polls over all minutes, as after weeks of operation."""
        rows = list(MonitoredRepository.objects.filter(pk__in=self.trackers))
        for row in rows:
            row.cursors["full_at"] = (now - self.rng.random() * timedelta(days=1)).isoformat()
            row.cursors.pop("missed_at", None)
            row.last_delivery_at = now if hooks else None
            row.poll_at = now + self.rng.random() * (reconciliation.calculate_next_poll(row, now) - now)
        MonitoredRepository.objects.bulk_update(rows, ["cursors", "poll_at", "last_delivery_at"])
        self.rate_limiter.statuses.clear()
        self.proxy.state.requests.clear()

    def poll(self, now: datetime) -> None:
        etag_cache = EtagStore({}, {})
        due = MonitoredRepository.objects.filter(poll_at__lte=now).order_by("poll_at")
        with closing(self.connect(etag_cache)) as api:
            for pk in list(due.values_list("pk", flat=True)):
                with suppress(SourceUnavailableError):
                    reconciliation.reconcile_repository(pk, now, api, etag_cache)

    def connect(self, etags: EtagStore) -> GitHubApi:
        return GitHubApi(self.proxy.url, build_token_auth(TOKEN), self.rate_limiter, etags)

    def simulate_hour(self, now: datetime, *, busy: bool) -> None:
        step = 0
        until = now + HOUR
        while now < until:
            if busy:
                self.add_activity(step, now)
                delivery_processing.process_due_deliveries(now)
            self.poll(now)
            now += STEP
            step += 1

    def add_activity(self, step: int, now: datetime) -> None:
        """Open an issue in every tenth repository at one of twelve steps, which is every six minutes."""
        for place, monitored_repository in enumerate(self.monitored_repositories[::10]):
            if place % 12 != step % 12:
                continue
            tracker = self.trackers[monitored_repository.pk]
            number = tracker.open(UMA, "It hangs", now)
            tracker.comment(number, ALICE, "Which version do you use?", now)
            for delivery in tracker.webhooks:
                if self.rng.random() < 0.95:
                    row = {"event": delivery.event, "digest": delivery.id, "body": delivery.body, "received_at": now}
                    GitHubDelivery.objects.create(
                        monitored_repository=monitored_repository, delivery_id=delivery.id, **row
                    )
            tracker.webhooks.clear()

    def close(self) -> None:
        self.proxy.shutdown()
        self.proxy.server_close()


def measure_hour(name: str, count: int, *, busy: bool, hooks: bool) -> bool:
    now = timezone.now().replace(microsecond=0)
    began = time.monotonic()
    with disable_delete_guard():
        for model in (GitHubDelivery, SlaClock, SupportIssue):
            model.objects.all().delete()
    world = World(count, now, hooks=hooks)
    try:
        world.simulate_hour(now + timedelta(minutes=3), busy=busy)
    finally:
        world.close()
    request_count = len(world.proxy.state.requests)
    not_modified_count = world.rate_limiter.statuses[304]
    counted_requests = request_count - not_modified_count
    target = MAX_COUNTED_REQUESTS.get(name)
    is_met = target is None or counted_requests <= target
    target_text = f"≤ {target}: {'met' if is_met else 'missed'}" if target else ""
    elapsed_seconds = time.monotonic() - began
    counts = f"{count:>12} {request_count:>10} {not_modified_count:>14} {counted_requests:>10}"
    print(f"{name:<10} {counts}   {target_text:<14} {elapsed_seconds:.0f} s")
    return is_met


def main() -> int:
    call_command("migrate", verbosity=0)
    create_monitored_repositories(COUNT)
    print("hour       repositories   requests   not modified   counting   target         took")
    is_met = [
        measure_hour("quiet", COUNT, busy=False, hooks=True),
        measure_hour("busy", COUNT, busy=True, hooks=True),
        measure_hour("no hooks", WITHOUT_HOOKS, busy=False, hooks=False),
    ]
    return 0 if all(is_met) else 1


if __name__ == "__main__":
    sys.exit(main())
