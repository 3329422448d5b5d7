"""Test that no test depends on the speed of the machine."""

import re

from tests.codebase.project_files import list_files, relative_name

EXCLUDED_FOLDERS = ("tests/bench/", "tests/chaos/", "tests/soak/")
CLOCK_CALL_PATTERN = re.compile(r"\b(?:monotonic|perf_counter|process_time|thread_time)(?:_ns)?\(")


def test_no_test_measures_time():
    tests = [path for path in list_files("*test_*.py") if not relative_name(path).startswith(EXCLUDED_FOLDERS)]
    assert [relative_name(path) for path in tests if CLOCK_CALL_PATTERN.search(path.read_text())] == []
