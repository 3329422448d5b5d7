"""A folder of this machine in which Terraform runs without a sandbox, for developers of a provider."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from verification.sandbox.types import CommandResult, ExitReason
from verification.testruns.kinds.provider_lifecycle.driver import LIMITS, ProviderLifecycleTestRunner


class LocalWorkspace:
    """The folder with the project files."""

    def __init__(self, folder: Path, files: Mapping[str, bytes | Path]) -> None:
        self.folder = folder
        # A separate home folder hides the developer's Terraform settings, plugins, and credentials, like the sandbox.
        self.env = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder / "home")}
        (folder / "home").mkdir()
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                self.write(name, content)
            else:
                # Executables of providers can be hundreds of megabytes.
                (folder / name).symlink_to(content)

    def run(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0) -> CommandResult:
        start = time.monotonic()
        process = subprocess.Popen(  # noqa: S603 - the developer's own provider
            argv,
            cwd=self.folder,
            env={**self.env, **(env or {})},
            # Terraform starts the provider as a child. The session makes them one group that can be killed together.
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        reason = ExitReason.FINISHED
        try:
            stdout, stderr = process.communicate(timeout=seconds or LIMITS.seconds)
        except subprocess.TimeoutExpired:
            _kill_group(process.pid)
            stdout, stderr = process.communicate()
            reason = ExitReason.TIMED_OUT
        _kill_group(process.pid)
        code = process.returncode if reason == ExitReason.FINISHED else None
        return CommandResult(reason, code, stdout, stderr, time.monotonic() - start, 0)

    def locate(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def write(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


def _kill_group(process_id: int) -> None:
    """Kill a process and its children."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process_id, signal.SIGKILL)


class UnsandboxedTestRunner(ProviderLifecycleTestRunner):
    """One test of a provider without a sandbox, with the permissions of this process."""

    @contextmanager
    def open_workspace(self, files: Mapping[str, bytes | Path]) -> Iterator[LocalWorkspace]:
        with tempfile.TemporaryDirectory(prefix="lifecycle-") as folder:
            yield LocalWorkspace(Path(folder), files)
