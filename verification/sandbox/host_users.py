"""Users that programs have outside their sandbox if the service runs as root.

Each open environment has its own user and group. A program that escapes its namespaces can neither signal nor
trace the programs of another environment.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from verification.sandbox.bubblewrap import build_unavailable_error

RANGE_VARIABLE = "SANDBOX_HOST_USERS"
# Nothing else assigns these: adduser stops at 59999, and the dynamic users of systemd start at 61184.
DEFAULT_RANGE = "60800-60999"
LOCK_FOLDER = Path("/run/portal-sandbox-users")
OWN_USER = -1  # an ordinary user can't start a program as another one


def parse_range(text: str) -> range:
    """Return the IDs of a range such as "60800-60999". Raises ValueError."""
    first, last = map(int, text.split("-"))
    if not 0 < first <= last < 2**32 - 1:
        raise ValueError("Not a range of user IDs.")
    return range(first, last + 1)


@contextmanager
def reserve_host_user() -> Iterator[int]:
    """Yield an ID that no other open environment has, as user and group. Yield OWN_USER if the service is not root.

    The kernel releases the lock of a service that was killed.

    Raises:
        SandboxUnavailable: Every ID is in use, or can't be locked.
    """
    if os.geteuid() != 0:
        yield OWN_USER
        return
    host_user, lock = _lock_host_user(os.environ.get(RANGE_VARIABLE, DEFAULT_RANGE))
    try:
        yield host_user
    finally:
        os.close(lock)


def _lock_host_user(id_range: str) -> tuple[int, int]:
    """Return the first free ID and the descriptor that holds its lock."""
    try:
        LOCK_FOLDER.mkdir(mode=0o700, exist_ok=True)
        for host_user in parse_range(id_range):
            lock = os.open(LOCK_FOLDER / str(host_user), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
            else:
                return host_user, lock
    except OSError as error:
        raise build_unavailable_error(f"{LOCK_FOLDER} cannot be used: {error.strerror}") from error
    raise build_unavailable_error(f"every host user of {id_range} is in use")
