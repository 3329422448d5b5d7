"""Fixtures of the program tests."""

from pathlib import Path

import pytest

from tests.integrations.programs.guide_edition import EDITION, Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the guide's edition with replacements of its text, and return the path."""

    def write(*changes: tuple[str, str], program: str = "boundary", date: str = "2026-09") -> Path:
        text = EDITION
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new, 1)
        path = tmp_path / program / f"{date}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return write
