"""Tests of the cache of figures."""

import pytest
from django.core.cache import cache

from portal.core import figures


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
