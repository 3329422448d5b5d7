"""Redis cache that tolerates an outage: it then stores nothing and raises no errors.

A server that is full, can't save its data, or became a replica refuses commands, which is an outage as well.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import ClassVar

from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError, ResponseError, TimeoutError

from portal.core.redis_timeouts import SOCKET_TIMEOUTS
from portal.core.value_types import NamedValues

RETRY_AFTER_SECONDS = 5.0  # pause of this process after a failed call
# All commands are Django's own, so an error that the server returns (OOM, MISCONF, READONLY) is about its state.
OUTAGES = (ConnectionError, TimeoutError, ResponseError)
OPERATIONS = ["add", "get", "set", "touch", "delete", "get_many", "has_key", "incr", "set_many", "delete_many", "clear"]


class FaultTolerantRedisCache(RedisCache):
    """Django's Redis cache, and its dummy cache during an outage. Rate limits do not apply then."""

    retry_at: ClassVar[float] = 0.0

    def __init__(self, server: str, params: NamedValues) -> None:
        super().__init__(server, params | {"OPTIONS": SOCKET_TIMEOUTS | params.get("OPTIONS", {})})
        self.fallback = DummyCache(server, params)


def _wrap_with_fallback(name: str) -> Callable[..., object]:
    method = getattr(RedisCache, name)

    @wraps(method)
    def call_with_fallback(self: FaultTolerantRedisCache, *args: object, **kwargs: object) -> object:
        if time.monotonic() >= FaultTolerantRedisCache.retry_at:
            try:
                return method(self, *args, **kwargs)
            except OUTAGES:
                FaultTolerantRedisCache.retry_at = time.monotonic() + RETRY_AFTER_SECONDS
        return getattr(self.fallback, name)(*args, **kwargs)

    return call_with_fallback


for _name in OPERATIONS:
    setattr(FaultTolerantRedisCache, _name, _wrap_with_fallback(_name))
