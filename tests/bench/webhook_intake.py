"""Webhook intake compared with a minimal one, and both under load while web workers are killed.

    bin/bench webhook_intake                  both parts, 60 s of load for each
    bin/bench webhook_intake --seconds 15     less load

Both servers are gunicorn with the same workers on the same durable PostgreSQL; payloads have 6 kB. Only the ratios
matter, because the client runs on the same cores.
"""

import argparse
import http.client
import json
import os
import random
import signal
import sys
import threading
import time
from contextlib import ExitStack
from statistics import median

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from integrations.sla.github import delivery_processing  # noqa: E402
from integrations.sla.models import GitHubDelivery, MonitoredRepository  # noqa: E402
from tests.bench.monitored_repositories import SECRET, create_monitored_repositories  # noqa: E402
from tests.bench.server import Gunicorn  # noqa: E402
from tests.bench.webhook_sender import Sender  # noqa: E402
from tests.fakes.github.tracker import Person, Tracker  # noqa: E402

APPLICATIONS = {"minimal": "tests.bench.minimal_intake", "portal": "portal.wsgi"}
REPOSITORIES = 50
WORKERS = 3
CLIENTS = 16
ROUNDS = 7
ROUND_SECONDS = 3.0
LOAD_ROUNDS = 4  # of each intake in turn, so that other programs slow down both
OFFERED_RATE = 210  # requests per second
RATE = 200  # acknowledged requests per second
KILL_EVERY = 2.0
TARGET_RATIO = 0.75
TARGET_P99_RATIO = 3.0


def start_server(application: str) -> Gunicorn:
    """Start an intake, and wait until its workers have started."""
    server = Gunicorn(application, workers=WORKERS, threads=4)
    time.sleep(1)
    return server


def send_at_full_speed(server: Gunicorn, sender: Sender, seconds: float) -> tuple[float, float]:
    """Send requests as fast as they are answered. Return requests per second and the CPU milliseconds per request."""
    until = time.monotonic() + seconds
    before = server.read_cpu_seconds()
    start = time.monotonic()

    def send(first: int) -> None:
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        number = first
        while time.monotonic() < until:
            sender.post(line, number, time.monotonic())
            number += 4
        line.close()

    _run_threads(send, 4)
    count = len(sender.acknowledged)
    if sender.refused or not count:
        raise RuntimeError(f"{server.application} answered {set(sender.refused)}")
    return count / (time.monotonic() - start), (server.read_cpu_seconds() - before) / count * 1000


def send_under_load(server: Gunicorn, sender: Sender, seconds: float) -> int:
    """Send OFFERED_RATE requests per second, timed from when each is due, and kill workers. Return how many died."""
    start = time.monotonic() + 0.5
    total = int(OFFERED_RATE * seconds)
    killed_workers = []
    over = threading.Event()

    def send(first: int) -> None:
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        for number in range(first, total, CLIENTS):
            due = start + number / OFFERED_RATE
            time.sleep(max(0.0, due - time.monotonic()))
            sender.post(line, number, due)
        line.close()

    def kill() -> None:
        rng = random.Random(1)
        while not over.wait(KILL_EVERY):
            workers = server.list_workers()
            if len(workers) == WORKERS:
                victim = rng.choice(workers)
                os.kill(victim, signal.SIGKILL)
                killed_workers.append(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    _run_threads(send, CLIENTS)
    sender.elapsed_seconds = time.monotonic() - start
    over.set()
    killer.join()
    return len(killed_workers)


def _run_threads(work: object, count: int) -> None:
    threads = [threading.Thread(target=work, args=(n,)) for n in range(count)]  # type: ignore[arg-type]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def build_payload() -> bytes:
    """Return a payload of about 6 kB, as GitHub sends, with a placeholder that makes each one different."""
    tracker = Tracker("bench/terraform-provider", 4711)
    tracker.open(Person(5, "uma"), "NUMBER", timezone.now(), body="It does not do what it should. " * 150)
    return json.dumps(json.loads(tracker.webhooks[0].body)).encode()


def compare(monitored_repositories: list[MonitoredRepository]) -> bool:
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in APPLICATIONS}
    with ExitStack() as stack:
        servers = {}
        for name, application in APPLICATIONS.items():
            servers[name] = start_server(application)
            stack.callback(servers[name].stop)
        for number in range(ROUNDS):
            for name, server in servers.items():
                sender = Sender(monitored_repositories, build_payload(), f"{name}{number}")
                rates[name].append(send_at_full_speed(server, sender, ROUND_SECONDS))
    middle = {name: [median(column) for column in zip(*rows, strict=True)] for name, rows in rates.items()}
    ratio = middle["portal"][0] / middle["minimal"][0]
    cpu = middle["minimal"][1] / middle["portal"][1]
    is_met = ratio >= TARGET_RATIO
    print("intake       requests/s   CPU ms")
    for name, (rate, milliseconds) in middle.items():
        print(f"{name:<12}{rate:>11.0f}{milliseconds:>9.2f}")
    print(f"ratio {ratio:.2f} of the minimal intake (by CPU {cpu:.2f})", end=" ")
    print(f"(target ≥ {TARGET_RATIO}) {'met' if is_met else 'missed'}")
    return is_met


