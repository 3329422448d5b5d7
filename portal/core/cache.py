"""What if Redis is away? Then the cache remembers nothing, at once and without an error: it is speed, never truth."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import ConnectionError, TimeoutError

TIMEOUT_SECONDS = 0.3  # seconds for a connection or an answer
RETRY_AFTER_SECONDS = 5.0  # seconds that a Redis which did not answer is not asked by this process
# what each question comes to where nothing is remembered
FALLBACK_RESULTS: dict[str, Any] = {
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


def _wrap_with_fallback(name: str, fallback: Callable[..., Any]) -> Callable[..., Any]:
    method = getattr(RedisCacheClient, name)

    @wraps(method)
    def call_with_fallback(self: "FaultTolerantRedisClient", *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() < FaultTolerantRedisClient.away_until:
            return fallback(*args, **kwargs)
        try:
            return method(self, *args, **kwargs)
        except (ConnectionError, TimeoutError):
            FaultTolerantRedisClient.away_until = time.monotonic() + RETRY_AFTER_SECONDS
            return fallback(*args, **kwargs)

    return call_with_fallback


def _return_default(key: str, default: Any = None) -> Any:
    return default


def _raise_missing_key(key: str, delta: int = 1) -> int:
    raise ValueError(f"Key '{key}' not found.")  # as Django's caches say it


class FaultTolerantRedisClient(RedisCacheClient):
    """Django's client, with an answer where Redis has none."""

    away_until: ClassVar[float] = 0.0


for _name, _answer in FALLBACK_RESULTS.items():
    setattr(FaultTolerantRedisClient, _name, _wrap_with_fallback(_name, lambda *_, answer=_answer, **__: answer))
FaultTolerantRedisClient.get = _wrap_with_fallback("get", _return_default)  # type: ignore[method-assign]
FaultTolerantRedisClient.incr = _wrap_with_fallback("incr", _raise_missing_key)  # type: ignore[method-assign]


class FaultTolerantRedisCache(RedisCache):
    """Django's Redis cache over that client. Limits that are counted in it count nothing while Redis is away."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        timeouts = {"socket_connect_timeout": TIMEOUT_SECONDS, "socket_timeout": TIMEOUT_SECONDS}
        super().__init__(server, params | {"OPTIONS": timeouts | params.get("OPTIONS", {})})
        self._class = FaultTolerantRedisClient
