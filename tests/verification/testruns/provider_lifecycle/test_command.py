"""Tests of the provider acceptance test command."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.verification.markers import needs_sandbox, needs_terraform_or_opentofu
from tests.verification.testruns.provider_lifecycle.world import (
    BASE,
    CANARY,
    CHANGED_CONFIG,
    write_executable,
)
from verification.testruns import terraform_cli


@pytest.fixture
def options(tmp_path: Path) -> list[str]:
    """Return the options of a test run."""
    for name, text in (("main.tf", BASE), ("changed.tf", CHANGED_CONFIG), ("env", f"EXAMPLE_TOKEN={CANARY}")):
        (tmp_path / name).write_text(text)
    files = {"--config": "main.tf", "--changed": "changed.tf", "--env-file": "env"}
    return [word for option, name in files.items() for word in (option, str(tmp_path / name))]


def test_invalid_arguments_are_explained(options: list[str], tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="isn't a file"):
        call_command("run_test", "provider-lifecycle", str(tmp_path / "nothing"), *options)
    (tmp_path / "provider").write_bytes(b"")
    with pytest.raises(CommandError, match="Name the executable terraform-provider-NAME_v1"):
        call_command("run_test", "provider-lifecycle", str(tmp_path / "provider"), *options)
    with pytest.raises(CommandError, match="Enter line 1 as NAME=value"):
        call_command(
            "run_test", "provider-lifecycle", str(write_executable()), *options[:-1], str(tmp_path / "main.tf")
        )
    with pytest.raises(CommandError, match="Enter the source as NAMESPACE/example"):
        call_command("run_test", "provider-lifecycle", str(write_executable()), *options, "--source", "acme/other")


def test_without_terraform_the_command_exits_with_2(options: list[str], monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert terraform_cli.find_terraform() is None
    with pytest.raises(SystemExit) as end:
        call_command("run_test", "provider-lifecycle", str(write_executable()), *options, "--json", "--unsandboxed")
    data = json.loads(capsys.readouterr().out)
    assert (end.value.code, data["outcome"], data["steps"]) == (2, "not_run", [])
    assert {each["summary"] for each in data["results"]} == {"Not run: this worker has no Terraform."}


@needs_terraform_or_opentofu
@needs_sandbox
def test_command_uses_terraform_where_the_sandbox_runs(
    options: list[str], tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    executable = tmp_path / "terraform-provider-example_v1.0.0"
    executable.write_text("#!/bin/sh\nexit 1\n")
    executable.chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SystemExit) as end:
        call_command("run_test", "provider-lifecycle", str(executable), *options, "--json")
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert (end.value.code, [step["key"] for step in steps][:2]) == (1, ["direct", "init"])


@needs_terraform_or_opentofu
def test_fault_exits_with_1_without_printing_credentials(options: list[str], capsys: Any) -> None:
    with pytest.raises(SystemExit) as end:
        call_command("run_test", "provider-lifecycle", str(write_executable("crash")), *options, "--unsandboxed")
    captured_output = capsys.readouterr()
    assert end.value.code == 1
    assert "FAIL     Apply creates the resources and updates the state: The provider crashed." in captured_output.out
    assert "Apply the plan: exit code 1 after" in captured_output.err
    assert CANARY not in captured_output.out + captured_output.err
