"""Reachability of the broker. The cache uses the same server but hides outages."""

from django.conf import settings
from redis import Redis
from redis.exceptions import RedisError

from portal.core.cache import TIMEOUT_SECONDS


def can_reach_broker() -> bool:
    """Return whether a broker is configured and reachable."""
    return bool(settings.REDIS_URL) and can_reach(settings.REDIS_URL)


def can_reach(url: str) -> bool:
    """Return whether the server at a URL responds."""
    client = Redis.from_url(url, socket_connect_timeout=TIMEOUT_SECONDS, socket_timeout=TIMEOUT_SECONDS)
    try:
        return bool(client.ping())
    except (RedisError, OSError):
        return False
    finally:
        client.close()
