"""What does Terraform need around it? The files, the environment, and a place where no sandbox is wanted.

A place is the sandbox's room, or a folder of this machine: both run, write and read alike.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from verification.sandbox.types import MEGABYTE, PROJECT, CommandResult, ExitReason, Limits
from verification.testruns.kinds.provider_lifecycle.config import Given, types_of

LIMITS = Limits(
    seconds=300, memory=2048 * MEGABYTE, disk=512 * MEGABYTE, processes=512, output=16 * MEGABYTE
)  # fmt: skip
SETTINGS = "terraform.rc"
INCOMPLETE = "incomplete.tf"
PROBE = "rehearsal_incomplete"
MACHINES = {"x86_64": "amd64", "aarch64": "arm64", "i686": "386", "armv7l": "arm"}


class Place(Protocol):
    """Where commands run."""

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0
    ) -> CommandResult: ...
    def locate(self, name: str) -> str: ...
    def write(self, name: str, data: bytes) -> None: ...
    def read(self, name: str) -> bytes: ...


def found_terraform() -> Path | None:
    """Terraform on this machine, or OpenTofu; None where there is neither."""
    found = shutil.which("terraform") or shutil.which("tofu")
    return Path(found).resolve() if found else None


def platform() -> str:
    """This machine as Terraform calls it: linux_amd64."""
    about = os.uname()
    return f"{about.sysname.lower()}_{MACHINES.get(about.machine, about.machine)}"


def files_of(given: Given, work: str = PROJECT) -> dict[str, bytes | Path]:
    """What is in /work from the beginning: the provider in a mirror of its own, Terraform, and its settings."""
    settings = f'provider_installation {{\n  filesystem_mirror {{\n    path = "{work}/mirror"\n  }}\n}}\n'
    files: dict[str, bytes | Path] = {
        provider_in(given): given.executable,
        "terraform": given.terraform,
        SETTINGS: settings.encode(),
        "main.tf": given.base.encode(),
        INCOMPLETE: b"",
    }
    if "required_providers" not in given.base:
        asked = f'{given.name} = {{\n      source  = "{given.source}"\n      version = "{given.version}"\n    }}'
        files["providers.tf"] = f"terraform {{\n  required_providers {{\n    {asked}\n  }}\n}}\n".encode()
    return files


def provider_in(given: Given) -> str:
    """Where the executable is below /work."""
    file = f"terraform-provider-{given.name}_v{given.version}"
    return f"mirror/{address_of(given.source)}/{given.version}/{platform()}/{file}"


def address_of(source: str) -> str:
    return source if source.count("/") > 1 else f"registry.terraform.io/{source}"


def environment(given: Given, work: str = PROJECT) -> dict[str, str]:
    """What Terraform is told, with what the partner gave."""
    quiet = {"CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1", "TF_INPUT": "0"}
    return {**given.environment, **quiet, "TF_CLI_CONFIG_FILE": f"{work}/{SETTINGS}"}


def incomplete(base: str) -> str:
    """A resource of which nothing is said; blank where the configuration declares none itself."""
    types = types_of(base)
    return f'resource "{types[0]}" "{PROBE}" {{}}\n' if types else ""


class Folder:
    """A folder of this machine: the same without a sandbox, for whoever tries a provider of their own."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder, self.env = folder, env

    def run(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0) -> CommandResult:
        began, seconds = time.monotonic(), seconds or LIMITS.seconds
        every = {**self.env, **(env or {})}
        process = subprocess.Popen(  # noqa: S603 - what this is for
            list(argv), cwd=self.folder, env=every, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            out, err = process.communicate(timeout=seconds)
            reason, code = ExitReason.FINISHED, process.returncode
        except subprocess.TimeoutExpired:
            _end(process)
            out, err = process.communicate()
            reason, code = ExitReason.TIMED_OUT, None
        _end(process)
        return CommandResult(reason, code, out, err, time.monotonic() - began, 0)

    def locate(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def write(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """It and whatever it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def unsandboxed(given: Given) -> Iterator[tuple[Place, str]]:
    """A folder with everything in it, and its path."""
    with tempfile.TemporaryDirectory(prefix="lifecycle-") as name:
        folder = Path(name)
        (folder / "home").mkdir()
        for file, data in files_of(given, name).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(data, bytes):
                (folder / file).write_bytes(data)
            else:
                (folder / file).symlink_to(data)
        yield Folder(folder, {"PATH": os.environ.get("PATH", ""), "HOME": f"{name}/home"}), name
