"""Tests of the checks of a provider's schema."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.verification.checks.fake_sources import REGISTRY, FakeSources
from verification.checks.rules.provider_schema import OBSERVATION_KEY
from verification.checks.types import CHECKS, Subject
from verification.schemas.engine import quality
from verification.schemas.engine.types import Node, ParsedSchema, Resource
from verification.sources.errors import SourceUnavailableError
from verification.testruns.kinds.provider_schema.kind import build_observation

SUBJECT = Subject("p", "e", "terraform", "Example", "acme/terraform-provider-example")
DIRECT = {"via": "direct", "read": True, "key": "", "problem": "", "protocol": 6, "seconds": 0.5, "peak": 50_000_000}
OBSERVATION = {
    "version": "1.0.0",
    "at": "2026-04-14T10:00:00+00:00",
    "protocol": 6,
    "readings": [DIRECT],
    "differences": None,
    "rules": [],
    "offered": {"resources": ["example_server"], "data-sources": []},
    "problem": "",
}
FEATURES = {"ephemeral_resources": 0, "resource_identities": 0, "list_resources": 0, "actions": 0}
TERRAFORM = DIRECT | {"via": "terraform", "protocol": 0}


def run_schema_check(key, **fields):
    result = CHECKS[key].run(replace(SUBJECT, known={OBSERVATION_KEY: OBSERVATION | fields} if fields else {}), None)
    return str(result.outcome), result.summary


@pytest.mark.parametrize(
    ("observations", "outcome", "summary"),
    [
        ({}, "not_run", "The portal hasn't read the schema yet."),
        ({"not_run": "No sandbox on this worker: x."}, "not_run", "No sandbox on this worker: x."),
        ({"readings": [DIRECT]}, "pass", "1 resource and 0 data sources over protocol 6."),
        (
            {"readings": [DIRECT, TERRAFORM], "differences": []},
            "pass",
            "1 resource and 0 data sources over protocol 6, the same through Terraform.",
        ),
        (
            {"readings": [DIRECT, TERRAFORM], "differences": ["provider"]},
            "fail",
            "The provider and Terraform return different schemas.",
        ),
        (
            {"readings": [DIRECT | {"read": False, "problem": "The provider didn't respond."}]},
            "fail",
            "The provider didn't respond.",
        ),
        (
            {"readings": [DIRECT, TERRAFORM | {"read": False, "problem": "The provider is invalid."}]},
            "fail",
            "Through Terraform: The provider is invalid.",
        ),
    ],
)
def test_reading_of_the_schema_has_its_outcome(observations, outcome, summary):
    assert run_schema_check("schema.read", **observations) == (outcome, summary)


def build_rule(key, count, *locations):
    return {
        "rules": [
            {"rule": key, "checked_count": count, "locations": [*locations], "violation_count": len(locations)},
        ]
    }


@pytest.mark.parametrize(
    ("key", "observations", "outcome", "summary"),
    [
        ("prefix", build_rule("prefix", 2), "pass", "All names start with the provider's name. Checked names: 2."),
        (
            "prefix",
            build_rule("prefix", 2, "resource a"),
            "fail",
            "Names without the provider's name at the start: 1 of 2.",
        ),
        ("descriptions", build_rule("descriptions", 2, "a", "b"), "warn", "Items without a description: 2 of 2."),
        ("deprecated", build_rule("deprecated", 0), "pass", "Nothing is deprecated."),
        (
            "deprecated",
            build_rule("deprecated", 1, "a"),
            "warn",
            "Deprecated items that don't mention their deprecation: 1 of 1.",
        ),
        (
            "sensitive",
            build_rule("sensitive", 1, "a"),
            "warn",
            "Attributes that are named like secrets, but aren't sensitive: 1 of 1.",
        ),
        ("sensitive", {"rules": []}, "not_run", "The schema couldn't be read."),
        ("sensitive", {}, "not_run", "The portal hasn't read the schema yet."),
        ("pages", {}, "not_run", "The portal hasn't read the schema yet."),
        ("pages", {"offered": {}}, "not_run", "The schema contains nothing that needs a page."),
        ("features", {}, "not_run", "The portal hasn't read the schema yet."),
        ("features", {"features": {}}, "not_run", "The schema couldn't be read."),
        ("features", {"features": FEATURES | {"actions": 1}}, "pass", "The schema has actions."),
        (
            "features",
            {"features": FEATURES | {"resource_identities": 2}},
            "not_run",
            "We found none of the features. Only Terraform 1.14 and newer prints all of them.",
        ),
        (
            "features",
            {"features": {key: 1 for key in FEATURES}},
            "pass",
            "The schema has ephemeral resources, Terraform Search, actions.",
        ),
        ("protocol", {"protocol": 0}, "not_run", "The provider didn't report its protocol."),
        ("protocol", {"protocol": 6}, "not_run", "No repository is set, so no protocol is declared."),
    ],
)
def test_rule_has_its_outcome(key, observations, outcome, summary):
    assert run_schema_check(f"schema.{key}", **observations) == (outcome, summary)


@pytest.mark.parametrize(
    ("versions_page", "outcome", "summary"),
    [
        (404, "not_run", "The registry's list of versions is not available: "),
        (
            '{"versions": []}',
            "not_run",
            "The registry does not list any version of registry.terraform.io/acme/example.",
        ),
        (SourceUnavailableError("Down."), "error", "We couldn't complete this check: Down."),
    ],
)
def test_unlisted_provider_declares_no_protocol(versions_page, outcome, summary):
    subject = replace(SUBJECT, namespace="acme", provider="example", known={OBSERVATION_KEY: OBSERVATION})
    sources = FakeSources(pages={f"{REGISTRY}/v1/providers/acme/example/versions": versions_page})
    result = CHECKS["schema.protocol"].run(subject, sources)
    assert (result.outcome, result.summary[: len(summary)]) == (outcome, summary)


def build_node(name, **fields):
    return Node(name=name, kind="string", **({"description": "It."} | fields))


SCHEMA = ParsedSchema(
    "registry.terraform.io/acme/example",
    Resource("provider", (build_node("api_token"),)),
    {
        "example_server": Resource(
            "example_server",
            (
                build_node("id", description=""),
                build_node("password", sensitive=True),
                build_node("old", deprecated=True),
            ),
            description="A server.",
        ),
        "other_thing": Resource(
            "other_thing",
            (build_node("plain", description=" "), build_node("gone", deprecated=True, description="")),
            deprecated=True,
        ),
    },
    {
        "example": Resource(
            "example", (build_node("secret", write_only=True), build_node("token_id")), description="All."
        )
    },
)


def test_each_rule_reports_the_locations_of_its_problems():
    locations_by_rule = {
        each["rule"]: (each["checked_count"], each["locations"]) for each in quality.evaluate_quality(SCHEMA)
    }
    assert locations_by_rule == {
        "prefix": (3, ["resource other_thing"]),
        "descriptions": (10, ["resource other_thing", "resource other_thing: plain", "resource other_thing: gone"]),
        "deprecated": (3, ["resource other_thing", "resource example_server: old", "resource other_thing: gone"]),
        "sensitive": (3, ["provider: api_token"]),
    }


def test_invalid_schema_is_a_problem_of_its_reading():
    records = {"readings": [DIRECT], "differences": None, "schema": {"format_version": "1.0", "provider_schemas": {}}}
    observation = build_observation(records, "1.0.0", datetime.now(UTC))
    assert [one["read"] for one in observation["readings"]] == [False]
    assert observation["readings"][0]["problem"].startswith("The schema can't be used: ")


def test_items_of_newer_terraform_are_counted():
    provider = {
        "resource_schemas": {"example_server": {"version": 0, "block": {}}},
        "resource_identity_schemas": {"example_server": {"version": 0, "attributes": {}}},
        "list_resource_schemas": {"example_server": {"version": 0, "block": {}}},
        "action_schemas": {"example_restart": {"block": {}}},
    }
    schemas = {"registry.terraform.io/acme/example": provider}
    records = {
        "readings": [DIRECT, TERRAFORM],
        "differences": [],
        "schema": {"format_version": "1.0", "provider_schemas": schemas},
    }
    assert build_observation(records, "1.0.0", datetime.now(UTC))["features"] == {
        "ephemeral_resources": 0,
        "resource_identities": 1,
        "list_resources": 1,
        "actions": 1,
    }
