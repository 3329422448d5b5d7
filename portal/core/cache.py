"""Redis cache that tolerates an outage: it then stores nothing and raises no errors.

A server that is full, can't save its data, or became a replica refuses commands, which is an outage as well.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import ClassVar

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import ConnectionError, ResponseError, TimeoutError

from portal.core.value_types import NamedValues

TIMEOUT_SECONDS = 0.3  # for a connection or a response
RETRY_AFTER_SECONDS = 5.0  # pause of this process after a failed call
# All commands are Django's own, so an error that the server returns (OOM, MISCONF, READONLY) is about its state.
OUTAGES = (ConnectionError, TimeoutError, ResponseError)
# results of each operation while Redis is down
FALLBACK_RESULTS: dict[str, object] = {
    "add": True,
    "set": None,
    "touch": False,
    "delete": False,
    "get_many": {},
    "has_key": False,
    "set_many": None,
    "delete_many": None,
    "clear": False,
}


def _wrap_with_fallback(name: str, fallback: Callable[..., object]) -> Callable[..., object]:
    method = getattr(RedisCacheClient, name)

    @wraps(method)
    def call_with_fallback(self: "FaultTolerantRedisClient", *args: object, **kwargs: object) -> object:
        if time.monotonic() < FaultTolerantRedisClient.retry_at:
            return fallback(*args, **kwargs)
        try:
            return method(self, *args, **kwargs)
        except OUTAGES:
            FaultTolerantRedisClient.retry_at = time.monotonic() + RETRY_AFTER_SECONDS
            return fallback(*args, **kwargs)

    return call_with_fallback


def _return_default(key: str, default: object = None) -> object:
    return default


def _raise_missing_key(key: str, delta: int = 1) -> int:
    raise ValueError(f"Key '{key}' not found.")  # the message of Django's caches


class FaultTolerantRedisClient(RedisCacheClient):
    """Django's Redis client with fallback results during an outage."""

    retry_at: ClassVar[float] = 0.0


for _name, _result in FALLBACK_RESULTS.items():
    setattr(FaultTolerantRedisClient, _name, _wrap_with_fallback(_name, lambda *_, result=_result, **__: result))
FaultTolerantRedisClient.get = _wrap_with_fallback("get", _return_default)  # type: ignore[method-assign]
FaultTolerantRedisClient.incr = _wrap_with_fallback("incr", _raise_missing_key)  # type: ignore[method-assign]


class FaultTolerantRedisCache(RedisCache):
    """Django's Redis cache with the fault-tolerant client. Rate limits that use it do not apply during an outage."""

    def __init__(self, server: str, params: NamedValues) -> None:
        timeouts = {"socket_connect_timeout": TIMEOUT_SECONDS, "socket_timeout": TIMEOUT_SECONDS}
        super().__init__(server, params | {"OPTIONS": timeouts | params.get("OPTIONS", {})})
        self._class = FaultTolerantRedisClient
