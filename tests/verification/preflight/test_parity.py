"""Tests that preflight and the portal return the same results."""

import io
import json
import os
import subprocess
import sys

import pytest
from django.utils import timezone

from tests.codebase.project_files import ROOT
from tests.conftest import create_integration
from tests.fakes.github.server import TOKEN
from tests.verification.preflight.conftest import NAME
from verification.checks import execution
from verification.checks.models import CheckResult
from verification.checks.services.runner import (
    build_integration_subject,
    list_checked_requirements,
    run_integration_checks,
)
from verification.preflight.cli import main

pytestmark = [pytest.mark.any_database, pytest.mark.github]
COMMAND = "import sys; from verification.preflight.cli import main; code = main(sys.argv[1:]); "
MODULES = "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr); sys.exit(code)"
# packages of the portal that preflight doesn't need
PORTAL_ONLY = {
    "allauth",
    "celery",
    "gunicorn",
    "icalendar",
    "lucide",
    "psycopg",
    "redis",
    "whitenoise",
}


def run_json_preflight(name):
    out = io.StringIO()
    main(["terraform-provider", name, "--format", "json"], out, io.StringIO())
    return json.loads(out.getvalue())


def select_compared_fields(checks):
    return {check["id"]: (check["outcome"], check["summary"], check["evidence"]) for check in checks}


@pytest.mark.django_db
@pytest.mark.parametrize("name", [NAME, "acme/terraform-provider-lander"])
def test_preflight_and_the_portal_return_equal_results(world, acme, alice, name):
    """The integration has no owner ID and no homepage, which only the portal checks."""
    facts = {"repository_id": world[name]["id"], "repository_owner_id": None, "homepage": ""}
    row = create_integration(acme, alice, "terraform-provider", repository=name, category="", **facts)
    run_integration_checks(row, now=timezone.now())
    stored_results = CheckResult.objects.filter(integration=row).newest()
    portal_results = {result.key: (result.outcome, result.summary, result.evidence) for result in stored_results}
    assert select_compared_fields(run_json_preflight(name)["checks"]) == portal_results
    assert set(portal_results) == {key for requirement in list_checked_requirements(row) for key in requirement.checks}


@pytest.mark.django_db
def test_subjects_differ_only_in_data_of_the_portal(acme, alice):
    """The subjects differ only in data that a repository's name doesn't provide."""
    row = create_integration(acme, alice, "terraform-provider", category="")
    integration_subject = build_integration_subject(row)
    command_subject = execution.build_subject(row.program, row.edition, row.repository)
    differing = {
        name
        for name in command_subject.__slots__
        if getattr(command_subject, name) != getattr(integration_subject, name)
    }
    portal_only = {
        "name",
        "repository_id",
        "repository_owner_id",
        "homepage",
        "description",
        "listing_status",
        "answers",
    }
    assert differing - {"now", "known", "tier"} <= portal_only


def test_command_runs_without_settings_and_without_a_database(world, github, registry, tmp_path):
    addresses = {"GITHUB_API_URL": github.url, "REGISTRY_URL": registry.url, "GITHUB_TOKEN": TOKEN}
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **addresses}
    command = [sys.executable, "-c", COMMAND + MODULES, "terraform-provider", NAME, "--format", "json"]
    process = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    *progress, modules = process.stderr.splitlines()
    expected_report = run_json_preflight(NAME)
    command_report = json.loads(process.stdout)
    assert select_compared_fields(command_report["checks"]) == select_compared_fields(expected_report["checks"])
    assert (process.returncode, len(progress)) == (command_report["exit"], len(expected_report["checks"]))
    assert set(modules.split()) & PORTAL_ONLY == set()
    assert TOKEN not in process.stdout + process.stderr
    assert list(tmp_path.iterdir()) == []


def test_refused_token_is_not_printed(world, github, registry, tmp_path):
    addresses = {"GITHUB_API_URL": github.url, "REGISTRY_URL": registry.url, "GITHUB_TOKEN": "ghp_a_wrong_secret"}
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **addresses}
    command = [sys.executable, "-m", "verification.preflight.cli", "terraform-provider", NAME]
    process = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert process.returncode == 3
    assert "doesn't accept" in process.stdout
    assert "wrong_secret" not in process.stdout + process.stderr
