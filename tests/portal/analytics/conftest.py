"""What do these tests begin with? No forecast that another test left behind."""

from collections.abc import Iterator

import pytest

from portal.analytics import waiting_times


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    waiting_times.clear_cache()
    yield
    waiting_times.clear_cache()
