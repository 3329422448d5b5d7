"""Tests that nothing grows with the data: no page or operation needs more queries, and no form offers more options."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from integrations.programs.registry import PROGRAMS
from portal.analytics import waiting_times
from tests.bench import growth, growth_world
from tests.portal.rollback_requests import MAX_QUERIES, capture_queries

pytestmark = pytest.mark.any_database
# Lists are longer than a page with both, so that their rows are counted.
SMALL = 1_100
LARGE = 4_400
ACME_EVERY = {SMALL: 4, LARGE: 15}  # over 200 integrations of Acme, and over 200 companies
MAX_OPTIONS = 200
CONSTANT_LISTS = {"zone", "country"}  # time zones and countries, which don't grow
LIST = re.compile(r"<(select|datalist)\b([^>]*)>(.*?)</\1>", re.DOTALL)
# Without a name, it is no option of a form.
CHOICE = re.compile(r'<input\b(?=[^>]*\bname=)[^>]*\btype="(?:checkbox|radio)"[^>]*>')
NAME = re.compile(r'\b(?:name|id)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class VisitResult:
    """Number of queries of a visit, and of options by list if it is a page."""

    queries: int
    options: dict[str, int] = field(default_factory=dict)


@pytest.fixture(scope="module")
def small_world(build_once: Callable[[Callable[[], Any]], dict[str, Any]]) -> dict[str, Any]:
    """Return one object of each kind, and companies with several integrations each."""

    def build_small_world() -> growth_world.World:
        world = growth_world.build()
        growth_world.fill(world, SMALL, ACME_EVERY[SMALL])
        return world

    return build_once(build_small_world)


def cache_forecasts() -> None:
    """Compute all forecasts, which each process keeps for ten minutes, so that none expires during the visits."""
    waiting_times.clear_cache()
    for program, stage in product(PROGRAMS, waiting_times.STAGE_SUBJECTS):
        waiting_times.get_forecast(program, stage, timezone.now())


def measure_visits(visits: growth.Visits) -> dict[tuple[str, str], VisitResult]:
    """Visit all URLs that answer, each with an empty cache of the portal."""
    cache_forecasts()
    results: dict[tuple[str, str], VisitResult] = {}
    for key, visit in visits.items():
        cache.clear()
        with capture_queries() as queries:
            answer = growth.measure_seconds(visit)[1]
        if answer.status_code == 200:
            is_page = answer.headers.get("Content-Type", "").startswith("text/html")
            results[key] = VisitResult(len(queries), dict(count_options(answer.text)) if is_page else {})
    return results


def count_options(page: str) -> Iterator[tuple[str, int]]:
    """Yield the name and the number of options of each list of a page."""
    for _tag, attributes, options in LIST.findall(page):
        yield NAME.search(attributes)[1], options.count("<option")  # type: ignore[index]
    yield from Counter(NAME.search(choice)[1] for choice in CHOICE.findall(page)).items()  # type: ignore[index]


def test_options_are_counted_by_list() -> None:
    page = '<select class="s" name="a"><option><option></select><input type="radio" name="b"><input type="text">'
    assert dict(count_options(page)) == {"a": 2, "b": 1}


def test_queries_and_options_do_not_grow(small_world: dict[str, Any], db: None, settings: Any) -> None:
    settings.MEDIA_ROOT = small_world["folder"]
    settings.API_REQUESTS_PER_MINUTE = 100_000
    visits = growth.list_visits(small_world, ["alice", "rita", "sam"])
    of_partners_and_reviewers = {key: visit for key, visit in visits.items() if key[1] != "sam"}
    before = measure_visits(of_partners_and_reviewers)
    growth_world.fill(small_world, LARGE, ACME_EVERY[LARGE])
    after = measure_visits(
        of_partners_and_reviewers | {key: visits[key] for key in visits if not key[0].startswith("api ")}
    )

    assert len(before) > 250
    queries = {key: (result.queries, after[key].queries) for key, result in before.items()}
    assert {key: pair for key, pair in queries.items() if pair[1] > min(pair[0], MAX_QUERIES)} == {}

    options = {(*key, name): count for key, result in after.items() for name, count in result.options.items()}
    assert {name for (*_, name), count in options.items() if count > MAX_OPTIONS} == CONSTANT_LISTS
    assert len(options) > 100
    page = visits["directory:partner", "alice"]()
    assert (len(page.context["current"]), page.context["current"].paginator.count) == (24, 270)
