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
