"""Tests of memory and time for hostile servers."""

import pytest

from tests.verification.hostile.worker import measure_cost
from tests.verification.sources.http.server import Server, plain
from tests.verification.sources.http.test_http import MISBEHAVIORS

EXPECTED = {
    name: {kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,))}
    for name, (_, kinds) in MISBEHAVIORS.items()
}
# with the limits of this test these end otherwise than with those of test_http: by the clock or within the limit
OTHERWISE = {"promises more than may be"}


@pytest.fixture(scope="module")
def server():
    answers = {f"/{number}": how for number, (how, _) in enumerate(MISBEHAVIORS.values())}
    server = Server(answers | {"/good": plain(b"{}")})
    yield server
    server.stop()


def test_worker_is_free_in_time_and_small(server):
    jobs = {name: f"{server.url}/{number}" for number, name in enumerate(MISBEHAVIORS) if name not in OTHERWISE}
    cost = measure_cost("servers", f"{server.url}/good", jobs)
    print(f"{len(jobs)} servers: {cost.megabytes:.1f} MiB, the slowest {cost.slowest:.2f} s")
    quick = {"DeadlineExceededError"}  # a slow machine may meet the clock before the limit
    wrong = {name: verdict for name, verdict in cost.names.items() if verdict not in EXPECTED[name] | quick}
    assert wrong == {}
    assert (cost.files, cost.threads) == (0, 0)
    assert cost.megabytes < 16
