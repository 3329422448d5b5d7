"""Checks of bin/up on the running portal: whether it answers, and the space on the disk."""

import time
from collections.abc import Callable

from django.conf import settings
from django.db import connections

from integrations.sla.models import MonitoredRepository
from portal.accounts.models import User
from portal.demo.content import SIGN_INS
from portal.demo.sla import FICTIONAL_SINCE_KEY
from portal.runtime.preconditions import describe_full_disk
from portal.runtime.services import HOST, is_serving

DISK_CHECK_SECONDS = 10.0


class Monitor:
    """Announces the portal once it answers, and a disk that becomes nearly full."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.write = write
        self.is_announced = False
        self.is_disk_full = False
        self.next_disk_check_at = 0.0

    def tick(self) -> None:
        """Print what is new since the last call."""
        if time.monotonic() >= self.next_disk_check_at:
            self.next_disk_check_at = time.monotonic() + DISK_CHECK_SECONDS
            message = describe_full_disk(settings.DATA_DIR)
            # Only changes are printed, because the check runs every few seconds.
            if message and not self.is_disk_full:
                self.write(f"{message}. Free some space. The portal then continues automatically.")
            elif self.is_disk_full and not message:
                self.write(f"The disk of {settings.DATA_DIR} has space again.")
            self.is_disk_full = bool(message)
        if not self.is_announced and is_serving():
            self.write(describe_portal())
            self.is_announced = True


def has_demo_world() -> bool:
    """Return whether the demo data is loaded, which is updated periodically."""
    return not settings.PRODUCTION and MonitoredRepository.objects.filter(cursors__has_key=FICTIONAL_SINCE_KEY).exists()


def describe_portal() -> str:
    """Return the portal's URL and, if the demo data is loaded, its accounts."""
    lines = [f"The portal is ready at http://{HOST}:{settings.PORT}. Press Ctrl+C to stop."]
    try:
        has_demo_people = User.objects.filter(email=SIGN_INS[0][0]).exists()
    finally:
        # The supervisor forks again after a crash, and forks must not share a connection.
        connections.close_all()
    if has_demo_people:
        width = max(len(email) for email, *_ in SIGN_INS)
        lines += ["", "Sign in as:", *(f"  {email:<{width}}  {password}  {role}" for email, password, role in SIGN_INS)]
    return "\n".join(["", *lines, ""])
