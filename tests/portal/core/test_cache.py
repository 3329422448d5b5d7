"""Tests of the cache with a Redis that answers but refuses writes."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from redis import Redis

from portal.core.cache import FaultTolerantRedisClient
from tests.servers.valkey import Valkey


@pytest.fixture
def server(broker: Valkey, settings: Any) -> Iterator[Redis]:
    """Redis of the cache."""
    settings.CACHES = {"default": {"BACKEND": "portal.core.cache.FaultTolerantRedisCache", "LOCATION": broker.url}}
    FaultTolerantRedisClient.retry_at = 0.0
    with Redis.from_url(broker.url) as server:
        yield server
    FaultTolerantRedisClient.retry_at = 0.0


def test_full_server_stores_nothing_and_raises_nothing(server: Redis) -> None:
    server.config_set("maxmemory", 1)
    assert (cache.add("k", 1), cache.get("k")) == (True, None)


def test_replica_stores_nothing_and_raises_nothing(server: Redis) -> None:
    server.replicaof("127.0.0.1", 1)
    assert (cache.add("k", 1), cache.get("k")) == (True, None)
