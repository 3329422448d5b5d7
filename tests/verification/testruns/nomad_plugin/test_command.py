"""Tests of the Nomad plugin test command."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.verification.markers import needs_sandbox
from tests.verification.testruns.nomad_plugin.world import READABLE, write_executable

READABLE_ARGUMENTS = [word for folder in READABLE for word in ("--readable", str(folder))]


@pytest.fixture
def config(tmp_path: Path) -> str:
    file = tmp_path / "config.json"
    file.write_text('{"address": "127.0.0.1:9999"}')
    return str(file)


def test_invalid_arguments_are_explained(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="isn't a file"):
        call_command("run_test", "nomad-plugin", str(tmp_path / "nothing"), "--type", "driver")
    (tmp_path / "plugin").write_bytes(b"")
    (tmp_path / "config.json").write_text("[")
    with pytest.raises(CommandError, match="Error in line 1, column 2"):
        call_command(
            "run_test",
            "nomad-plugin",
            str(tmp_path / "plugin"),
            "--type",
            "driver",
            "--config",
            str(tmp_path / "config.json"),
        )


@needs_sandbox
def test_fault_exits_with_1(config: str, capsys: Any) -> None:
    with pytest.raises(SystemExit) as end:
        call_command(
            "run_test",
            "nomad-plugin",
            str(write_executable("device", "twins")),
            "--type",
            "device",
            "--config",
            config,
            "--name",
            "example",
            "--version",
            "1.0.0",
            "--json",
            *READABLE_ARGUMENTS,
        )
    captured_output = capsys.readouterr()
    verdicts = {each["rule"]: each["outcome"] for each in json.loads(captured_output.out)["results"]}
    assert (end.value.code, [rule for rule, outcome in verdicts.items() if outcome != "pass"]) == (1, ["devices"])
    assert "PluginInfo: answered" in captured_output.err


def test_without_a_sandbox_the_command_exits_with_2(settings: Any, tmp_path: Path, capsys: Any) -> None:
    settings.SANDBOX_SOCKET = str(tmp_path / "missing.sock")
    with pytest.raises(SystemExit) as end:
        call_command("run_test", "nomad-plugin", str(write_executable("driver")), "--type", "driver")
    assert end.value.code == 2
    assert "Overall: not run" in capsys.readouterr().out
