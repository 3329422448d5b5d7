"""The example endpoint, started beside a test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from tests.house.source import ROOT
from verification.sources.http.client import Outbound
from verification.testruns.kinds.run_task.driver import Target, play
from verification.testruns.kinds.run_task.local_server import listening
from verification.testruns.kinds.run_task.records import Limits, Seen

KEY = "correct horse battery staple"
QUICK = Limits(first_answer=1, give_up=2, silence=1, end=2.5, mend=0.3, settle=0.4)


def _example() -> Any:
    spec = spec_from_file_location("run_task_endpoint", ROOT / "examples" / "run_task_endpoint.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


example = _example()


class Held(example.Endpoint):  # type: ignore[misc]
    """An endpoint that begins its work when it is told to: a test's one database serves one thread at a time."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.works: list[tuple[threading.Event, threading.Thread]] = []

    def work_on(self, request: dict[str, Any]) -> threading.Thread:
        work, begun = example.Work(self, request), threading.Event()
        thread = threading.Thread(target=lambda: begun.wait(60) and work.do(), daemon=True)
        self.works.append((begun, thread))
        return thread

    def work(self) -> None:
        """Do all that is to be done, one after another, and come back when it is."""
        for begun, thread in self.works:
            begun.set()
            thread.join(30)


@contextmanager
def endpoint(how: str = "", key: str = KEY, kind: Any = None) -> Iterator[Any]:
    """The endpoint with a fault or variant, or a good one."""
    server = (kind or example.Endpoint)(key, how)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def rehearsed(how: str = "", key: str = KEY, stages: tuple[str, ...] = ("post_plan",), **limits: float) -> Seen:
    """A whole rehearsal of the endpoint, with short limits."""
    with endpoint(how, key) as server:
        target = Target(server.url, key, stages, limits=replace(QUICK, **limits))
        with listening(target) as place:
            return play(target, place, Outbound(loopback=True))
