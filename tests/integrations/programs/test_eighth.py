"""Is an eighth program one file? The example of the guide is put where programs are looked for."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from integrations.programs import content, registry
from integrations.programs.rendering import describe_edition
from integrations.programs.schema import Program

ROOT = Path(__file__).parents[3]
MODULE = "integrations.programs.content.boundary"


@pytest.fixture
def programs_by_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Program]]:
    guide = (ROOT / "docs" / "new-program.md").read_text()
    (tmp_path / "boundary.py").write_text(guide.split("```python\n")[1].split("```")[0])
    monkeypatch.setattr(content, "__path__", [*content.__path__, str(tmp_path)])
    yield registry.discover_programs()
    sys.modules.pop(MODULE, None)
    content.__dict__.pop("boundary", None)


def test_eighth_program_is_found_next_to_the_seven(programs_by_key):
    assert set(programs_by_key) == {*registry.PROGRAMS, "boundary"}
    assert len(programs_by_key) == 8


def test_eighth_program_has_a_complete_path(programs_by_key):
    edition = programs_by_key["boundary"].newest
    assert [str(stage) for _, stage in edition.positions()] == ["engage", "develop", "review", "release", "support"]
    assert {r.id: edition.deadline(r) for r in edition.requirements()} == {"BO-1": 1, "BO-2": 2, "BO-3": 4, "BO-4": 4}
    assert edition.release_tier.key == "verified"


def test_eighth_program_describes_itself(programs_by_key):
    description = describe_edition(programs_by_key["boundary"], programs_by_key["boundary"].newest)
    assert (description["key"], description["edition"], description["mailbox"]) == (
        "boundary",
        "2026-09",
        "boundary@example.com",
    )


def test_eighth_program_leaves_nothing_behind():
    assert "boundary" not in registry.discover_programs()
