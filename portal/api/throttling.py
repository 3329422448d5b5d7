"""Rate limits, counted in the shared cache. Without the cache, requests are not limited."""

import time
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError

from portal.api.models import ApiToken

WINDOW_SECONDS = 60
ANONYMOUS_REQUESTS_PER_MINUTE = 120  # per address, without a token


@dataclass(frozen=True, slots=True)
class RequestAllowance:
    """Remaining requests in a window that ends in `seconds`. Negative if the limit is exceeded."""

    limit: int
    remaining: int
    seconds: int

    def build_headers(self) -> dict[str, str]:
        """Return the headers of draft-ietf-httpapi-ratelimit-headers."""
        return {
            "RateLimit-Policy": f'"default";q={self.limit};w={WINDOW_SECONDS}',
            "RateLimit": f'"default";r={max(self.remaining, 0)};t={self.seconds}',
        }


def count_request(token: ApiToken | None, address: str) -> RequestAllowance:
    """Count a request of the token, or of the address without a token."""
    client = f"address:{address}"
    limit = ANONYMOUS_REQUESTS_PER_MINUTE
    if token:
        client = f"token:{token.pk}"
        limit = settings.API_REQUESTS_PER_MINUTE
    window_number, elapsed_seconds = divmod(int(time.time()), WINDOW_SECONDS)
    remaining_seconds = WINDOW_SECONDS - elapsed_seconds
    key = f"api-requests:{client}:{window_number}"
    try:
        cache.add(key, 0, WINDOW_SECONDS * 2)
        request_count = cache.incr(key)
    except (ValueError, DatabaseError):  # cache unavailable: don't limit
        return RequestAllowance(limit, limit, remaining_seconds)
    return RequestAllowance(limit, limit - request_count, remaining_seconds)
