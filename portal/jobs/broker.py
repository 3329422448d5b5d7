"""Reachability of the broker. The cache uses the same server but hides outages."""

from django.conf import settings

TIMEOUT_SECONDS = 0.3  # for a connection or a response


def can_reach_broker() -> bool:
    """Return whether a broker is configured and reachable."""
    return bool(settings.REDIS_URL) and can_reach(settings.REDIS_URL)


def can_reach(url: str) -> bool:
    """Return whether the server at a URL responds."""
    from redis import Redis  # noqa: PLC0415 - takes 40 ms, and a portal without a broker doesn't need it
    from redis.exceptions import RedisError  # noqa: PLC0415

    client = Redis.from_url(url, socket_connect_timeout=TIMEOUT_SECONDS, socket_timeout=TIMEOUT_SECONDS)
    try:
        return bool(client.ping())
    except (RedisError, OSError):
        return False
    finally:
        client.close()
