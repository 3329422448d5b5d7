from typing import Any

import pytest

from tests.verification.schemas.test_crd import build_crd
from verification.schemas.engine.kubernetes_rules import find_faults


@pytest.mark.parametrize(
    ("field", "fault"),
    [
        ({}, "no type"),
        ({"type": "string", "pattern": "a"}, "pattern may not be used"),
        ({"type": "array"}, "an array needs items, and nothing else has them"),
        ({"type": "string", "properties": {}}, "properties needs the type object"),
        (
            {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
            "properties and additionalProperties exclude each other",
        ),
        ({"type": "object", "required": ["a"]}, "a is required but no property"),
        (
            {"type": "string", "x-kubernetes-list-type": "set"},
            "x-kubernetes-list-type is for arrays: atomic, set or map",
        ),
        ({"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "set"}, "a set holds scalars"),
        (
            {"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "map"},
            "x-kubernetes-list-type map needs keys and objects",
        ),
        (
            {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-map-keys": ["a"]},
            "x-kubernetes-list-map-keys needs x-kubernetes-list-type map",
        ),
        (
            {
                "type": "array",
                "items": {"type": "object", "properties": {"a": {"type": "string"}}},
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["a"],
            },
            "the key a must be a scalar that is always there",
        ),
        ({"type": "object", "x-kubernetes-map-type": "set"}, "x-kubernetes-map-type is granular or atomic"),
        ({"type": "string", "default": 7}, "the default does not fit"),
        ({"type": "string", "enum": ["a"], "default": "b"}, "the default does not fit"),
        (
            {"type": "string", "x-kubernetes-validations": [{"rule": " "}]},
            "a rule needs an expression and a message of one line",
        ),
    ],
)
def test_faults_of_a_field(field: dict[str, Any], fault: str) -> None:
    one = build_crd()
    one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["extra"] = field
    assert find_faults(one)[0] == f"extra: {fault}"


def test_faults_of_names_and_versions() -> None:
    one = build_crd()
    one["spec"]["names"]["plural"] = "a" * 64
    one["spec"]["names"]["kind"] = "server"
    one["spec"]["group"] = "acme"
    one["spec"]["versions"][0] |= {"storage": False, "schema": {"openAPIV3Schema": {}}}
    assert find_faults(one) == [
        "metadata.name is not the plural and the group",
        "the group acme is no domain name",
        "the kind server is no name of a kind",
        f"the plural {'a' * 64} is no name of at most 63 letters",
        "one version is the stored one",
        "each version has a schema",
        "(root): no type",
    ]


def test_faults_metadata_reports_its_type_alone() -> None:
    one = build_crd()
    one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["metadata"]["properties"] = {}
    assert find_faults(one) == ["metadata: only its type may be told"]
