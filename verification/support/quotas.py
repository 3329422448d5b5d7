"""Byte quotas of webhook deliveries, counted for each source in the shared cache.

What a hook delivers is counted against the hook. What is refused is counted against its sender and the hook it named,
never against the sender alone: all of GitHub's hooks come from a few addresses, and a forger that sends through GitHub
must not stop the hooks of others.
"""

import logging
import time
from dataclasses import dataclass
from uuid import UUID

from django.core.cache import cache

logger = logging.getLogger(__name__)

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Quota:
    """So many bytes in each window of so many seconds."""

    name: str
    max_bytes: int
    seconds: int

    def key(self, source: str) -> str:
        return f"hook-bytes:{self.name}:{source}:{int(time.time()) // self.seconds}"

    def remaining_seconds(self) -> int:
        """Return how long the current window still lasts."""
        return self.seconds - int(time.time()) % self.seconds


# A thousand deliveries of one mebibyte: far above what a busy repository sends in an hour.
ACCEPTED = Quota("accepted", 1024 * MEBIBYTE, 3600)
# Short, so that a hook whose secret was mistyped works within a minute of being corrected.
REFUSED = Quota("refused", 64 * MEBIBYTE, 60)


def get_wait(sender: str, hook: UUID | None, size: int) -> int:
    """Return how many seconds a delivery has to wait; 0 when there is room. `hook` is None for one that is unknown.

    Without the cache there is always room: a delivery that was turned away would be lost, as GitHub does not repeat it.
    """
    accepted, refused = ACCEPTED.key(str(hook)), REFUSED.key(f"{sender}:{hook}")
    try:
        used = cache.get_many([accepted, refused])
    except Exception:  # whatever the cache raises while it is away
        logger.warning("The byte quotas of webhooks cannot be read: the cache does not answer.")
        return 0
    if used.get(refused, 0) >= REFUSED.max_bytes:
        return REFUSED.remaining_seconds()
    if used.get(accepted, 0) + size > ACCEPTED.max_bytes:
        return ACCEPTED.remaining_seconds()
    return 0


def charge(sender: str, hook: UUID | None, size: int, *, is_accepted: bool) -> None:
    """Count the bytes of a delivery."""
    quota, source = (ACCEPTED, str(hook)) if is_accepted else (REFUSED, f"{sender}:{hook}")
    key = quota.key(source)
    try:
        cache.add(key, 0, 2 * quota.seconds)
        cache.incr(key, size)
    except Exception:  # see get_wait
        logger.warning("The byte quotas of webhooks cannot be counted: the cache does not answer.")
