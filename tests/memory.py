"""Memory settings of test processes, which otherwise spend a fourth of their time on memory."""

import gc

import pytest
from _pytest.runner import runtestprotocol

from portal.core.call_frames import keep_frames_together

gc.disable()  # while thousands of modules and tests are collected, of which none becomes garbage


def pytest_collection_finish() -> None:
    """Search for garbage less often and never among modules and tests, where it takes a sixth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run a test as pytest's own hook does, with its frames in one chunk of memory: pytest nests calls deeply.

    A plugin that replaces this hook, such as one that repeats tests, would have no effect.
    """
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    keep_frames_together(runtestprotocol)(item, nextitem=nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
