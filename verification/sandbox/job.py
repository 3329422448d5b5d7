"""What runs in the process that makes rooms? One job, asked for on standard input, answered on standard output.

In: one line of JSON {"kind", "given", "files": [[name, size], …]}, then the bytes of the files, one behind the other.
Out: lines of JSON: any number of {"progress": …}, and at last one of {"answer": …}, {"not_run": why} where no room can
be had, {"refused": sentence} for what makes no sense, {"fault": what broke}.
"""

import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from verification.sandbox.base import NoSandbox
from verification.sandbox.room import unavailable

# kind → the function that does it: (given, files by name, tell) → what is answered
KINDS = {
    "schema": "verification.plugins.schema_job.answer",
    "lifecycle": "verification.rehearsal.lifecycle.job.answer",
    "nomad": "verification.rehearsal.nomad.job.answer",
}
MOST_FILE = 2 * 1024**3
PIECE = 1024 * 1024
Does = Callable[[Mapping[str, Any], Mapping[str, Path], Callable[[dict[str, Any]], None]], Any]


def _does(kind: str) -> Does:
    module, _, function = KINDS[kind].rpartition(".")
    does: Does = getattr(import_module(module), function)
    return does


def _file(stream: BinaryIO, path: Path, size: int) -> Path:
    left = size
    with path.open("wb") as file:
        while left:
            piece = stream.read(min(PIECE, left))
            if not piece:
                raise ValueError("The job was cut off.")
            left -= file.write(piece)
    path.chmod(0o755)
    return path


def _played(asked: BinaryIO, tell: Callable[..., None]) -> Any:
    """What the job answers; its files are gone afterwards. Raises what the job raises, and NoSandbox."""
    order = json.loads(asked.readline())
    with tempfile.TemporaryDirectory(prefix=f"job-{os.getpid()}-") as folder:
        files = {
            name: _file(asked, Path(folder, f"{number}-file"), min(size, MOST_FILE))
            for number, (name, size) in enumerate(order["files"])
        }
        if why := unavailable():  # else what this machine forbids would read as a fault of the partner's program
            raise NoSandbox(why)
        return _does(order["kind"])(order["given"], files, lambda what: tell(progress=what))


def play(asked: BinaryIO, told: BinaryIO) -> None:
    """One job from stream to stream."""

    def tell(**what: Any) -> None:
        told.write(json.dumps(what).encode() + b"\n")
        told.flush()

    try:
        tell(answer=_played(asked, tell))  # nothing is left by then: whoever hears it may end us at once
    except NoSandbox as why:
        tell(not_run=str(why))
    except ValueError as sentence:
        tell(refused=str(sentence))
    except BrokenPipeError:
        return
    except Exception as fault:
        tell(fault=f"{type(fault).__name__}: {fault}"[:500])


def _leave(*_: object) -> NoReturn:
    """Asked to go, it takes its rooms and folders with it; asked again, it does not stop doing so."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def main() -> None:
    signal.signal(signal.SIGTERM, _leave)
    told = sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever is printed on the way is no answer
    play(sys.stdin.buffer, told)


if __name__ == "__main__":
    main()
