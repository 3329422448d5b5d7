"""Tests of the import contracts."""

import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tests.codebase.project_files import ROOT


def test_import_contracts_are_kept():
    lint = Path(sys.executable).with_name("lint-imports")
    process = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout


def test_layers_name_each_package():
    # import-linter ignores packages that no layer names, so a new app could import anything.
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    names = {name for layer in layers for name in layer.split(" | ")}
    folders = [
        path.parent
        for root in ("portal", "integrations", "verification")
        for path in ROOT.glob(f"{root}/*/__init__.py")
    ]
    assert {f"{folder.parent.name}.{folder.name}" for folder in folders} <= names


def test_frozen_fork_of_the_state_machine_is_not_installed():
    with pytest.raises(PackageNotFoundError):
        version("django-fsm")  # it would write into the same folder as django-fsm-2
    assert version("django-fsm-2")
