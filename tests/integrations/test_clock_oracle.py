"""Does the clock agree with somebody who watches the wall minute by minute? bin/soak asks the same more often."""

from itertools import islice

from tests.oracle.cases import cases, difference

CASES = 2000


def test_the_clock_agrees_with_the_minute_by_minute_oracle() -> None:
    found = (difference(case) for case in cases(CASES, seed=2026))
    assert list(islice(filter(None, found), 3)) == []
