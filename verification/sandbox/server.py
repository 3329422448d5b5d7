"""Service that runs jobs in the sandbox: python -m verification.sandbox.server SOCKET.

It has no settings or secrets and needs no database. Each connection is one job in its own process. A few jobs run at a
time, and the others wait.
"""

import os
import socketserver
import subprocess
import threading
from argparse import ArgumentParser
from pathlib import Path

from verification.sandbox.client import COMMAND, VARIABLES
from verification.sandbox.control_groups import become_supervisor, find_own_group
from verification.sandbox.host_users import DEFAULT_RANGE, RANGE_VARIABLE, parse_range

# As many as the portal starts at a time (MAX_CONCURRENT_SANDBOX_JOBS).
MAX_JOBS = 2


class JobServer(socketserver.ThreadingUnixStreamServer):
    """Server with one thread for each connection. `host_users`: see the module `host_users`."""

    daemon_threads = True
    slots = threading.BoundedSemaphore(MAX_JOBS)
    host_users = DEFAULT_RANGE


class JobConnection(socketserver.BaseRequestHandler):
    """Handler of one job, whose process has the connection as standard input and output."""

    def handle(self) -> None:
        with JobServer.slots:
            subprocess.run(  # noqa: S603 - our own program
                COMMAND,
                stdin=self.request,
                stdout=self.request,
                env=VARIABLES | {RANGE_VARIABLE: JobServer.host_users},
                cwd="/",
                start_new_session=True,
                check=False,
            )


def listen(path: Path) -> JobServer:
    """Return a server that listens on the socket path, which the owner and group can access."""
    # A service that was killed leaves its socket behind.
    path.unlink(missing_ok=True)
    # A change of the mode after the creation would leave a moment in which anyone can connect.
    previous_mask = os.umask(0o117)
    try:
        return JobServer(str(path), JobConnection)
    finally:
        os.umask(previous_mask)


def _check_range(text: str) -> str:
    parse_range(text)
    return text


def main() -> None:
    """Serve until the process is stopped."""
    parser = ArgumentParser(description="Run jobs in the sandbox for clients that connect to the socket.")
    parser.add_argument("socket", type=Path)
    parser.add_argument(
        "--host-users",
        type=_check_range,
        default=DEFAULT_RANGE,
        metavar="FIRST-LAST",
        help="Users and groups of this machine for programs, one for each sandbox. Only if the service is root. "
        "Default: %(default)s.",
    )
    options = parser.parse_args()
    JobServer.host_users = options.host_users
    become_supervisor(find_own_group())
    with listen(options.socket) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
