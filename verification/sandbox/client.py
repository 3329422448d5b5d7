"""Client of the sandbox for processes that must not start untrusted programs themselves.

A service that listens on a socket (`verification.sandbox.server`) or a child process with an empty environment runs the
job. Requests and responses are the same: see `verification.sandbox.worker`.
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

from portal.core.value_types import JsonObject
from verification.sandbox.types import SandboxUnavailable

ROOT = Path(__file__).resolve().parents[2]
START = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from verification.sandbox.worker import main; main()"
# Isolated, so that neither variables nor the current folder decide what is imported.
COMMAND = [sys.executable, "-I", "-c", START]
# Our own environment contains the secrets of the portal.
VARIABLES = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
JOB_SECONDS = 300.0
GRACE_SECONDS = 5.0
COPY_SIZE = 1024 * 1024
ReportProgress = Callable[[JsonObject], None]


class SandboxProtocolError(Exception):
    """The sandbox's process failed, which is an error of the portal.

    Users can read the message. The cause has the details, which can contain credentials.
    """


def run_job(
    kind: str,
    arguments: Mapping[str, object],
    executable: Path,
    *,
    service: str = "",
    seconds: float = JOB_SECONDS,
    report: ReportProgress = lambda _: None,
) -> Any:
    """Run a job and return its response.

    Args:
        service: Path of the service's socket; blank for a child of this process.
        report: Called with each step of progress.

    Raises:
        SandboxUnavailable: No sandbox can run. The message has the reason.
        ValueError: The job is invalid. The message is a sentence.
        SandboxProtocolError: The portal failed.
    """
    with _connect(service) if service else _start_child() as (request, answer, stop):
        timer = Timer(seconds, stop)
        timer.start()
        try:
            _send(request, kind, arguments, executable)
            return _receive(answer, report)
        finally:
            timer.cancel()


def _send(request: BinaryIO, kind: str, arguments: Mapping[str, object], executable: Path) -> None:
    job = {"kind": kind, "arguments": dict(arguments), "size": executable.stat().st_size}
    # A job can be refused before its executable is read, and the response says why.
    with suppress(BrokenPipeError, ConnectionResetError), executable.open("rb") as file:
        request.write(json.dumps(job).encode() + b"\n")
        shutil.copyfileobj(file, request, COPY_SIZE)
        request.flush()


def _receive(answer: BinaryIO, report: ReportProgress) -> Any:
    for line in answer:
        if not line.endswith(b"\n"):
            break  # the process was stopped while it wrote
        message = json.loads(line)
        if "progress" in message:
            report(message["progress"])
        elif "answer" in message:
            return message["answer"]
        elif "not_run" in message:
            raise SandboxUnavailable(message["not_run"])
        elif "refused" in message:
            raise ValueError(message["refused"])
        else:
            raise SandboxProtocolError("An error on our side stopped the sandbox.") from RuntimeError(str(message))
    raise SandboxProtocolError("The sandbox's process ended without an answer, or took too long.")


@contextmanager
def _start_child() -> Iterator[tuple[BinaryIO, BinaryIO, Callable[[], None]]]:
    with subprocess.Popen(  # noqa: S603 - our own program
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=VARIABLES, cwd="/", start_new_session=True
    ) as process:
        request = cast(BinaryIO, process.stdin)
        answer = cast(BinaryIO, process.stdout)
        try:
            yield request, answer, process.terminate
        finally:
            _end(process)
            with suppress(BrokenPipeError):
                request.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to exit, so that it removes its folders, and kill it if it doesn't."""
    process.terminate()
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


@contextmanager
def _connect(service: str) -> Iterator[tuple[BinaryIO, BinaryIO, Callable[[], None]]]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(service)
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            raise SandboxUnavailable(f"No sandbox on this worker: its service does not answer ({reason}).") from error
        with connection.makefile("wb") as request, connection.makefile("rb") as answer:
            yield request, answer, lambda: connection.shutdown(socket.SHUT_RDWR)
