"""Fixtures of a Go plugin that is built once for all workers and cached until its source changes."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.template_database import lock_folder
from verification.sandbox.environment import find_obstacle

SOURCE = Path(__file__).parent / "go"
GOPATH = Path("/usr/share/gocode")  # where Debian installs libraries
LIBRARIES = [GOPATH / "src" / name for name in ("github.com/hashicorp/go-plugin", "github.com/hashicorp/go-msgpack")]
MISSING_MESSAGE = "{} is missing. Run bin/test as root on Debian, which installs Go and HashiCorp's go-plugin."
BUILD_TIMEOUT_SECONDS = 300


@pytest.fixture(scope="session")
def go_plugin(pytestconfig: pytest.Config) -> Path:
    """Return the folder of the built plugin. Skip the test if it can't be built or started."""
    missing = [] if shutil.which("go") else ["Go"]
    missing += [library.name for library in LIBRARIES if not library.exists()]
    if reason := (MISSING_MESSAGE.format(missing[0]) if missing else find_obstacle()):
        pytest.skip(reason)
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(SOURCE.glob("*.go")))).hexdigest()
    folder = pytestconfig.cache.mkdir("go-plugin")
    with lock_folder(folder):
        if not (folder / digest).exists():
            _build_plugin(folder / digest)
    return folder / digest


def _build_plugin(folder: Path) -> None:
    # without modules and cgo: libraries come from Debian, and the executable needs nothing else in the sandbox
    variables = {"GO111MODULE": "off", "GOPATH": str(GOPATH), "GOFLAGS": "", "CGO_ENABLED": "0"}
    variables["GOGC"] = "off"  # the compiler ends before it needs the memory, and takes a quarter less time
    with TemporaryDirectory(dir=folder.parent) as output, TemporaryDirectory() as cache:
        environment = os.environ | variables | {"GOCACHE": cache}
        command = ["go", "build", "-o", f"{output}/plugin", "."]
        subprocess.run(command, cwd=SOURCE, env=environment, check=True, timeout=BUILD_TIMEOUT_SECONDS)
        Path(output).chmod(0o755)
        Path(output).rename(folder)
        Path(output).mkdir()  # because TemporaryDirectory deletes it


@pytest.fixture
def write_plugin(go_plugin: Path, tmp_path: Path) -> Callable[[str, str], Path]:
    """Return a function that writes an executable of a kind of plugin with a fault."""

    def write(kind: str, fault: str) -> Path:
        path = tmp_path / "terraform-provider-example_v1.0.0"
        path.write_text(f"#!/bin/sh\nEXAMPLE_KIND={kind} EXAMPLE_FAULT={fault} exec {go_plugin}/plugin\n")
        path.chmod(0o755)
        return path

    return write
