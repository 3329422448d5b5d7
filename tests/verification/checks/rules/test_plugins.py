"""Tests of the checks of plugins and modules: names, pull requests, and required code."""

from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import (
    REPOSITORY,
    SUBJECT,
    FakeSources,
    build_code_sources,
    build_registry_listing,
)
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.sources.errors import SourceUnavailableError
from verification.sources.github.responses import PullRequest

NOMAD = replace(SUBJECT, product="Nomad", program="nomad", category="container-runtime")
PULL_REQUEST = PullRequest(7, "Add rocket driver", "open", False, False, "https://github.com/hashicorp/nomad/pull/7")
PULL_REQUEST_URL = "https://github.com/hashicorp/nomad/pull/7"


@pytest.mark.parametrize(
    ("category", "name", "expected"),
    [
        ("container-runtime", "nomad-driver-rocket", Outcome.PASS),
        ("container-runtime", "rocket-driver", Outcome.WARN),
        ("gpus-hardware-devices", "nomad-device-rocket", Outcome.PASS),
        ("autoscaling", "nomad-autoscaler-rocket", Outcome.PASS),
        ("authentication-methods", "vault-plugin-auth-rocket", Outcome.PASS),
        ("secrets-engines", "vault-plugin-auth-rocket", Outcome.WARN),
        ("secrets-engines", "vault-plugin-secrets-rocket", Outcome.PASS),
        ("secrets-engines", "vault-plugin-database-rocket", Outcome.PASS),
        ("secrets-engines", "vault-plugin-secrets-", Outcome.WARN),
        ("storage", "anything", Outcome.NOT_RUN),
    ],
)
def test_name_must_match_the_category(category, name, expected):
    sources = FakeSources(repository_answer=replace(REPOSITORY, name=name))
    assert CHECKS["plugin.name"].run(replace(NOMAD, category=category), sources).outcome == expected


def run_pull_request_check(url, answer):
    subject = replace(NOMAD, answers={"NO-PR": {"pull_request": url}})
    return CHECKS["plugin.pull_request"].run(subject, FakeSources(pull_request_answer=answer))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, Outcome.PASS),
        ({"draft": True}, Outcome.WARN),
        ({"state": "closed", "merged": True}, Outcome.PASS),
        ({"state": "closed"}, Outcome.FAIL),
        ({"state": "closed", "draft": True}, Outcome.FAIL),
    ],
)
def test_pull_request_must_be_open_or_merged(change, expected):
    assert run_pull_request_check(PULL_REQUEST_URL, replace(PULL_REQUEST, **change)).outcome == expected


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/nomad/pull/7",
        "https://github.acme.example/hashicorp/nomad/pull/7",
        "https://github.com/hashicorp/nomad/issues/7",
        "no address",
        "https://github.com/hashicorp/nomad/pull/0",
        "https://github.com/hashicorp/nomad/pull/7x",
    ],
)
def test_url_that_is_not_a_pull_request_of_the_product_fails(url):
    assert run_pull_request_check(url, PULL_REQUEST).outcome == Outcome.FAIL


def test_missing_pull_request_fails_and_an_outage_is_raised():
    result = run_pull_request_check(PULL_REQUEST_URL, None)
    assert (result.outcome, result.missing_item) == (Outcome.FAIL, "the pull request 7")
    with pytest.raises(SourceUnavailableError):
        run_pull_request_check(PULL_REQUEST_URL, SourceUnavailableError("Down."))


def get_code_outcome(key, texts, is_truncated=False):
    sources = build_code_sources(texts, is_truncated=is_truncated)
    return CHECKS[key].run(SUBJECT, sources).outcome


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("module a.b/c\nrequire github.com/hashicorp/packer-plugin-sdk v0.5.0\n", Outcome.PASS),
        ("module a.b/c\n", Outcome.WARN),
    ],
)
def test_packer_plugin_sdk_is_required(text, expected):
    assert get_code_outcome("plugin.packer_sdk", {"go.mod": text}) == expected


