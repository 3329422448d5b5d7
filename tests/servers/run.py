"""Runs a command with a real PostgreSQL and a real Valkey, and stops both when it ends.

    python -m tests.servers.run pytest -x tests/integrations
    python -m tests.servers.run --durable python -m tests.bench.due_clocks

The command finds them in DATABASE_URL and REDIS_URL. Exits with the code of the command, or with 69 if the servers
aren't available. With --durable, commits survive a crash of the database, as in production.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.servers.base import ServerUnavailableError
from tests.servers.postgres import Postgres
from tests.servers.valkey import Valkey

UNAVAILABLE = 69  # EX_UNAVAILABLE of sysexits.h


@contextmanager
def start_servers(*, durable: bool = False) -> Iterator[dict[str, str]]:
    """Start both servers, yield the environment for clients, and stop them. Raise ServerUnavailableError."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="portal-")))
        postgres = Postgres(folder, durable=durable)
        stack.callback(postgres.stop)
        valkey = Valkey(folder)
        stack.callback(valkey.stop)
        urls = {"DATABASE_URL": postgres.url, "REDIS_URL": valkey.url}
        yield {"PORTAL_ENV": "embedded"} | os.environ | urls


def run(command: list[str], *, durable: bool = False) -> int:
    """Run the command while both servers run, and return its exit code. Raise ServerUnavailableError."""
    with start_servers(durable=durable) as environment:
        child = subprocess.Popen(command, env=environment)
        # both signals reach the command; this process waits until it has ended
        signal.signal(signal.SIGTERM, lambda *_: child.terminate())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return child.wait()


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        is_durable = sys.argv[1] == "--durable"
        sys.exit(run(sys.argv[1 + is_durable :], durable=is_durable))
    except ServerUnavailableError as reason:
        print(f"The servers aren't available: {reason}", file=sys.stderr)
        sys.exit(UNAVAILABLE)
