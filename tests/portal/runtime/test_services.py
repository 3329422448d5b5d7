"""Test of threads in processes of bin/up."""

from functools import partial
from threading import Event

from portal.runtime.child_process import do_nothing
from portal.runtime.forked_process import ForkedProcess
from portal.runtime.services import start_thread

FAILURE = partial(int, "no number")


def test_thread_that_fails_ends_its_process_with_the_reason() -> None:
    def run_forever() -> None:
        start_thread("beat", FAILURE)
        Event().wait()

    process = ForkedProcess("run_jobs", run_forever, do_nothing)
    assert process.stdout is not None
    with process.stdout as output:
        lines = output.read().decode()
    assert lines == "The beat thread stopped (ValueError: invalid literal for int() with base 10: 'no number').\n"
    assert process.wait() == 1
