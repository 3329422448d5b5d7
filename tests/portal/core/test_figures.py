"""Tests of the cache of figures."""

from typing import Any

import pytest
from django.core.cache import cache

from integrations.submissions.models import Integration
from portal.core import figures
from tests.conftest import create_user


@pytest.mark.parametrize(("row_count", "expected"), [(501, [501, 501]), (500, [500, 501])])
def test_figures_of_many_rows_are_cached(row_count: int, expected: list[int]) -> None:
    cache.clear()
    counts = iter((row_count, row_count + 1))
    key = f"test {row_count}"
    assert [figures.read_figures(key, lambda: next(counts), int, seconds=60) for _ in range(2)] == expected


def test_refresh_counts_figures_again() -> None:
    cache.clear()
    counts = iter((501, 502))
    figures.read_figures("refreshed", lambda: next(counts), int)
    with figures.refresh_figures():
        assert figures.read_figures("refreshed", lambda: next(counts), int) == 502
    assert figures.read_figures("refreshed", lambda: 0, int) == 502


def test_key_names_a_query_without_possible_rows() -> None:
    assert figures.build_key("count", Integration.objects.filter(partner_id__in=[])) == "count of no rows"


@pytest.mark.parametrize("address", ["/sla/", "/sla/?page=2", "/sla/trends/", "/integrations/?page=2"])
def test_pages_of_figures_open_without_a_company(db: None, sign_in: Any, address: str) -> None:
    assert sign_in(create_user("new@new.example", "Nell New")).get(address).status_code == 200
