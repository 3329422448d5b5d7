"""Example endpoint that tests run in a thread."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from tests.codebase.project_files import ROOT
from verification.sources.http.client import OutboundClient
from verification.testruns.kinds.run_task.driver import run_test
from verification.testruns.kinds.run_task.local_server import open_callback_server
from verification.testruns.kinds.run_task.protocol import RunTaskTarget
from verification.testruns.kinds.run_task.records import RunTaskLimits, RunTaskRecords

KEY = "correct horse battery staple"
QUICK = RunTaskLimits(
    response_seconds=1,
    request_timeout_seconds=2,
    silence_seconds=1,
    end_seconds=2.5,
    correction_seconds=0.3,
    settle_seconds=0.4,
)


def _load_example() -> Any:
    spec = spec_from_file_location("run_task_endpoint", ROOT / "examples" / "run_task_endpoint.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


example = _load_example()


class DeferredEndpoint(example.Endpoint):  # type: ignore[name-defined]
    """Endpoint that evaluates runs only on request, because the test database serves one thread at a time."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.workers: list[tuple[threading.Event, threading.Thread]] = []

    def create_worker(self, request: dict[str, Any]) -> threading.Thread:
        evaluation = example.RunEvaluation(self, request)
        start_event = threading.Event()
        thread = threading.Thread(target=lambda: start_event.wait(60) and evaluation.evaluate(), daemon=True)
        self.workers.append((start_event, thread))
        return thread

    def evaluate_runs(self) -> None:
        """Evaluate all pending runs, one after another."""
        for start_event, thread in self.workers:
            start_event.set()
            thread.join(30)


@contextmanager
def serve_endpoint(variant: str = "", key: str = KEY, kind: Any = None) -> Iterator[Any]:
    """Serve the example endpoint, with a fault or variant if one is named."""
    server = (kind or example.Endpoint)(key, variant)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def run_endpoint_test(
    variant: str = "", key: str = KEY, stages: tuple[str, ...] = ("post_plan",), **limits: float
) -> RunTaskRecords:
    """Run a complete test of the endpoint with short limits."""
    with serve_endpoint(variant, key) as server:
        target = RunTaskTarget(server.url, key, stages, limits=replace(QUICK, **limits))
        with open_callback_server(target) as place:
            return run_test(place, OutboundClient(loopback=True))
