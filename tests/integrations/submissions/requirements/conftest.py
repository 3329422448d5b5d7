"""Fixtures that fix the time of the requirement pages."""

import pytest
import time_machine


@pytest.fixture(autouse=True)
def frozen(now):
    with time_machine.travel(now, tick=False):
        yield
