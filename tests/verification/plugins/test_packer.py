"""Tests of descriptions of Packer plugins: genuine and synthetic outputs, parsed and printed in the sandbox."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.verification.markers import needs_sandbox
from tests.verification.sandbox.programs import kill_bubblewrap_in_use
from verification.plugins.packer import parse_description, run_job
from verification.sandbox.types import SandboxUnavailable

FOLDER = Path(__file__).with_name("packer")
COMPLETE = {
    "version": "1.1.0",
    "api_version": "x5.0",
    "sdk_version": "0.6.7",
    "protocol_version": "v2",
    "builders": ["-packer-default-plugin-name-", "iso"],
    "provisioners": ["setup"],
    "post_processors": ["import"],
    "datasources": ["image"],
}
NO_COMPONENTS: dict[str, list[str]] = {"builders": [], "provisioners": [], "post_processors": [], "datasources": []}
OLD_SDK = NO_COMPONENTS | {
    "version": "0.2.0-dev",
    "api_version": "x5.0",
    "sdk_version": "0.3.2",
    "protocol_version": "",
    "provisioners": ["setup"],
}
DOCKER = NO_COMPONENTS | {
    "version": "1.0.11-dev",
    "api_version": "x5.0",
    "sdk_version": "0.5.4-dev",
    "protocol_version": "v2",
    "builders": ["-packer-default-plugin-name-"],
    "post_processors": ["import", "push", "save", "tag"],
}
PROBLEMS = {
    "empty": "The plugin prints no description.",
    "not-json": "The description isn't a JSON object: “Usage: packer-plugin-rocket [start builder|start provisioner]”.",
    "array": 'The description isn\'t a JSON object: “["x5.0"]”.',
    "truncated": 'The description isn\'t a JSON object: “{"version":"1.1.0","api_version":"x5.0","buil”.',
    "text-before": "The plugin prints other text before its description: “2024/03/01 10:00:00 [INFO] plugin starts”.",
    "no-version": "The description has no version.",
    "no-api-version": "The description has no api_version.",
    "malformed-api-version": "“5.0” isn't an API version, such as x5.0.",
    "other-major": "The plugin has API version x4.0. Packer supports x5.0.",
    "newer-minor": "The plugin has API version x5.1. Packer supports x5.0.",
    "no-components": "The plugin has no builder, provisioner, post-processor, or data source.",
    "object-of-builders": "builders isn't a list of names.",
    "number-as-version": "version isn't a string.",
}


def read_output(name: str) -> bytes:
    return (FOLDER / f"{name}.out").read_bytes()


@pytest.mark.parametrize(("name", "description"), [("complete", COMPLETE), ("docker", DOCKER), ("old-sdk", OLD_SDK)])
def test_valid_description_is_parsed(name: str, description: dict[str, object]) -> None:
    assert parse_description(read_output(name)) == description


@pytest.mark.parametrize("name", PROBLEMS)
def test_invalid_description_is_refused_with_its_problem(name: str) -> None:
    with pytest.raises(ValueError) as error:
        parse_description(read_output(name))
    assert str(error.value) == PROBLEMS[name]


def test_every_output_file_is_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.out")} == {"complete", "docker", "old-sdk", *PROBLEMS}


def write_packer_plugin(folder: Path, commands: str) -> str:
    """Return the path of an executable that runs shell commands for its subcommand `describe`."""
    path = folder / "packer-plugin-rocket"
    path.write_text(f'#!/bin/sh\n[ "$1" = describe ] || exit 9\n{commands}\n')
    path.chmod(0o755)
    return str(path)


@needs_sandbox
def test_command_prints_versions_and_components(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plugin = write_packer_plugin(tmp_path, f"cat {FOLDER}/complete.out")
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
    ("commands", "problem"),
    [
        (f"cat {FOLDER}/text-before.out", PROBLEMS["text-before"]),
        ("exit 3", "The program exited with exit code 3."),
    ],
)
def test_command_reports_the_problem_and_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], commands: str, problem: str
) -> None:
    plugin = write_packer_plugin(tmp_path, commands)
    with pytest.raises(SystemExit) as system_exit:
        call_command("inspect_packer_plugin", plugin, "--readable", str(FOLDER), "--json")
    report = json.loads(capsys.readouterr().out)
    assert (system_exit.value.code, report) == (1, {"problem": problem, "description": None})


@needs_sandbox
def test_failure_of_the_sandbox_is_not_blamed_on_the_plugin(tmp_path: Path) -> None:
    with kill_bubblewrap_in_use() as command:
        plugin = Path(write_packer_plugin(tmp_path, command))
        with pytest.raises(SandboxUnavailable, match="The sandbox failed"):
            run_job({}, plugin, lambda: None)


def test_command_refuses_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="isn't a file"):
        call_command("inspect_packer_plugin", str(tmp_path / "missing"))


def test_command_refuses_a_file_above_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2 * 1024**3 + 1)
    with pytest.raises(CommandError, match="Not run: A file is larger than 2 GiB") as error:
        call_command("inspect_packer_plugin", str(path))
    assert error.value.returncode == 2
