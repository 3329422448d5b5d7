"""Tests of the checks of a provider with the emulated GitHub and a registry, over HTTP."""

from dataclasses import replace

import pytest

from integrations.programs.registry import PROGRAMS
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from verification.checks import execution
from verification.sources import Sources

NAME = "acme/terraform-provider-rocket"
PROGRAM = PROGRAMS["terraform-provider"]
FAMILIES = ("registry.", "repository.", "go.", "guide.", "docs.")
GO_MOD = "module github.com/acme/terraform-provider-rocket\n\ngo 1.22\n\nrequire github.com/acme/rocket-go v0.3.0\n"
FILES = {
    "main.go": "package main\n",
    "provider.go": "package main\n",
    "go.mod": GO_MOD,
    "internal/resource_server.go": "package internal\n",
    "internal/resource_server_test.go": "package internal\n",
    "docs/index.md": "# Rocket\n",
    "docs/resources/server.md": "# Server\n",
    "terraform-registry-manifest.json": '{"version": 1, "metadata": {"protocol_versions": ["6.0"]}}',
}


@pytest.fixture
def run_checks(github, registry):
    """Return a function that runs the checks of some families for a provider and returns the results by key."""
    github.seed(Repo(NAME, files=tuple(FILES.items())))
    registry.publish(Provider("acme/rocket", protocols=("6.0",)))

    def run(families=FAMILIES):
        repository = github.request("GET", f"/repos/{NAME}")
        subject = replace(
            execution.build_subject(PROGRAM, PROGRAM.editions[-1], NAME),
            repository_id=repository["id"],
            repository_owner_id=repository["owner"]["id"],
        )
        keys = [key for key in execution.list_check_keys(PROGRAM.editions[-1]) if key.startswith(families)]
        return execution.run_checks(keys, subject, Sources())

    return run


def test_valid_provider_has_only_the_expected_problems(run_checks, github):
    results = run_checks()
    assert {key: result.outcome for key, result in results.items() if result.outcome != "pass"} == {
        "repository.sbom": "fail",
        "registry.platforms": "warn",
        "go.framework": "warn",
        "go.acceptance_tests": "warn",
        "go.nightly": "warn",
        "docs.links": "not_run",
    }
    commit = github.request("GET", f"/repos/{NAME}/commits/v1.0.0")["sha"]
    assert dict(results["registry.protocols"].inspected_revisions)["commit"] == commit


def test_release_that_is_missing_in_the_registry_has_a_cause(run_checks, github):
    github.create_release(NAME, "v1.1.0")
    results = run_checks(("registry.",))
    assert results["registry.releases"].outcome in ("warn", "fail")
    assert results["registry.releases"].evidence[-1].value.startswith("The release has no files")
    assert results["registry.latest"].outcome in ("warn", "fail")


def test_moved_listing_names_its_new_address(run_checks, registry):
    registry.publish(Provider("acme/rocket", protocols=("6.0",), moved_to="acme/rocket2"))
    results = run_checks(("registry.",))
    assert results["registry.state"].summary == "The registry redirects users to acme/rocket2."
