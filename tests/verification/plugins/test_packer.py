"""Descriptions of Packer plugins: a genuine output and synthetic ones, alone and from a plugin in the sandbox."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.verification.markers import needs_sandbox
from verification.plugins.packer import PackerDescription, PackerDescriptionError, parse_description

FOLDER = Path(__file__).with_name("packer")
COMPLETE = PackerDescription(
    version="1.1.0",
    api_version="x5.0",
    sdk_version="0.6.7",
    protocol_version="v2",
    builders=("-packer-default-plugin-name-", "iso"),
    provisioners=("setup",),
    post_processors=("import",),
    datasources=("image",),
)
OLD_SDK = PackerDescription("0.2.0-dev", "x5.0", "0.3.2", provisioners=("setup",))
# HashiCorp's plugin for Docker
DOCKER = PackerDescription(
    version="1.0.11-dev",
    api_version="x5.0",
    sdk_version="0.5.4-dev",
    protocol_version="v2",
    builders=("-packer-default-plugin-name-",),
    post_processors=("import", "push", "save", "tag"),
)
PROBLEMS = {
    "empty": "The plugin prints no description.",
    "no-json": "The description isn't a JSON object: “Usage: packer-plugin-rocket [start builder|start provisioner]”.",
    "array": 'The description isn\'t a JSON object: “["x5.0"]”.',
    "truncated": 'The description isn\'t a JSON object: “{"version":"1.1.0","api_version":"x5.0","buil”.',
    "text-before": ("The plugin prints other text before its description: “2024/03/01 10:00:00 [INFO] plugin starts”."),
    "no-version": "The description has no version.",
    "no-api-version": "The description has no api_version.",
    "malformed-api-version": "“5.0” isn't an API version, such as x5.0.",
    "other-major": "The plugin has API version x4.0. Packer supports x5.0.",
    "newer-minor": "The plugin has API version x5.1. Packer supports x5.0.",
    "no-components": "The plugin has no builder, provisioner, post-processor, or data source.",
    "object-of-builders": "builders isn't a list of names.",
    "number-as-version": "version isn't a string.",
}


def read(name: str) -> bytes:
    return (FOLDER / f"{name}.out").read_bytes()


@pytest.mark.parametrize(("name", "description"), [("complete", COMPLETE), ("docker", DOCKER), ("old-sdk", OLD_SDK)])
def test_description_names_versions_and_components(name: str, description: PackerDescription) -> None:
    assert parse_description(read(name)) == description


@pytest.mark.parametrize("name", PROBLEMS)
def test_description_that_packer_cannot_use_is_refused(name: str) -> None:
    with pytest.raises(PackerDescriptionError) as refusal:
        parse_description(read(name))
    assert str(refusal.value) == PROBLEMS[name]


def test_every_output_is_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.out")} == {"complete", "docker", "old-sdk", *PROBLEMS}


def write_plugin(folder: Path, body: str) -> str:
    """Return the path of an executable that runs the shell commands if it is asked to describe itself."""
    path = folder / "packer-plugin-rocket"
    path.write_text(f'#!/bin/sh\n[ "$1" = describe ] || exit 9\n{body}\n')
    path.chmod(0o755)
    return str(path)


@needs_sandbox
def test_command_prints_what_a_plugin_describes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plugin = write_plugin(tmp_path, f"cat {FOLDER}/complete.out")
    call_command("inspect_packer_plugin", plugin, "--readable", str(FOLDER))
    assert capsys.readouterr().out.splitlines() == [
        "version: 1.1.0",
        "api_version: x5.0",
        "sdk_version: 0.6.7",
        "builders: -packer-default-plugin-name-, iso",
        "provisioners: setup",
        "post_processors: import",
        "datasources: image",
    ]


@needs_sandbox
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (f"cat {FOLDER}/text-before.out", PROBLEMS["text-before"]),
        ("exit 3", "The program exited with exit code 3."),
    ],
)
def test_command_fails_for_a_plugin_without_a_description(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str, problem: str
) -> None:
    plugin = write_plugin(tmp_path, body)
    with pytest.raises(SystemExit) as end:
        call_command("inspect_packer_plugin", plugin, "--readable", str(FOLDER), "--json")
    report = json.loads(capsys.readouterr().out)
    assert (end.value.code, report) == (1, {"problem": problem, "description": None})


def test_command_needs_a_file(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="isn't a file"):
        call_command("inspect_packer_plugin", str(tmp_path / "nothing"))
