from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import (
    REPOSITORY,
    SUBJECT,
    FakeSources,
    build_registry_listing,
    code,
    release,
)
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.sources.errors import SourceUnavailableError
from verification.sources.github.responses import PullRequest

NOMAD = replace(SUBJECT, product="Nomad", program="nomad", category="container-runtime")
PULL = PullRequest(7, "Add rocket driver", "open", False, False, "https://github.com/hashicorp/nomad/pull/7")
ADDRESS = "https://github.com/hashicorp/nomad/pull/7"


@pytest.mark.parametrize(
    ("category", "name", "expected"),
    [
        ("container-runtime", "nomad-driver-rocket", Outcome.PASS),
        ("container-runtime", "rocket-driver", Outcome.WARN),
        ("gpus-hardware-devices", "nomad-device-rocket", Outcome.PASS),
        ("autoscaling", "nomad-autoscaler-rocket", Outcome.PASS),
        ("authentication-methods", "vault-plugin-auth-rocket", Outcome.PASS),
        ("secrets-engines", "vault-plugin-auth-rocket", Outcome.WARN),
        ("secrets-engines", "vault-plugin-secrets-", Outcome.WARN),
        ("storage", "anything", Outcome.NOT_RUN),
    ],
)
def test_name(category, name, expected):
    sources = FakeSources(repository_said=replace(REPOSITORY, name=name))
    assert CHECKS["plugin.name"].run(replace(NOMAD, category=category), sources).outcome == expected


def pull_request(address, pull_answer):
    subject = replace(NOMAD, answers={"NO-PR": {"pull_request": address}})
    return CHECKS["plugin.pull_request"].run(subject, FakeSources(pull_said=pull_answer))


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
def test_pull_request(change, expected):
    assert pull_request(ADDRESS, replace(PULL, **change)).outcome == expected


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/acme/nomad/pull/7",
        "https://github.com/hashicorp/nomad/issues/7",
        "no address",
        "https://github.com/hashicorp/nomad/pull/0",
        "https://github.com/hashicorp/nomad/pull/7x",
    ],
)
def test_address_that_is_no_pull_request_of_the_product(address):
    assert pull_request(address, PULL).outcome == Outcome.FAIL


def test_pull_missing_request():
    assert pull_request(ADDRESS, None).outcome == Outcome.FAIL
    with pytest.raises(SourceUnavailableError):
        pull_request(ADDRESS, SourceUnavailableError("Down."))


def of_code(key, texts, is_truncated=False):
    sources = FakeSources(releases_said=(release("v1.2.0"),), code_said=code(texts, is_truncated=is_truncated))
    return CHECKS[key].run(SUBJECT, sources).outcome


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("module a.b/c\nrequire github.com/hashicorp/packer-plugin-sdk v0.5.0\n", Outcome.PASS),
        ("module a.b/c\n", Outcome.WARN),
    ],
)
def test_packer_sdk(text, expected):
    assert of_code("plugin.packer_sdk", {"go.mod": text}) == expected


@pytest.mark.parametrize(
    ("files", "is_truncated", "expected"),
    [
        ({"variables.tf": 'variable "services" {\n}\n'}, False, Outcome.PASS),
        ({"main.tf": '  variable  "services"  {\n}\n'}, False, Outcome.PASS),
        ({"main.tf": '# variable "services" {\n'}, False, Outcome.FAIL),
        ({"modules/a/main.tf": 'variable "services" {\n}\n'}, False, Outcome.FAIL),
        ({"main.tf": 'variable "service" {\n}\n'}, False, Outcome.FAIL),
        ({"main.tf": ""}, True, Outcome.NOT_RUN),
    ],
)
def test_services(files, is_truncated, expected):
    assert of_code("nia.services", files, is_truncated) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (">= 0.13", Outcome.PASS),
        (">=   0.13", Outcome.PASS),
        ("~> 1.2", Outcome.PASS),
        (">= 0.12", Outcome.WARN),
        ("< 2.0", Outcome.WARN),
        ("nonsense", Outcome.WARN),
        ("", Outcome.WARN),
    ],
)
def test_terraform(version, expected):
    assert of_code("nia.terraform", {"main.tf": f'terraform {{\n  required_version = "{version}"\n}}\n'}) == expected


@pytest.mark.parametrize(
    ("provider_name", "tier", "expected"),
    [
        ("cisco/aci", "partner", Outcome.PASS),
        ("hashicorp/aws", "official", Outcome.PASS),
        ("cisco/aci", "community", Outcome.FAIL),
        ("cisco/aci", "", Outcome.FAIL),
        ("aci", "partner", Outcome.FAIL),
        ("", "partner", Outcome.NOT_RUN),
    ],
)
def test_provider(provider_name, tier, expected):
    subject = replace(SUBJECT, answers={"NI-2": {"provider": provider_name}})
    assert (
        CHECKS["nia.provider"].run(subject, FakeSources(published_said=build_registry_listing(tier=tier))).outcome
        == expected
    )


def test_provider_that_is_not_listed():
    subject = replace(SUBJECT, answers={"NI-2": {"provider": "cisco/aci"}})
    result = CHECKS["nia.provider"].run(subject, FakeSources())
    assert (result.outcome, result.missing_item) == (Outcome.FAIL, "cisco/aci in the registry")
