"""Tests of the memory, time, files, and threads that hostile servers cost."""

import pytest

from tests.verification.hostile_inputs.resource_use import measure_cost
from tests.verification.sources.http.server import Server, respond
from tests.verification.sources.http.test_http import MISBEHAVIORS

EXPECTED = {
    name: {kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,))}
    for name, (_, kinds) in MISBEHAVIORS.items()
}
# the higher limits of this test change the result of these
EXCLUDED = {"announces more than allowed"}


@pytest.fixture(scope="module")
def server():
    answers = {f"/{number}": handler for number, (handler, _) in enumerate(MISBEHAVIORS.values())}
    server = Server(answers | {"/good": respond(b"{}")})
    yield server
    server.stop()


def test_hostile_servers_leave_nothing_open_and_use_little_memory(server):
    jobs = {name: f"{server.url}/{number}" for number, name in enumerate(MISBEHAVIORS) if name not in EXCLUDED}
    cost = measure_cost("servers", f"{server.url}/good", jobs)
    print(f"{len(jobs)} servers: {cost.megabytes:.1f} MiB, the slowest {cost.slowest:.2f} s")
    timeout = {"DeadlineExceededError"}  # a slow machine can reach the deadline before the limit
    wrong = {name: verdict for name, verdict in cost.names.items() if verdict not in EXPECTED[name] | timeout}
    assert wrong == {}
    assert (cost.files, cost.threads) == (0, 0)
    assert cost.megabytes < 16
