"""The JSON Schema of editions, which editors use, agrees with the loader."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from integrations.programs.loader import CONTENT
from portal.core.content_files import read_yaml


@pytest.mark.parametrize("path", sorted(CONTENT.glob("*/*.yaml")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_editor_schema_accepts_every_edition_and_rejects_mistakes(path: Path) -> None:
    validator = Draft202012Validator(json.loads((CONTENT / "schema.json").read_text()))
    document = read_yaml(path)
    assert path.read_text().startswith("# yaml-language-server: $schema=../schema.json\n")
    assert [error.message for error in validator.iter_errors(document)] == []
    document["edition"]["steps"][0]["stage"] = "building"  # type: ignore[index]
    document["edition"]["date"] = "June 2026"  # type: ignore[index]
    assert [list(error.path) for error in validator.iter_errors(document)] == [
        ["edition", "date"],
        ["edition", "steps", 0, "stage"],
    ]
