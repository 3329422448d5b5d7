"""Tests of the GitHub Action and the pre-commit hook of portal-preflight."""

import json
import os
import subprocess
import sys

import pytest
import yaml

from tests.codebase.project_files import ROOT
from tests.fakes.github.server import TOKEN
from tests.verification.preflight.conftest import NAME, PROGRAM
from tests.verification.preflight.distribution import PROJECT
from tests.verification.preflight.sarif_schema import validate_sarif

ACTION = yaml.safe_load((PROJECT / "action.yml").read_text())
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


def test_action_fits_the_schema():
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions"]
    process = subprocess.run([*command, PROJECT / "action.yml"], capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr


def run_action(run_installed, **inputs):
    """Run the step of the action as a runner does: `bash -eo pipefail`, inputs in variables."""
    (step,) = ACTION["runs"]["steps"]
    values = {
        name: str(input_definition.get("default", "")) for name, input_definition in ACTION["inputs"].items()
    } | inputs
    variables = {
        name: values[expression.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, expression in step["env"].items()
    }
    variables |= {"GITHUB_TOKEN": TOKEN, "GITHUB_ACTION_PATH": str(PROJECT), "GITHUB_REPOSITORY": NAME}
    return run_installed("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], **variables)


@pytest.mark.github
def test_action_annotates_the_workflow(run_installed):
    arguments = "--path . --only repository.license"
    process = run_action(run_installed, program=PROGRAM, arguments=arguments)
    assert process.returncode == 1, process.stderr
    assert process.stdout.startswith("::error file=LICENSE,line=1,title=License::")


@pytest.mark.github
def test_action_writes_a_file_and_passes_without_findings(run_installed, tmp_path):
    process = run_action(
        run_installed, program=PROGRAM, format="sarif", output="out.sarif", arguments="--only go.module"
    )
    assert process.returncode == 0, process.stderr
    assert (tmp_path / "empty" / "out.sarif").read_text() == process.stdout
    validate_sarif(json.loads(process.stdout))


def run_hook(run_installed, *arguments):
    """Run the hook as pre-commit runs scripts: the file of its repository, its own arguments, the user's."""
    script, *default_arguments = HOOK["entry"].split()
    return run_installed(ROOT / script, *default_arguments, *arguments)


def test_hook_has_what_pre_commit_requires():
    assert set(HOOK) == {"id", "name", "description", "entry", "language", "pass_filenames"}
    assert (HOOK["language"], HOOK["pass_filenames"]) == ("script", False)
    assert os.access(ROOT / HOOK["entry"].split()[0], os.X_OK)


@pytest.mark.github
def test_hook_fails_only_for_findings(run_installed, tmp_path):
    process = run_hook(run_installed, PROGRAM, NAME)
    assert process.returncode == 1, process.stderr
    (tmp_path / "empty" / "LICENSE").write_text((ROOT / "LICENSE").read_text())
    process = run_hook(run_installed, PROGRAM, NAME)
    assert process.returncode == 0, process.stdout
