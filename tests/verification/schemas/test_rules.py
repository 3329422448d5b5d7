"""Tests of the Kubernetes rules for resource definitions."""

from typing import Any

import pytest

from tests.verification.schemas.definitions import build_crd
from verification.schemas.engine.kubernetes_rules import find_violations


@pytest.mark.parametrize(
    ("field", "violation"),
    [
        ({}, "the type is missing or unknown"),
        ({"type": "string", "pattern": "a"}, "pattern is not allowed"),
        ({"type": "array"}, "an array requires items, and other types don't allow them"),
        ({"type": "string", "properties": {}}, "properties requires the type object"),
        (
            {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
            "properties and additionalProperties are mutually exclusive",
        ),
        ({"type": "object", "required": ["a"]}, "a is required but not a property"),
        (
            {"type": "string", "x-kubernetes-list-type": "set"},
            "x-kubernetes-list-type is for arrays and must be atomic, set, or map",
        ),
        ({"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "set"}, "a set must contain scalars"),
        (
            {"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "map"},
            "x-kubernetes-list-type map requires keys and objects",
        ),
        (
            {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-map-keys": ["a"]},
            "x-kubernetes-list-map-keys requires x-kubernetes-list-type map",
        ),
        (
            {
                "type": "array",
                "items": {"type": "object", "properties": {"a": {"type": "string"}}},
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["a"],
            },
            "the key a must be a required scalar or have a default",
        ),
        ({"type": "object", "x-kubernetes-map-type": "set"}, "x-kubernetes-map-type must be granular or atomic"),
        ({"type": "string", "default": 7}, "the default doesn't match the schema"),
        ({"type": "string", "enum": ["a"], "default": "b"}, "the default doesn't match the schema"),
        (
            {"type": "string", "x-kubernetes-validations": [{"rule": " "}]},
            "a rule requires an expression and a one-line message",
        ),
    ],
)
def test_fault_of_a_field_is_reported(field: dict[str, Any], violation: str) -> None:
    one = build_crd()
    one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["extra"] = field
    assert find_violations(one)[0] == f"extra: {violation}"


def test_faults_of_names_and_versions_are_reported() -> None:
    one = build_crd()
    one["spec"]["names"]["plural"] = "a" * 64
    one["spec"]["names"]["kind"] = "server"
    one["spec"]["group"] = "acme"
    one["spec"]["versions"][0] |= {"storage": False, "schema": {"openAPIV3Schema": {}}}
    assert find_violations(one) == [
        "metadata.name must consist of the plural and the group",
        "the group acme is not a domain name",
        "the kind server is not valid",
        f"the plural {'a' * 64} is not a valid name of at most 63 characters",
        "exactly one version must be the storage version",
        "each version must have a schema",
        "(root): the type is missing or unknown",
    ]


def test_metadata_can_only_have_a_type() -> None:
    one = build_crd()
    one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["metadata"]["properties"] = {}
    assert find_violations(one) == ["metadata: only the type is allowed"]
