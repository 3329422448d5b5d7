"""Fixtures of the runtime."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def empty_data(sqlite_template: Path, tmp_path: Path) -> Path:
    """Return a new data folder with an empty database."""
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(sqlite_template, folder / "portal.sqlite3")
    return folder
