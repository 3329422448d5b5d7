"""Tests of the import contracts."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tests.codebase.project_files import ROOT


def test_import_contracts_are_kept():
    lint = Path(sys.executable).with_name("lint-imports")
    process = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout


def test_frozen_fork_of_the_state_machine_is_not_installed():
    with pytest.raises(PackageNotFoundError):
        version("django-fsm")  # it would write into the same folder as django-fsm-2
    assert version("django-fsm-2")
