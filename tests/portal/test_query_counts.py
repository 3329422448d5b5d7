"""Tests that no page and no operation needs many queries, and none more when there is more to show."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache

from tests.bench import growth, growth_world
from tests.portal.asking import MAX_QUERIES

ROLES = ("alice", "rita")
SMALL, LARGE = 540, 780  # in both, lists are longer than a page, so that their rows are counted


@pytest.fixture(scope="module")
def small_world(once: Callable[[Callable[[], Any]], dict[str, Any]]) -> dict[str, Any]:
    """One of everything, and companies with several integrations each."""

    def build() -> growth_world.World:
        world = growth_world.build()
        growth_world.fill(world, SMALL, acme_every=2)
        return world

    return once(build)


def count_queries(visit: growth.Visit) -> int:
    """Count without the figures of an earlier visit, which the cache has for a while."""
    cache.clear()
    return growth.count_queries(visit)[0]


@pytest.mark.any_database
def test_queries_do_not_grow(small_world: dict[str, Any], db: None, settings: Any) -> None:
    settings.MEDIA_ROOT, settings.API_REQUESTS_PER_MINUTE = small_world["folder"], 100_000
    visits = {
        key: visit
        for key, visit in growth.list_visits(small_world, list(ROLES)).items()
        if growth.measure_seconds(visit)[1].status_code == 200
    }
    before = {key: count_queries(visit) for key, visit in visits.items()}
    growth_world.fill(small_world, LARGE, acme_every=2)
    after = {key: count_queries(visit) for key, visit in visits.items()}
    assert len(visits) > 250
    assert {key: (before[key], count) for key, count in after.items() if count > before[key]} == {}
    assert {key: count for key, count in after.items() if count > MAX_QUERIES} == {}
    page = visits["directory:partner", "alice"]()
    assert (len(page.context["current"]), page.context["current"].paginator.count) == (24, 210)
