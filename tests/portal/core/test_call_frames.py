"""Tests that the frames of nested calls share one chunk of memory."""

from resource import RUSAGE_THREAD, getrusage
from threading import Thread

from portal.core.call_frames import keep_frames_together

ROUNDS = 2000


def count_page_faults(depth: int) -> int:
    """Count the pages of memory that calls in a loop touch first, with `depth` calls around the loop."""
    if depth:
        return count_page_faults(depth - 1)
    before = getrusage(RUSAGE_THREAD).ru_minflt
    for _ in range(ROUNDS):
        call_function()
    return getrusage(RUSAGE_THREAD).ru_minflt - before


def call_function(one: int = 1, two: int = 2, three: int = 3, four: int = 4) -> int:
    return one  # with as many variables as other functions: a smaller frame happens to fit at each depth


def test_loop_maps_no_memory_in_each_round_at_any_call_depth() -> None:
    counts: list[int] = []
    count = keep_frames_together(count_page_faults)
    thread = Thread(target=lambda: counts.extend(count(depth) for depth in range(300)))
    thread.start()
    thread.join()
    assert [each for each in counts if each >= ROUNDS] == []
    assert len(counts) == 300


def test_arguments_and_result_are_those_of_the_function() -> None:
    assert keep_frames_together(divmod)(7, 2) == (3, 1)
    assert keep_frames_together(dict)(a=1) == {"a": 1}
