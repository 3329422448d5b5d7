"""Process of bin/up, whose output and pages a test waits for."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from urllib.error import URLError
from urllib.request import urlopen

from tests.servers.base import find_free_port

ROOT = Path(__file__).resolve().parents[3]
HAS_PROC = Path("/proc/self/environ").exists()
WAIT_SECONDS = 240.0
POLL_SECONDS = 0.1


class RunningPortal:
    """Running portal."""

    def __init__(self, data: Path, words: Sequence[str], root: Path, settings: dict[str, str], port: int) -> None:
        self.data = data
        self.port = port
        self.log = data.parent.parent / f"portal-{port}.log"  # not on the disk of the data folder, which may be full
        environment = {"PATH": os.environ["PATH"], "PORTAL_DATA": str(data), "PORT": str(self.port)}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "portal.runtime", *words],
                cwd=root,
                env=environment | settings,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    @property
    def output(self) -> str:
        """Return what was printed so far."""
        return self.log.read_text(errors="replace")

    def wait_until(self, is_true: Callable[[], bool], seconds: float = WAIT_SECONDS) -> None:
        """Wait for a state. Raises AssertionError with the output if it isn't reached."""
        for _ in range(int(seconds / POLL_SECONDS)):
            if is_true():
                return
            Event().wait(POLL_SECONDS)
        raise AssertionError(self.output)

    def wait_for_output(self, words: str) -> None:
        """Wait until words are printed."""
        self.wait_until(lambda: words in self.output or self.process.poll() is not None)
        assert words in self.output

    def wait_until_ready(self) -> None:
        """Wait until the portal announces itself."""
        self.wait_for_output(f"The portal is ready at http://127.0.0.1:{self.port}. Press Ctrl+C to stop.")

    def read(self, path: str) -> str:
        """Return a page, or an empty text if there is none."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=20) as answer:
                return str(answer.read().decode())
        except (URLError, OSError):
            return ""

    def is_working(self) -> bool:
        """Return whether pages answer and background work is on time."""
        answer = self.read("/healthz")
        return bool(answer) and json.loads(answer)["background"] == "ok"

    def processes(self) -> dict[int, str]:
        """Return the names of this portal's processes by ID."""
        marker = f"PORTAL_DATA={self.data}\0".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if marker in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "comm").read_text().strip()
            except OSError:
                continue
        return found

    def pid(self, name: str) -> int:
        """Return the ID of the process with this name, or 0."""
        return next((pid for pid, found in self.processes().items() if found == name), 0)

    def end(self) -> int:
        """Wait for the process to end and return its exit code."""
        return self.process.wait(WAIT_SECONDS)

    def stop(self) -> int:
        """Press Ctrl-C and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.end()


@contextmanager
def run_portal(
    data: Path, *words: str, root: Path = ROOT, settings: dict[str, str] | None = None, port: int = 0
) -> Iterator[RunningPortal]:
    """Run a portal on a data folder. Kill it at the end if it still runs."""
    portal = RunningPortal(data, words, root, settings or {}, port or find_free_port())
    try:
        yield portal
    finally:
        portal.process.kill()
        portal.process.wait()


def copy_tree(folder: Path, names: Sequence[str]) -> Path:
    """Copy folders and files of the project, so that a test can edit them."""
    for name in names:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy2(source, folder / name)
    return folder
