"""Tests of the cache with a Redis that answers but refuses writes."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from redis import Redis

from portal.core.cache import FaultTolerantRedisCache
from tests.servers.valkey import Valkey


@pytest.fixture
def server(broker: Valkey, settings: Any) -> Iterator[Redis]:
    """Redis of the cache."""
    settings.CACHES = {"default": {"BACKEND": "portal.core.cache.FaultTolerantRedisCache", "LOCATION": broker.url}}
    FaultTolerantRedisCache.retry_at = 0.0
    with Redis.from_url(broker.url) as server:
        yield server
    FaultTolerantRedisCache.retry_at = 0.0


@pytest.mark.parametrize("name", ["maxmemory", "min-replicas-to-write"])
def test_server_that_refuses_writes_stores_nothing_and_raises_nothing(server: Redis, name: str) -> None:
    server.config_set(name, 1)
    assert (cache.add("k", 1), cache.get("k")) == (True, None)


@pytest.mark.parametrize("answers_reads", ["yes", "no"])
def test_replica_stores_nothing_and_raises_nothing(server: Redis, answers_reads: str) -> None:
    server.config_set("replica-serve-stale-data", answers_reads)
    server.replicaof("127.0.0.1", 1)
    assert (cache.get("k"), cache.add("k", 1)) == (None, True)
