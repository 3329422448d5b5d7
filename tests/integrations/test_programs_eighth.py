"""Is an eighth program one file? The example of the guide is put where programs are looked for."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from integrations import programs
from integrations.programs.base import Program
from integrations.programs.describe import describe

ROOT = Path(__file__).parents[2]
MODULE = "integrations.programs.boundary"


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Program]]:
    guide = (ROOT / "docs" / "new-program.md").read_text()
    (tmp_path / "boundary.py").write_text(guide.split("```python\n")[1].split("```")[0])
    monkeypatch.setattr(programs, "__path__", [*programs.__path__, str(tmp_path)])
    yield programs.discover()
    sys.modules.pop(MODULE, None)
    programs.__dict__.pop("boundary", None)


def test_eighth_program_is_found_beside_the_seven(found):
    assert set(found) == {*programs.PROGRAMS, "boundary"}
    assert len(found) == 8


def test_eighth_program_has_a_complete_path(found):
    edition = found["boundary"].newest
    assert [str(stage) for _, stage in edition.positions()] == ["engage", "develop", "review", "release", "support"]
    assert {r.id: edition.deadline(r) for r in edition.requirements()} == {"BO-1": 1, "BO-2": 2, "BO-3": 4, "BO-4": 4}
    assert edition.release_tier.key == "verified"


def test_eighth_program_describes_itself(found):
    said = describe(found["boundary"], found["boundary"].newest)
    assert (said["key"], said["edition"], said["mailbox"]) == ("boundary", "2026-09", "boundary@example.com")


def test_eighth_program_leaves_nothing_behind():
    assert "boundary" not in programs.discover()
