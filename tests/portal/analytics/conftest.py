"""Clears cached forecasts before each test of analytics."""

from collections.abc import Iterator

import pytest

from portal.analytics import waiting_times


@pytest.fixture(autouse=True)
def clear_forecast_cache() -> Iterator[None]:
    waiting_times.clear_cache()
    yield
    waiting_times.clear_cache()
