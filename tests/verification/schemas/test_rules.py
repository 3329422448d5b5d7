"""Tests of the Kubernetes rules for resource definitions."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.verification.schemas.acme import SOURCE, encode_schema
from tests.verification.schemas.definitions import build_crd
from tests.verification.schemas.structural_rules import find_violations
from verification.schemas.crossplane.coverage import build_preview
from verification.schemas.crossplane.options import CHOICE_OPTIONS, parse_choices
from verification.schemas.engine.parsing import parse_schema

NAMES = st.text(max_size=6) | st.sampled_from(["id", "in", "name", "a_b", "a_1"])
TYPES = st.recursive(
    st.sampled_from(["string", "number", "bool", "dynamic"]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["list", "set", "map"]), inner),
        st.tuples(st.just("object"), st.dictionaries(NAMES, inner, max_size=3)),
        st.tuples(st.just("tuple"), st.lists(inner, max_size=2)),
    ),
    max_leaves=6,
)
FLAGS = st.fixed_dictionaries(
    {}, optional={name: st.booleans() for name in ("optional", "required", "computed", "sensitive")}
)
MODES = st.sampled_from(["single", "group", "list", "set", "map"])
LIMITS = {name: st.integers(0, 2) for name in ("min_items", "max_items")}
ATTRIBUTES = st.builds(lambda flags, kind: flags | {"type": kind}, FLAGS, TYPES)
BLOCKS = st.deferred(
    lambda: st.fixed_dictionaries(
        {
            "attributes": st.dictionaries(NAMES, ATTRIBUTES | NESTED_ATTRIBUTES, max_size=3),
            "block_types": st.dictionaries(NAMES, NESTED_BLOCKS, max_size=1),
        }
    )
)
NESTED_TYPES = st.fixed_dictionaries(
    {"nesting_mode": MODES, "attributes": st.dictionaries(NAMES, ATTRIBUTES, min_size=1, max_size=3)} | LIMITS
)
NESTED_ATTRIBUTES = st.builds(lambda flags, kind: flags | {"nested_type": kind}, FLAGS, NESTED_TYPES)
NESTED_BLOCKS = st.fixed_dictionaries({"nesting_mode": MODES, "block": BLOCKS} | LIMITS)
OPTIONS = st.fixed_dictionaries({name: st.sampled_from(option.values) for name, option in CHOICE_OPTIONS.items()})


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


@settings(max_examples=150, deadline=None)
@given(block=BLOCKS, options=OPTIONS)
def test_definitions_of_any_schema_are_structural(block: dict[str, Any], options: dict[str, str]) -> None:
    provider = {"resource_schemas": {"acme_thing": {"block": block}}}
    schema = parse_schema(encode_schema({"format_version": "1.0", "provider_schemas": {SOURCE: provider}}))
    preview = build_preview(schema, parse_choices("acme", **options), "acme_thing")
    assert preview is not None
    assert [violation for each in preview.definitions for violation in find_violations(each)] == []
