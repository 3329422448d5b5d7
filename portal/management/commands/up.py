"""Starts everything: the web server and the background work, in one terminal, until Ctrl-C."""

import os
import shlex
import signal
import socket
import sys
import threading
import time
from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from honcho.manager import Manager

from portal.accounts.models import User
from portal.demo import SIGN_INS
from portal.demo.supporting import MADE_UP
from verification.models import Watch

HOST = "127.0.0.1"
PROCESSES = {
    "web": f"gunicorn portal.wsgi -b {HOST}:{{port}} -k gthread --threads 4 --no-control-socket --log-level warning",
    "worker": "celery -q -A portal worker -P threads -c 2 -l WARNING --without-gossip --without-mingle",
    # never inside the worker: it would share the worker's SQLite connection
    "beat": "celery -q -A portal beat -l WARNING --pidfile=",
    "sweep": "manage.py sweep --every 10",
}
GOES_ON = {"demo": "manage.py demo --keep 300"}  # where the demo world is loaded: its repositories are made up
# root in a container is told so at every start, which helps nobody who looks around
QUIET = {
    "LOG_LEVEL": "WARNING",
    "PYTHONUNBUFFERED": "1",
    "PYTHONWARNINGS": "ignore:You're running the worker with superuser",
}


class Processes(Manager):  # type: ignore[misc]
    """Honcho's manager, saying less, and saying when the portal is there."""

    def _start(self) -> None:
        super()._start()
        threading.Thread(target=announce, daemon=True).start()

    def _system_print(self, data: str) -> None:
        if "rc=" in data and "rc=0" not in data and not self._terminating:
            super()._system_print(data)


class Command(BaseCommand):
    help = "Starts the portal with its background work on 127.0.0.1 (PORT=… for another port)."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--empty", action="store_true", help="do not load the demo world at the first start")

    def handle(self, *args: Any, empty: bool, **options: Any) -> None:
        insist_on_free_port(settings.PORT)
        call_command("migrate", interactive=False, verbosity=0)
        call_command("createcachetable", verbosity=0)
        if not (empty or settings.PRODUCTION or User.objects.exists()):
            self.stdout.write("Loading the demo world …")
            call_command("demo", stdout=StringIO())
        self.run()

    def run(self) -> None:
        manager = Processes()
        surroundings = QUIET | os.environ
        made_up = not settings.PRODUCTION and Watch.objects.filter(cursors__has_key=MADE_UP).exists()
        for name, line in (PROCESSES | (GOES_ON if made_up else {})).items():
            module = "" if line.startswith("manage.py") else "-m "
            command = f"exec {shlex.quote(sys.executable)} {module}{line.format(port=settings.PORT)}"
            manager.add_process(name, command, env=surroundings, cwd=str(settings.BASE_DIR))
        # a closed terminal ends the portal like Ctrl-C does
        signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
        manager.loop()
        stopped_by_person = manager.returncode in (128 + signal.SIGINT, 128 + signal.SIGTERM)
        sys.exit(0 if stopped_by_person else manager.returncode)


def insist_on_free_port(port: int) -> None:
    """Raise CommandError when the port cannot be served on, saying what to do."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or "no such port"
            raise CommandError(
                f"Port {port} of {HOST} cannot be used ({reason}); stop what uses it or take another: PORT=8001 bin/up"
            ) from None


def announce() -> None:
    """Say where the portal is, and who can sign in, as soon as it answers."""
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex((HOST, settings.PORT)) == 0:
                break
        time.sleep(0.1)
    else:
        return
    lines = [f"The portal is ready at http://{HOST}:{settings.PORT} (Ctrl-C stops it)."]
    if User.objects.filter(email=SIGN_INS[0][0]).exists():
        width = max(len(email) for email, *_ in SIGN_INS)
        lines += ["", "Sign in as:", *(f"  {email:<{width}}  {word}  {what}" for email, word, what in SIGN_INS)]
    print("\n".join(["", *lines, ""]), flush=True)
