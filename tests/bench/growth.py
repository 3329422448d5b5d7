"""Every page and API operation as each role at growing sizes, each compared with a plain page of fifty rows.

    bin/bench growth --sizes 100,1000,10000 --only sla --roles rita

Fails if the ratio at the largest size is more than twice that at the smallest, or if a page needs more than
MAX_QUERIES queries or has more than MAX_BYTES bytes. Files grow with their rows and are listed with their seconds.
Prints a profile of the slowest pages at the largest size. --write puts it into docs/explanation/performance.md.
"""

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from operator import attrgetter
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.test import Client  # noqa: E402

from portal.api import throttling  # noqa: E402
from tests.bench import growth_profile, growth_world  # noqa: E402
from tests.portal import page_urls  # noqa: E402
from tests.portal.api import operations  # noqa: E402
from tests.portal.api.client import ApiClient  # noqa: E402
from tests.portal.api.test_api_access import create_clients_by_role  # noqa: E402
from tests.portal.rollback_requests import MAX_QUERIES, capture_queries, close_answer, create_client  # noqa: E402

ROLES = ("anonymous", "alice", "vera", "charlie", "rita", "sam")
MAX_BYTES = 300_000
MAX_GROWTH = 2.0
SMALLEST_RATIO = 1.0  # growth below the time of the plain page is noise
ROUNDS = 3
SLOW_SECONDS = 2.0  # a slower page is not visited again
PROFILED_PAGES = 5
Visit = Callable[[], Any]
Visits = dict[tuple[str, str], Visit]  # by page and role
visit_plain_page = partial(Client().get, "/plain/")


@dataclass(frozen=True, slots=True)
class Measure:
    """One page: its time divided by that of the plain page, its queries, bytes, status, and milliseconds."""

    ratio: float
    queries: int
    size: int
    status: int
    is_file: bool = False
    milliseconds: float = 0


Measures = dict[tuple[str, str], Measure]  # by page and role


def list_visits(world: growth_world.World, roles: list[str]) -> Visits:
    """Return a request for every address that can be read, by page or operation and role."""
    visits: Visits = {}
    clients: dict[str, Client] = {role: create_client(world["users"][role], Client) for role in roles}
    tokens: dict[str, ApiClient] = {role: each for role, each in create_clients_by_role(world).items() if role in roles}
    for name in sorted(page_urls.list_page_names()):
        url = page_urls.build_url(name, world)
        for role, client in clients.items():
            visits[name, role] = partial(client.get, url)
    for name, method, path in sorted(operations.list_operations()):
        url = operations.build_operation_url(name, path, world)
        for role, token in tokens.items() if method == "GET" else ():
            visits[f"api {name}", role] = partial(token.get, url)
    return visits


def measure(visit: Visit) -> Measure:
    """Visit a page a few times, and the plain page in between. Roll back what it writes."""
    seconds, answer, size = measure_seconds(visit)
    queries, _status = count_queries(visit)
    baseline = measure_seconds(visit_plain_page)[0]
    is_slow = seconds > SLOW_SECONDS
    for _ in range(0 if is_slow else ROUNDS if answer.status_code == 200 else 1):
        baseline = min(baseline, measure_seconds(visit_plain_page)[0])
        seconds = min(seconds, measure_seconds(visit)[0])
    is_file = answer.streaming or not answer.headers.get("Content-Type", "").startswith(
        ("text/html", "application/json")
    )
    is_file |= "attachment" in answer.headers.get("Content-Disposition", "")
    return Measure(seconds / baseline, queries, size, answer.status_code, is_file, seconds * 1000)


def count_queries(visit: Visit) -> tuple[int, int]:
    """Return the number of queries and the status of a visit."""
    with capture_queries() as queries:
        _seconds, answer, _size = measure_seconds(visit)
    return len(queries), answer.status_code


def measure_seconds(visit: Visit) -> tuple[float, Any, int]:
    """Return the seconds until the whole response has arrived, the response, and its size. Raises for a 429."""
    with transaction.atomic():
        begin = time.perf_counter()
        answer = visit()
        size = sum(map(len, answer.streaming_content)) if answer.streaming else len(answer.content)
        seconds = time.perf_counter() - begin
        close_answer(answer)
        transaction.set_rollback(True)
    if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        raise RuntimeError(f"A rate limit refused {answer.request['PATH_INFO']}, so that it can't be measured.")
    return seconds, answer, size


