"""How often may a token ask? So many requests a minute, counted in the shared cache; without it, nothing is counted."""

import time
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError

WINDOW = 60
ANONYMOUS = 120  # requests a minute of one address without a token


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a window that ends in `seconds`. `left` below 0: too many."""

    limit: int
    left: int
    seconds: int

    def headers(self) -> dict[str, str]:
        """As draft-ietf-httpapi-ratelimit-headers names them."""
        return {
            "RateLimit-Policy": f'"default";q={self.limit};w={WINDOW}',
            "RateLimit": f'"default";r={max(self.left, 0)};t={self.seconds}',
        }


def counted(who: str, limit: int) -> Allowance:
    """Count one request of `who`."""
    moment = time.time()
    number, seconds = int(moment // WINDOW), WINDOW - int(moment % WINDOW)
    key = f"api-asked:{who}:{number}"
    try:
        cache.add(key, 0, WINDOW * 2)
        asked = cache.incr(key)
    except (ValueError, DatabaseError):  # the cache is away: speed only, never truth
        return Allowance(limit, limit, seconds)
    return Allowance(limit, limit - asked, seconds)


def of_token(pk: int) -> Allowance:
    return counted(f"token:{pk}", settings.API_REQUESTS_A_MINUTE)


def of_address(address: str) -> Allowance:
    return counted(f"address:{address}", ANONYMOUS)
