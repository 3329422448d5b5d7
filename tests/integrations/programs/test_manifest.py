"""A published edition whose file changes is reported."""

import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from integrations.programs import manifest
from integrations.programs.loader import CONTENT
from integrations.programs.management.commands import publish_editions


@pytest.fixture
def content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the content folder that the command uses."""
    folder = tmp_path / "content"
    shutil.copytree(CONTENT, folder)
    monkeypatch.setattr(publish_editions, "CONTENT", folder)
    return folder


def test_published_editions_are_unchanged_and_complete() -> None:
    assert [*manifest.find_changes(CONTENT), *manifest.find_unpublished(CONTENT)] == []


def test_changed_edition_is_refused(content: Path) -> None:
    path = content / "nomad" / "2021-04.yaml"
    path.write_text(path.read_text().replace("Nomad Integration Program", "Nomad integration program"))
    message = "nomad/2021-04.yaml: This published file has changed. Restore it and add a newer version."
    for arguments in ((), ("--check",)):
        with pytest.raises(CommandError) as refusal:
            call_command("publish_editions", *arguments)
        assert str(refusal.value) == message


def test_missing_edition_is_refused(content: Path) -> None:
    (content / "nomad" / "2021-04.yaml").unlink()
    with pytest.raises(CommandError) as refusal:
        call_command("publish_editions", "--check")
    assert str(refusal.value) == "nomad/2021-04.yaml: This published file is missing. Restore it."


def test_new_edition_is_published_once(content: Path) -> None:
    shutil.copy(content / "nomad" / "2021-04.yaml", content / "nomad" / "2027-01.yaml")
    with pytest.raises(CommandError) as refusal:
        call_command("publish_editions", "--check")
    assert str(refusal.value) == ("nomad/2027-01.yaml: This file is not published. Run `manage.py publish_editions`.")
    outputs = []
    for _ in range(2):
        call_command("publish_editions", stdout=(output := StringIO()))
        outputs.append(output.getvalue())
    assert outputs == ["nomad/2027-01.yaml\n", "Every file is in SHA256SUMS.\n"]
    call_command("publish_editions", "--check")
