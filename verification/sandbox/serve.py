"""Who makes rooms where the portal's worker may not? A service of its own: python -m verification.sandbox.serve SOCKET.

It has no settings and no secrets and needs no database. Every connection is one job, in a process of its own; so many
run at a time, the others wait.
"""

import os
import socketserver
import subprocess
import threading
from argparse import ArgumentParser
from pathlib import Path

from verification.sandbox.asking import COMMAND, ENVIRONMENT

AT_A_TIME = 2


class Service(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    places = threading.BoundedSemaphore(AT_A_TIME)


class Connected(socketserver.BaseRequestHandler):
    """One job: its process has the connection as its standard input and output."""

    def handle(self) -> None:
        with Service.places:
            subprocess.run(  # noqa: S603 - our own program
                COMMAND, stdin=self.request, stdout=self.request, env=ENVIRONMENT, cwd="/", start_new_session=True,
                check=False,
            )  # fmt: skip


def serve(path: Path) -> Service:
    """A service that listens on the path; whoever is in its group may ask."""
    path.unlink(missing_ok=True)
    before = os.umask(0o117)
    try:
        return Service(str(path), Connected)
    finally:
        os.umask(before)


def main() -> None:
    parser = ArgumentParser(description="Runs jobs in the sandbox for whoever connects to the socket.")
    parser.add_argument("socket", type=Path)
    with serve(parser.parse_args().socket) as service:
        service.serve_forever()


if __name__ == "__main__":
    main()
