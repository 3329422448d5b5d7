"""Retry delays, back-off, and retention of webhook deliveries.

The delays add up to about three days. Each has a jitter of up to 10%, so that simultaneous failures don't retry at the
same time.
"""

from datetime import timedelta
from random import SystemRandom

from django.utils.translation import gettext as _

MINUTE_SECONDS = 60
HOUR_SECONDS = 3600
RETRY_DELAYS_SECONDS = (30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 86_400)  # half a minute to a day
JITTER_SHARE = 0.1
UNREACHABLE_AFTER = timedelta(days=5)
RETENTION_PERIOD = timedelta(days=30)
# Back-off of an endpoint, doubled with each failure
INITIAL_BACKOFF_SECONDS = 5
MAX_BACKOFF_SECONDS = 300


def get_retry_delay(failure_count: int, requested_seconds: int = 0) -> timedelta | None:
    """Return the delay until the next attempt, or None after the last one.

    Args:
        failure_count: The number of consecutive failures.
        requested_seconds: The minimum delay that the receiver requested.
    """
    if failure_count > len(RETRY_DELAYS_SECONDS):
        return None
    delay_seconds = RETRY_DELAYS_SECONDS[failure_count - 1] * (1 + JITTER_SHARE * SystemRandom().random())
    return timedelta(seconds=max(delay_seconds, requested_seconds))


def get_endpoint_backoff(failure_count: int, requested_seconds: int = 0) -> timedelta:
    """Return how long an endpoint receives no deliveries after consecutive failures."""
    backoff_seconds = max(INITIAL_BACKOFF_SECONDS * 2 ** min(failure_count - 1, 10), requested_seconds)
    # A receiver can ask for a day, but that concerns one delivery. Others are tried after five minutes.
    return timedelta(seconds=min(backoff_seconds, MAX_BACKOFF_SECONDS))


def format_delay(seconds: int) -> str:
    """Return a delay as text, such as "2 min"."""
    if seconds >= HOUR_SECONDS:
        return _("%(count)s h") % {"count": seconds // HOUR_SECONDS}
    if seconds >= MINUTE_SECONDS:
        return _("%(count)s min") % {"count": seconds // MINUTE_SECONDS}
    return _("%(count)s s") % {"count": seconds}