def percentile(seconds: list[float], share: float) -> float:
    """Return a percentile in milliseconds."""
    return sorted(seconds)[int(len(seconds) * share)] * 1000


def load_intake(application: str, sender: Sender, seconds: float) -> int:
    """Put an intake under load and return how many of its workers were killed."""
    server = start_server(application)
    try:
        return send_under_load(server, sender, seconds)
    finally:
        server.stop()


def compare_under_load(monitored_repositories: list[MonitoredRepository], seconds: float) -> bool:
    """Put both intakes under load in turn, and compare what the database has with what was acknowledged."""
    GitHubDelivery.objects.all().delete()
    senders: dict[str, list[Sender]] = {name: [] for name in APPLICATIONS}
    kill_counts = dict.fromkeys(senders, 0)
    for number in range(LOAD_ROUNDS):
        for name, application in APPLICATIONS.items():
            senders[name].append(Sender(monitored_repositories, build_payload(), f"load-{name}-{number}"))
            kill_counts[name] += load_intake(application, senders[name][-1], seconds / LOAD_ROUNDS)
    print(f"\n{OFFERED_RATE} requests/s for {seconds:.0f} s")
    print("intake       acknowledged/s  kills  disconnected  refused  missing  p50 ms  p99 ms  max ms")
    p99 = {}
    is_complete = True
    for name, rounds in senders.items():
        times = [duration for sender in rounds for duration in sender.seconds]
        missing = count_missing(rounds)
        rate = sum(len(sender.acknowledged) for sender in rounds) / sum(sender.elapsed_seconds for sender in rounds)
        p99[name] = percentile(times, 0.99)
        disconnected = sum(sender.lost for sender in rounds)
        refused = sum(len(sender.refused) for sender in rounds)
        print(
            f"{name:<12}{rate:>15.0f}{kill_counts[name]:>7}{disconnected:>14}{refused:>9}{missing:>9}"
            f"{percentile(times, 0.5):>8.0f}{p99[name]:>8.0f}{max(times) * 1000:>8.0f}"
        )
        is_complete = is_complete and missing == 0 and rate >= RATE
    ratio = p99["portal"] / p99["minimal"]
    is_met = is_complete and ratio <= TARGET_P99_RATIO
    print(f"p99 {ratio:.1f} × that of the minimal intake", end=" ")
    print(
        f"(target ≤ {TARGET_P99_RATIO}, no delivery missing, ≥ {RATE} acknowledged/s) {'met' if is_met else 'missed'}"
    )
    return is_met


def count_missing(senders: list[Sender]) -> int:
    """Return the number of deliveries that were acknowledged but are not in the database."""
    deliveries = set(GitHubDelivery.objects.values_list("monitored_repository_id", "delivery_id"))
    return len({delivery for sender in senders for delivery in sender.acknowledged} - deliveries)


def process_deliveries() -> None:
    """Process the stored deliveries into events and clocks, and print the rate."""
    start = time.monotonic()
    count = delivery_processing.process_due_deliveries(timezone.now())
    seconds = time.monotonic() - start
    print(f"\nprocessed into events and clocks: {count} deliveries in {seconds:.1f} s, {count / seconds:.0f}/s")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bin/bench webhook_intake", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="duration of the load")
    parser.add_argument("--load-only", action="store_true", help="leave out the comparison at full speed")
    args = parser.parse_args()
    os.environ["BENCH_SECRET"] = SECRET
    call_command("migrate", verbosity=0)
    repositories = create_monitored_repositories(REPOSITORIES)
    is_met = [args.load_only or compare(repositories), compare_under_load(repositories, args.seconds)]
    process_deliveries()
    return 0 if all(is_met) else 1


if __name__ == "__main__":
    sys.exit(main())
