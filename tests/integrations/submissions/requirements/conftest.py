"""The pages are read at the fixed moment of the cast."""

import pytest
import time_machine


@pytest.fixture(autouse=True)
def frozen(now):
    with time_machine.travel(now, tick=False):
        yield
