"""What if Redis is away? Then the cache remembers nothing, at once and without an error: it is speed, never truth."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.exceptions import ConnectionError, TimeoutError

WAIT = 0.3  # seconds for a connection or an answer
LEFT_ALONE = 5.0  # seconds that a Redis which did not answer is not asked by this process
# what each question comes to where nothing is remembered
FORGOTTEN: dict[str, Any] = {
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


def _forgiving(name: str, without: Callable[..., Any]) -> Callable[..., Any]:
    ask = getattr(RedisCacheClient, name)

    @wraps(ask)
    def asked(self: "Forgiving", *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() < Forgiving.away_until:
            return without(*args, **kwargs)
        try:
            return ask(self, *args, **kwargs)
        except (ConnectionError, TimeoutError):
            Forgiving.away_until = time.monotonic() + LEFT_ALONE
            return without(*args, **kwargs)

    return asked


def _default(key: str, default: Any = None) -> Any:
    return default


def _unknown(key: str, delta: int = 1) -> int:
    raise ValueError(f"Key '{key}' not found.")  # as Django's caches say it


class Forgiving(RedisCacheClient):
    """Django's client, with an answer where Redis has none."""

    away_until: ClassVar[float] = 0.0


for _name, _answer in FORGOTTEN.items():
    setattr(Forgiving, _name, _forgiving(_name, lambda *_, answer=_answer, **__: answer))
Forgiving.get = _forgiving("get", _default)  # type: ignore[method-assign]
Forgiving.incr = _forgiving("incr", _unknown)  # type: ignore[method-assign]


class Cache(RedisCache):
    """Django's Redis cache over that client. Limits that are counted in it count nothing while Redis is away."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        waits = {"socket_connect_timeout": WAIT, "socket_timeout": WAIT}
        super().__init__(server, params | {"OPTIONS": waits | params.get("OPTIONS", {})})
        self._class = Forgiving
