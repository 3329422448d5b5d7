"""Tests of a program that is added as the how-to guide describes."""

import shutil
from pathlib import Path

import pytest

from integrations.programs.loader import CONTENT, load_programs
from integrations.programs.registry import PROGRAMS
from integrations.programs.rendering import describe_edition
from integrations.programs.schema import Program
from tests.integrations.programs.guide_edition import EDITION


@pytest.fixture
def programs_by_key(tmp_path: Path) -> dict[str, Program]:
    """The programs, including the program of the guide."""
    content = tmp_path / "content"
    shutil.copytree(CONTENT, content)
    (content / "boundary").mkdir()
    (content / "boundary" / "2026-09.yaml").write_text(EDITION)
    return load_programs(content)


def test_new_program_is_loaded_with_the_others(programs_by_key):
    assert set(programs_by_key) == {*PROGRAMS, "boundary"}
    assert len(programs_by_key) == 8


def test_new_program_has_a_complete_path(programs_by_key):
    edition = programs_by_key["boundary"].editions[-1]
    assert [str(stage) for _, stage in edition.positions] == ["engage", "develop", "review", "release", "support"]
    assert {r.id: edition.get_deadline(r) for r in edition.list_requirements()} == {
        "BO-1": 1,
        "BO-2": 2,
        "BO-3": 4,
        "BO-4": 4,
    }
    assert edition.release_tier.key == "verified"


def test_new_program_is_described(programs_by_key):
    description = describe_edition(programs_by_key["boundary"], programs_by_key["boundary"].editions[-1], in_force=True)
    values = (description["key"], description["edition"], description["mailbox"])
    assert values == ("boundary", "2026-09", "boundary@example.com")
