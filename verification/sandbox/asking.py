"""How does the portal have something done in the sandbox? Through a process that has nothing of the portal's.

Either a service of its own that listens on a socket (`verification.sandbox.serve`), or a child with an empty
environment. What is asked and answered is the same: see `verification.sandbox.job`.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import Any, BinaryIO, cast

from verification.sandbox.base import NoSandbox

ROOT = Path(__file__).resolve().parents[2]
BOOT = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from verification.sandbox.job import main; main()"
COMMAND = [sys.executable, "-I", "-c", BOOT]
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
SECONDS = 300.0
GRACE = 5.0
Tell = Callable[[dict[str, Any]], None]


class Faulty(Exception):
    """The sandbox's process broke, which is ours. The text says how."""


def ask(
    kind: str,
    given: Mapping[str, Any],
    files: Mapping[str, Path],
    *,
    service: str = "",
    seconds: float = SECONDS,
    tell: Tell = lambda _: None,
) -> Any:
    """What the job answers. `service` is the path of the service's socket, blank for a child of this process.

    `tell` hears of its progress. Raises NoSandbox with the reason, ValueError with a sentence, Faulty.
    """
    with _connected(service) if service else _child() as (there, back, stop):
        timer = Timer(seconds, stop)
        timer.start()
        try:
            _send(there, kind, given, files)
            return _heard(back, tell)
        finally:
            timer.cancel()


def _send(there: BinaryIO, kind: str, given: Mapping[str, Any], files: Mapping[str, Path]) -> None:
    sizes = [[name, path.stat().st_size] for name, path in files.items()]
    with suppress(BrokenPipeError, ConnectionResetError):
        there.write(json.dumps({"kind": kind, "given": dict(given), "files": sizes}).encode() + b"\n")
        for path in files.values():
            with path.open("rb") as file:
                shutil.copyfileobj(file, there, 1024 * 1024)
        there.flush()


def _heard(back: BinaryIO, tell: Tell) -> Any:
    for line in back:
        told = json.loads(line)
        if "progress" in told:
            tell(told["progress"])
        elif "answer" in told:
            return told["answer"]
        elif "not_run" in told:
            raise NoSandbox(told["not_run"])
        elif "refused" in told:
            raise ValueError(told["refused"])
        else:
            raise Faulty(str(told.get("fault", "it said something unknown")))
    raise Faulty("The sandbox's process ended without an answer, or took too long.")


@contextmanager
def _child() -> Iterator[tuple[BinaryIO, BinaryIO, Callable[[], None]]]:
    with subprocess.Popen(  # noqa: S603 - our own program
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT, cwd="/", start_new_session=True
    ) as process:
        there, back = cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout)
        try:
            yield there, back, process.terminate
        finally:
            _end(process)
            with suppress(BrokenPipeError):
                there.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Asked to go, it takes its rooms and folders with it; then it is not asked any more."""
    process.terminate()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()


@contextmanager
def _connected(service: str) -> Iterator[tuple[BinaryIO, BinaryIO, Callable[[], None]]]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as far:
        try:
            far.connect(service)
        except OSError as error:
            raise NoSandbox(
                f"No sandbox on this worker: its service does not answer ({os.strerror(error.errno or 0)})."
            ) from error
        with far.makefile("wb") as there, far.makefile("rb") as back:
            yield there, back, lambda: far.shutdown(socket.SHUT_RDWR)
