"""How long until the next attempt, and when is an endpoint given up? One table. Pure.

The waits add up to about three days. Each is stretched by up to a tenth, so that what failed together does not come
back together.
"""

from collections.abc import Callable
from datetime import timedelta
from random import SystemRandom

from django.utils.translation import gettext as _

MINUTE, HOUR = 60, 3600
WAITS = (30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 24 * HOUR)
JITTER = 0.1
DEAD_AFTER = timedelta(days=5)
KEPT = timedelta(days=30)
FIRST_REST, LONGEST_REST = 5, 300  # seconds that an endpoint is spared after a failure, doubled with each
SHARE: Callable[[], float] = SystemRandom().random


def wait(tries: int, asked: int = 0, share: Callable[[], float] = SHARE) -> timedelta | None:
    """The time until the next attempt after so many failures in a row; None: given up.

    `asked`: the seconds that the receiver asked for; it is never sent to before.
    """
    if tries > len(WAITS):
        return None
    return timedelta(seconds=max(WAITS[tries - 1] * (1 + JITTER * share()), asked))


def rest(failures: int, asked: int = 0) -> timedelta:
    """How long an endpoint gets nothing at all after so many failures in a row, whichever message failed."""
    doubled = FIRST_REST * 2 ** min(failures - 1, 10)
    return timedelta(seconds=max(min(doubled, LONGEST_REST), min(asked, LONGEST_REST)))


def words(seconds: int) -> str:
    """A wait as people say it."""
    if seconds >= HOUR:
        return _("%(count)s h") % {"count": seconds // HOUR}
    if seconds >= MINUTE:
        return _("%(count)s min") % {"count": seconds // MINUTE}
    return _("%(count)s s") % {"count": seconds}