def find_problems(first: Measure, last: Measure) -> list[str]:
    """Return why a page misses its targets."""
    growth = last.ratio / max(first.ratio, SMALLEST_RATIO)
    problems = {
        f"grows {growth:.1f} times": growth > MAX_GROWTH,
        f"{last.queries} queries": last.queries > MAX_QUERIES,
        f"{last.size // 1000} kB": last.size > MAX_BYTES,
    }
    return [] if last.is_file else [problem for problem, is_present in problems.items() if is_present]


def remeasure(visits: Visits, first: Measures, last: Measures) -> None:
    """Visit pages again that seem to grow, because a busy machine slows pages down too."""
    for key in visits:
        if "grows" in str(find_problems(first[key], last[key])):
            last[key] = min(last[key], measure(visits[key]), key=attrgetter("ratio"))


def profile_slowest(visits: Visits, measures: Measures) -> str:
    """Return a table of where the slowest pages spend their time. A page counts once, for its slowest role."""
    slowest: dict[str, tuple[str, str]] = {}
    for key in sorted(measures, key=lambda key: -measures[key].milliseconds):
        if measures[key].status == 200 and not measures[key].is_file:
            slowest.setdefault(key[0], key)
    keys = list(slowest.values())[:PROFILED_PAGES]
    return growth_profile.format_table(
        {key: growth_profile.profile(partial(measure_seconds, visits[key])) for key in keys}
    )


def report(results: dict[int, Measures], *, every_role: bool) -> int:
    """Print a line per page, that of the role with the highest ratio. Return the number of pages with a problem."""
    sizes = sorted(results)
    roles = defaultdict(list)
    for name, role in results[sizes[-1]]:
        roles[name].append(role)
    print(f"{'page':<44}{'role':<10}" + "".join(f"{size:>9}" for size in sizes) + "  queries      kB  status  problem")
    count = 0
    for name in roles:
        by_role = {role: [results[size][name, role] for size in sizes] for role in roles[name]}
        problems = {role: find_problems(each[0], each[-1]) for role, each in by_role.items()}
        worst = max(by_role, key=lambda role: (len(problems[role]), by_role[role][-1].ratio))
        for role in by_role if every_role else [worst]:
            last = by_role[role][-1]
            ratios = "".join(f"{each.ratio:>9.1f}" for each in by_role[role])
            note = f"file, {last.milliseconds / 1000:.2f} s" if last.is_file else ", ".join(problems[role])
            print(f"{name:<44}{role:<10}{ratios}{last.queries:>9}{last.size / 1000:>8.0f}{last.status:>8}  {note}")
        count += any(problems.values())
    print(f"{len(roles)} pages and operations, {count} with a problem")
    return count


def main() -> int:
    parser = argparse.ArgumentParser(prog="bin/bench growth", description=__doc__)
    parser.add_argument("--sizes", default="100,1000,10000")
    parser.add_argument("--only", default="", help="pages whose name contains this")
    parser.add_argument("--roles", default=",".join(ROLES))
    parser.add_argument("--every-role", action="store_true", help="a line per role")
    parser.add_argument("--write", action="store_true", help="write the profile into the documentation")
    options = parser.parse_args()
    settings.API_REQUESTS_PER_MINUTE = throttling.ANONYMOUS_REQUESTS_PER_MINUTE = 10_000_000
    settings.ALLOWED_HOSTS = ["*"]
    call_command("migrate", verbosity=0)
    world = growth_world.build()
    growth_world.fill_lists(world)
    visits = {
        key: visit for key, visit in list_visits(world, options.roles.split(",")).items() if options.only in key[0]
    }
    results: dict[int, Measures] = {}
    for size in map(int, options.sizes.split(",")):
        growth_world.fill(world, size)
        results[size] = {key: measure(visit) for key, visit in visits.items()}
    remeasure(visits, results[min(results)], results[max(results)])
    problems = report(results, every_role=options.every_role)
    table = profile_slowest(visits, results[max(results)])
    print(f"\nSlowest pages at {max(results)} integrations, milliseconds:\n\n{table}")
    if options.write:
        growth_profile.write_table(table)
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
