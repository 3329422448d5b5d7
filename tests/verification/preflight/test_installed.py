"""Tests of portal-preflight installed alone."""

import io
import json

import pytest
from django.core.management import call_command

from tests.codebase.project_files import ROOT
from tests.verification.preflight.conftest import NAME, PROGRAM
from tests.verification.preflight.sarif_schema import validate_sarif

PACKAGES_SCRIPT = "from importlib.util import find_spec; print(*filter(find_spec, {names!r}))"


def run_check_repository(name):
    out = io.StringIO()
    try:
        call_command("check_repository", name, program=PROGRAM, format="json", stdout=out, stderr=io.StringIO())
    except SystemExit as exit_error:
        return exit_error.code, json.loads(out.getvalue())
    return 0, json.loads(out.getvalue())


@pytest.mark.github
def test_environment_has_neither_the_portal_nor_django(run_installed):
    names = ["portal_preflight", "portal", "integrations", "verification", "django", "celery", "flit_core"]
    process = run_installed("python", "-c", PACKAGES_SCRIPT.format(names=names))
    assert (process.returncode, process.stdout.split()) == (0, ["portal_preflight"]), process.stderr


@pytest.mark.github
@pytest.mark.parametrize("name", [NAME, "acme/terraform-provider-lander"])
def test_results_equal_those_of_the_portal(run_installed, name):
    process = run_installed("portal-preflight", PROGRAM, name, "--format", "json")
    assert (process.returncode, json.loads(process.stdout)) == run_check_repository(name)


@pytest.mark.github
@pytest.mark.parametrize("name", [NAME, "acme/terraform-provider-lander"])
def test_sarif_is_valid_and_has_the_same_findings(run_installed, name):
    process = run_installed("portal-preflight", PROGRAM, name, "--format", "sarif")
    log = json.loads(process.stdout)
    validate_sarif(log)
    code, report = run_check_repository(name)
    findings = [check["id"] for check in report["checks"] if check["outcome"] in {"fail", "warn"}]
    assert (process.returncode, [result["ruleId"] for result in log["runs"][0]["results"]]) == (code, findings)
    rules = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    assert rules == [check["id"] for check in report["checks"]]


@pytest.mark.github
def test_help_lists_the_exit_codes(run_installed):
    process = run_installed("portal-preflight", "--help")
    codes = process.stdout.partition("exit codes:\n")[2].splitlines()
    assert [line.split()[0] for line in codes] == ["0", "1", "2", "3", "130"]
    page = (ROOT / "docs/how-to/run-preflight.md").read_text()
    assert [line.split()[1] for line in page.partition("| Exit code")[2].splitlines()[2:7]] == [
        line.split()[0] for line in codes
    ]
