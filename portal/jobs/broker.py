"""Reachability of the broker, asked directly rather than through the cache, which hides outages."""

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

from portal.core.cache import TIMEOUT_SECONDS


def can_reach_broker() -> bool:
    """Return whether a broker is configured and answers."""
    return bool(settings.REDIS_URL) and can_reach(settings.REDIS_URL)


def can_reach(url: str) -> bool:
    """Return whether the server of a URL answers."""
    client = Redis.from_url(url, socket_connect_timeout=TIMEOUT_SECONDS, socket_timeout=TIMEOUT_SECONDS)
    try:
        return bool(client.ping())
    except (RedisError, OSError):
        return False
    finally:
        client.close()
