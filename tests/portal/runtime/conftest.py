"""Fixtures of the runtime's tests."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.portal.runtime.running_portal import ROOT


@pytest.fixture(scope="session")
def migrated_data(tmp_path_factory: Any) -> Path:
    """A data folder with a migrated database; to be copied, as making one takes its time."""
    folder = Path(tmp_path_factory.mktemp("migrated"))
    command = [sys.executable, "manage.py", "migrate", "-v0"]
    subprocess.run(command, cwd=ROOT, env={"PORTAL_DATA": str(folder)}, check=True)
    return folder


@pytest.fixture
def empty_data(migrated_data: Path, tmp_path: Path) -> Path:
    """A data folder of its own, with an empty database."""
    return Path(shutil.copytree(migrated_data, tmp_path / "data"))
