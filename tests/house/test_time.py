"""Test that no test depends on the speed of the machine."""

import re

from tests.house.source import files, name

MEASURED_ELSEWHERE = ("tests/bench/", "tests/chaos/", "tests/soak/")
CLOCK = re.compile(r"\b(?:monotonic|perf_counter|process_time|thread_time)(?:_ns)?\(")


def test_no_test_measures_time():
    tests = [path for path in files("*test_*.py") if not name(path).startswith(MEASURED_ELSEWHERE)]
    assert [name(path) for path in tests if CLOCK.search(path.read_text())] == []
