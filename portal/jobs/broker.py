"""Reachability of the broker. The cache uses the same server but hides outages."""

from django.conf import settings

from portal.core.redis_timeouts import SOCKET_TIMEOUTS


def can_reach_broker() -> bool:
    """Return whether a broker is configured and reachable."""
    return bool(settings.REDIS_URL) and can_reach(settings.REDIS_URL)


def can_reach(url: str) -> bool:
    """Return whether the server at a URL responds."""
    from redis import Redis  # noqa: PLC0415 - takes 40 ms, and a portal without a broker doesn't need it
    from redis.exceptions import RedisError  # noqa: PLC0415

    client = Redis.from_url(url, **SOCKET_TIMEOUTS)
    try:
        return bool(client.ping())
    except (RedisError, OSError):
        return False
    finally:
        client.close()
