"""Command that loads the demo world into an empty portal."""

import logging
import signal
import threading
from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core.cli import parse_positive_number
from portal.demo.checks import run_nightly_checks
from portal.demo.consistency import find_contradictions
from portal.demo.content import SIGN_INS
from portal.demo.loader import build_world
from portal.demo.sla import update_issues
from verification.checks.models import CheckResult

logger = logging.getLogger(__name__)
VERIFY_HELP = "Compare what is stored with what the portal's forms, guards, and checks return, and list what differs."


def keep_updating(seconds: float, stop: threading.Event) -> None:
    """Update the issues and the check results of the fictional repositories at an interval until an event is set."""
    while True:
        try:
            update_issues(timezone.now())
            run_nightly_checks(timezone.now())
        except DatabaseError as error:
            logger.warning("demo world update postponed, database unavailable: %s", error)
        except Exception:
            logger.exception("demo world update failed")
        close_old_connections()
        if stop.wait(seconds):
            return


class Command(BaseCommand):
    help = "Load the demo world, or verify it. Loading fails in production and if the portal has users."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--keep",
            type=parse_positive_number,
            default=0,
            metavar="SECONDS",
            help="Update the loaded demo world at this interval until stopped.",
        )
        parser.add_argument("--verify", action="store_true", help=VERIFY_HELP)

    def handle(self, *args: object, keep: float, verify: bool, **options: object) -> None:
        if verify:
            self.verify_world()
            return
        if settings.PRODUCTION:
            raise CommandError("The demo world has published passwords. It can't be loaded in production.")
        if keep:
            self.run_updates(keep)
            return
        if User.objects.exists():
            raise CommandError("The portal has users. Load the demo world into an empty portal.")
        build_world(timezone.now(), lambda line: self.stdout.write(f"  {line}"))
        for email, password, role in SIGN_INS:
            self.stdout.write(f"{email}  {password}  {role}")

    def verify_world(self) -> None:
        """Print every contradiction in the database. Raises CommandError if there is one, or nothing to verify."""
        if not Integration.objects.exists():
            raise CommandError("There are no integrations to verify. Load the demo world first.")
        contradictions = list(find_contradictions(timezone.now()))
        self.stdout.writelines(f"{contradiction}\n" for contradiction in contradictions)
        counts = f"{Integration.objects.count()} integrations, {CheckResult.objects.conclusive().count()} check results"
        summary = f"{counts}, {len(contradictions)} contradictions"
        if contradictions:
            raise CommandError(summary)
        self.stdout.write(summary)

    def run_updates(self, seconds: float) -> None:
        """Update the fictional repositories at an interval until a signal arrives."""
        stop = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stop.set())
        keep_updating(seconds, stop)
