"""Memory for the frames of Python calls.

CPython maps the frames of a thread in chunks of 16 KiB and unmaps a chunk when its last frame returns. A loop whose
calls begin at the end of a chunk maps and unmaps memory in each round. Pages nest calls deeply enough to cross several
chunks, which took up to a quarter of their time.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
FRAME_SLOTS = 2**15  # of 8 bytes: more than half of a chunk of 512 KiB, whose rest has room for 1,000 calls


def keep_frames_together(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that calls `function` with a large chunk of memory for all frames of nested calls.

    Its own frame claims a large stack, which it doesn't use. CPython maps a chunk of twice that size for it.
    """

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    call.__code__ = call.__code__.replace(co_stacksize=FRAME_SLOTS)
    return call
