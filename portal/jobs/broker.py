"""Reachability of the broker, asked directly rather than through the cache, which hides outages."""

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

from portal.core.cache import TIMEOUT_SECONDS


def can_reach_broker() -> bool:
    """Return whether a broker is configured and answers."""
    if not settings.REDIS_URL:
        return False
    client = Redis.from_url(settings.REDIS_URL, socket_connect_timeout=TIMEOUT_SECONDS, socket_timeout=TIMEOUT_SECONDS)
    try:
        client.ping()
    except (RedisError, OSError):
        return False
    finally:
        client.close()
    return True
