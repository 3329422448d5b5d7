"""Fixed time of the tests of requirement pages."""

import pytest
import time_machine


@pytest.fixture(autouse=True)
def frozen_time(now):
    with time_machine.travel(now, tick=False):
        yield
