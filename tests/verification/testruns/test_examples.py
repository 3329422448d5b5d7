"""Tests that each example starts as its description says."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_starts_from_any_folder(example: Path, tmp_path: Path) -> None:
    process = subprocess.run([sys.executable, str(example), "--help"], cwd=tmp_path, capture_output=True, check=False)
    assert (process.returncode, process.stderr) == (0, b"")
