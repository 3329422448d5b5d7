"""Workspace of Terraform: its files, its environment, and a local folder for runs without a sandbox.

A workspace is a sandbox environment or a local folder. Both run commands and read and write files.
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
from verification.testruns.kinds.provider_lifecycle.config import ProviderLifecycleTarget, list_resource_types

LIMITS = Limits(seconds=300, memory=2048 * MEGABYTE, disk=512 * MEGABYTE, processes=512, output=16 * MEGABYTE)
SETTINGS_FILE = "terraform.rc"
INCOMPLETE_FILE = "incomplete.tf"
PROBE_NAME = "test_incomplete"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "i686": "386", "armv7l": "arm"}


class Workspace(Protocol):
    """Interface of a place that runs commands."""

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0
    ) -> CommandResult: ...
    def locate(self, name: str) -> str: ...
    def write(self, name: str, data: bytes) -> None: ...
    def read(self, name: str) -> bytes: ...


def find_terraform() -> Path | None:
    """Return the path of Terraform or OpenTofu on this machine, None without either."""
    path = shutil.which("terraform") or shutil.which("tofu")
    return Path(path).resolve() if path else None


def get_platform() -> str:
    """Return the platform of this machine as Terraform names it: linux_amd64."""
    system = os.uname()
    return f"{system.sysname.lower()}_{ARCHITECTURES.get(system.machine, system.machine)}"


def build_files(target: ProviderLifecycleTarget, folder_path: str = PROJECT) -> dict[str, bytes | Path]:
    """Return the initial files of /work: Terraform, its settings, and the provider in a local mirror."""
    settings = f'provider_installation {{\n  filesystem_mirror {{\n    path = "{folder_path}/mirror"\n  }}\n}}\n'
    files: dict[str, bytes | Path] = {
        get_provider_path(target): target.executable,
        "terraform": target.terraform,
        SETTINGS_FILE: settings.encode(),
        "main.tf": target.base.encode(),
        INCOMPLETE_FILE: b"",
    }
    if "required_providers" not in target.base:
        requirement = (
            f'{target.name} = {{\n      source  = "{target.source}"\n      version = "{target.version}"\n    }}'
        )
        files["providers.tf"] = f"terraform {{\n  required_providers {{\n    {requirement}\n  }}\n}}\n".encode()
    return files


def get_provider_path(target: ProviderLifecycleTarget) -> str:
    """Return the path of the executable below /work."""
    file = f"terraform-provider-{target.name}_v{target.version}"
    return f"mirror/{build_source_address(target.source)}/{target.version}/{get_platform()}/{file}"


def build_source_address(source: str) -> str:
    return source if source.count("/") > 1 else f"registry.terraform.io/{source}"


def build_environment(target: ProviderLifecycleTarget, folder_path: str = PROJECT) -> dict[str, str]:
    """Return the environment of Terraform, including the partner's variables."""
    defaults = {"CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1", "TF_INPUT": "0"}
    return {**target.environment, **defaults, "TF_CLI_CONFIG_FILE": f"{folder_path}/{SETTINGS_FILE}"}


def build_incomplete_config(base: str) -> str:
    """Return a resource without arguments, blank if the configuration declares no resource."""
    types = list_resource_types(base)
    return f'resource "{types[0]}" "{PROBE_NAME}" {{}}\n' if types else ""


class LocalWorkspace:
    """A folder of this machine, without a sandbox."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder, self.env = folder, env

    def run(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float = 0) -> CommandResult:
        start, seconds = time.monotonic(), seconds or LIMITS.seconds
        variables = {**self.env, **(env or {})}
        process = subprocess.Popen(  # noqa: S603 - what this is for
            list(argv),
            cwd=self.folder,
            env=variables,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            stdout, stderr = process.communicate(timeout=seconds)
            reason, code = ExitReason.FINISHED, process.returncode
        except subprocess.TimeoutExpired:
            _kill_process_group(process)
            stdout, stderr = process.communicate()
            reason, code = ExitReason.TIMED_OUT, None
        _kill_process_group(process)
        return CommandResult(reason, code, stdout, stderr, time.monotonic() - start, 0)

    def locate(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def write(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


def _kill_process_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process and its children."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def open_local_workspace(target: ProviderLifecycleTarget) -> Iterator[tuple[Workspace, str]]:
    """Create a folder with all files and yield it with its path."""
    with tempfile.TemporaryDirectory(prefix="lifecycle-") as name:
        folder = Path(name)
        (folder / "home").mkdir()
        for file, data in build_files(target, name).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(data, bytes):
                (folder / file).write_bytes(data)
            else:
                (folder / file).symlink_to(data)
        yield LocalWorkspace(folder, {"PATH": os.environ.get("PATH", ""), "HOME": f"{name}/home"}), name
