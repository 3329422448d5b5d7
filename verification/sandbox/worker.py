"""Process that opens environments for one job, with the request on standard input and the response on output.

In: one line of JSON {"kind", "arguments", "size"}, then as many bytes of the executable.
Out: lines of JSON: any number of {"progress": …}, then one of {"answer": …}, {"not_run": reason} if no sandbox can run,
{"refused": message} if the job is invalid, or {"error": message} if the portal failed.
"""

import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import BinaryIO, NoReturn

from verification.sandbox.environment import find_obstacle
from verification.sandbox.types import SandboxUnavailable

# Each takes arguments, the executable, and a function for reports, and returns the answer.
KINDS = {
    "schema": "verification.testruns.kinds.provider_schema.reader:run_job",
    "lifecycle": "verification.testruns.kinds.provider_lifecycle.driver:ProviderLifecycleTestRunner.run_job",
    "nomad": "verification.testruns.kinds.nomad_plugin.driver:NomadPluginTestRunner.run_job",
    "packer": "verification.plugins.packer:run_job",
}
MAX_FILE_SIZE = 2 * 1024**3
PIECE_SIZE = 1024 * 1024


def _receive_file(stream: BinaryIO, path: Path, size: int) -> Path:
    if size > MAX_FILE_SIZE:
        raise ValueError(f"A file is larger than {MAX_FILE_SIZE // 1024**3} GiB.")
    remaining = size
    with path.open("wb") as file:
        while remaining:
            piece = stream.read(min(PIECE_SIZE, remaining))
            if not piece:
                raise ValueError("The job was cut off.")
            remaining -= file.write(piece)
    path.chmod(0o755)
    return path


def _run(request: BinaryIO, send: Callable[..., None]) -> object:
    """Return the response of the job, and remove its executable. Raises the exceptions of the job."""
    job = json.loads(request.readline())
    with tempfile.TemporaryDirectory(prefix=f"sandbox-job-{os.getpid()}-") as folder:
        executable = _receive_file(request, Path(folder, "executable"), job["size"])
        # Otherwise, a restriction of this machine would look like an error of the partner's program.
        if obstacle := find_obstacle():
            raise SandboxUnavailable(obstacle)
        run_job = resolve_name(KINDS[job["kind"]])
        return run_job(job["arguments"], executable, lambda progress: send(progress=progress))


def run_job(request: BinaryIO, response: BinaryIO) -> None:
    """Run one job from stream to stream."""

    def send(**message: object) -> None:
        response.write(json.dumps(message).encode() + b"\n")
        response.flush()

    try:
        send(answer=_run(request, send))  # after the cleanup, because the reader can kill this process immediately
    except SandboxUnavailable as reason:
        send(not_run=str(reason))
    except ValueError as error:
        send(refused=str(error))
    except BrokenPipeError:
        return
    except Exception as error:
        send(error=f"{type(error).__name__}: {error}"[:500])


def _leave(*_: object) -> NoReturn:
    """Exit after closing all environments and folders. A second request doesn't interrupt this."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def main() -> None:
    """Run the job on standard input."""
    signal.signal(signal.SIGTERM, _leave)
    response = sys.stdout.buffer
    sys.stdout = sys.stderr  # other output must not look like a response
    run_job(sys.stdin.buffer, response)


if __name__ == "__main__":
    main()
