"""How does a program begin in a room? With nothing that it was not given."""

import os
import signal
from typing import Any, NoReturn

from verification.sandbox.inside import build, filter, kernel


def start(order: dict[str, Any], pipes: list[int], limits: dict[str, Any], code: bytes) -> int:
    """Its process number. `order`: argv and env; `pipes`: where stdout and stderr go."""
    child = os.fork()
    if child:
        return child
    try:
        _become(order, pipes, limits, code)
    except BaseException as error:
        os.write(2, f"It could not be started: {error}\n".encode())
    os._exit(127)


def _become(order: dict[str, Any], pipes: list[int], limits: dict[str, Any], code: bytes) -> NoReturn:
    os.setsid()
    nothing = os.open("/dev/null", os.O_RDONLY)
    for target, source in enumerate((nothing, *pipes)):
        os.dup2(source, target)
    os.closerange(3, 4096)
    for number in (signal.SIGPIPE, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    build.bounds(limits)
    kernel.prctl(kernel.NO_NEW_PRIVS, 1)
    filter.install(code)
    os.execvpe(order["argv"][0], order["argv"], order["env"])  # noqa: S606 - what the room is for
