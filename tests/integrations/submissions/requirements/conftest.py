"""Fixed time of the tests of requirement pages."""

from collections.abc import Iterator
from datetime import datetime

import pytest
import time_machine


@pytest.fixture(autouse=True)
def frozen_time(now: datetime) -> Iterator[None]:
    with time_machine.travel(now, tick=False):
        yield
