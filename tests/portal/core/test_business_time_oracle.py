"""Compares the clock with the minute-by-minute oracle. bin/soak does so more often."""

from itertools import islice

import pytest

from tests.clock_oracle.cases import describe_difference, draw_cases

CASES = 2000
PARTS = 4


@pytest.mark.parametrize("seed", range(PARTS))
def test_clock_agrees_with_the_minute_by_minute_oracle(seed: int) -> None:
    differences = (describe_difference(case) for case in draw_cases(CASES // PARTS, seed))
    assert list(islice(filter(None, differences), 3)) == []