@pytest.mark.parametrize(
    ("files", "is_truncated", "expected"),
    [
        ({"variables.tf": 'variable "services" {\n}\n'}, False, Outcome.PASS),
        ({"main.tf": '  variable  "services"  {\n}\n'}, False, Outcome.PASS),
        ({"main.tf": "variable services {\n}\n"}, False, Outcome.PASS),
        ({"main.tf": "variable services_by_name {\n}\n"}, False, Outcome.FAIL),
        ({"main.tf": '# variable "services" {\n'}, False, Outcome.FAIL),
        ({"main.tf": '/*\nvariable "services" {\n}\n*/\n'}, False, Outcome.FAIL),
        ({"modules/a/main.tf": 'variable "services" {\n}\n'}, False, Outcome.FAIL),
        ({"main.tf": 'variable "service" {\n}\n'}, False, Outcome.FAIL),
        ({"main.tf": ""}, True, Outcome.NOT_RUN),
    ],
)
def test_services_variable_is_required_in_the_root_module(files, is_truncated, expected):
    assert get_code_outcome("nia.services", files, is_truncated) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (">= 0.13", Outcome.PASS),
        (">=   0.13", Outcome.PASS),
        ("~> 1.2", Outcome.PASS),
        (">= 0.12", Outcome.WARN),
        ("> 0.12.31", Outcome.PASS),
        ("= 1.5.7", Outcome.PASS),
        (">= 0.12, != 0.12.31", Outcome.WARN),
        ("< 0.12", Outcome.WARN),
        ("~> 0.11.0", Outcome.WARN),
        ("= 0.11.3", Outcome.WARN),
        ("< 2.0", Outcome.WARN),
        ("nonsense", Outcome.WARN),
        ("", Outcome.WARN),
    ],
)
def test_terraform_constraint_must_start_at_0_13(version, expected):
    text = f'terraform {{\n  required_version = "{version}"\n}}\n'
    assert get_code_outcome("nia.terraform", {"main.tf": text}) == expected


@pytest.mark.parametrize("version", ["< 0.12", ">= 0.12"])
def test_summary_names_the_terraform_version_that_is_required(version):
    sources = build_code_sources({"main.tf": f'required_version = "{version}"\n'})
    assert (
        CHECKS["nia.terraform"].run(SUBJECT, sources).summary == f"{version} doesn't require Terraform 0.13 or newer."
    )


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"main.tf": 'required_version = "< 2.0"\n', "versions.tf": 'required_version = ">= 0.13"\n'}, Outcome.PASS),
        ({"main.tf": 'required_version = "< 2.0"\n', "versions.tf": 'required_version = ">= 0.12"\n'}, Outcome.WARN),
        ({f"{number}.tf": "" for number in range(20)}, Outcome.WARN),
        ({f"{number}.tf": "" for number in range(21)}, Outcome.NOT_RUN),
        ({**{f"{number}.tf": "" for number in range(20)}, "z.tf": 'required_version = ">= 0.13"\n'}, Outcome.NOT_RUN),
    ],
)
def test_constraints_of_all_files_count(files, expected):
    assert get_code_outcome("nia.terraform", files) == expected


@pytest.mark.parametrize(
    ("name", "tier", "expected"),
    [
        ("cisco/aci", "partner", Outcome.PASS),
        ("cisco/aci", "partner-premier", Outcome.PASS),
        ("hashicorp/aws", "official", Outcome.PASS),
        ("cisco/aci", "community", Outcome.FAIL),
        ("cisco/aci", "", Outcome.FAIL),
        ("aci", "partner", Outcome.FAIL),
        ("", "partner", Outcome.NOT_RUN),
    ],
)
def test_nia_provider_needs_the_partner_or_official_tier(name, tier, expected):
    subject = replace(SUBJECT, answers={"NI-2": {"provider": name}})
    sources = FakeSources(listing_answer=build_registry_listing(tier=tier))
    assert CHECKS["nia.provider"].run(subject, sources).outcome == expected


def test_unlisted_nia_provider_fails():
    subject = replace(SUBJECT, answers={"NI-2": {"provider": "cisco/aci"}})
    result = CHECKS["nia.provider"].run(subject, FakeSources())
    assert (result.outcome, result.missing_item) == (Outcome.FAIL, "cisco/aci in the registry")
