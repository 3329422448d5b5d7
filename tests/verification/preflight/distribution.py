"""Builds the distribution portal-preflight and installs it alone, without a network."""

import ast
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.codebase.project_files import ROOT

PROJECT = ROOT / "packaging" / "preflight"
METADATA = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]


def run_pip(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def build_wheel(project: Path, folder: Path) -> Path:
    run_pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder, project)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install_alone(wheel: Path, folder: Path) -> None:
    """Install the wheel into an empty environment that has only the packages that it requires."""
    venv.create(folder)
    (site_packages,) = folder.glob("lib/python*/site-packages")
    for package in list_required_packages(METADATA["dependencies"]):
        for name in {path.parts[0] for path in distribution(package).files or ()} - {"..", "__pycache__"}:
            (site_packages / name).symlink_to(str(distribution(package).locate_file(name)))
    run_pip("--python", folder / "bin" / "python", "install", "--no-index", wheel)


def list_required_packages(requirements: Iterable[str]) -> set[str]:
    """Names of the packages and of those that they require, directly or not."""
    pending = [(Requirement(line), "") for line in requirements]
    names: set[str] = set()
    while pending:
        requirement, extra = pending.pop()
        names.add(canonicalize_name(requirement.name))
        for each in map(Requirement, distribution(requirement.name).requires or ()):
            if (each.marker is None or each.marker.evaluate({"extra": extra})) and each.name not in names:
                pending += [(each, extra) for extra in ("", *each.extras)]
    return names


def read_modules(wheel: Path) -> dict[str, ast.Module]:
    """Syntax tree of each module of the wheel by its path."""
    with ZipFile(wheel) as archive:
        return {name: ast.parse(archive.read(name)) for name in archive.namelist() if name.endswith(".py")}


def list_imports(tree: ast.AST) -> Iterator[str | None]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def list_strings(tree: ast.AST) -> list[str]:
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def read_files(wheel: Path) -> dict[str, bytes]:
    with ZipFile(wheel) as archive:
        return {Path(name).as_posix(): archive.read(name) for name in archive.namelist()}
