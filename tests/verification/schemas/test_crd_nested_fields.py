"""Tests of nested fields and references in the CRD preview."""

import json
from typing import Any

import pytest

from tests.verification.schemas.acme import attribute, block, build_nested_type
from tests.verification.schemas.definitions import POLICY, build_crd, get_rules, get_views
from tests.verification.schemas.structural_rules import find_violations
from verification.schemas.crossplane.crd import build_definition
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import UnsupportedSchemaError

KEYED_OBJECT = {"type": "object", "required": ["key", "name"]}


def test_computed_field_of_block_is_in_status_without_secret() -> None:
    views = {view: one["properties"]["disk"]["items"] for view, one in get_views(build_crd()).items()}
    assert sorted(views["forProvider"]["properties"]) == ["keySecretRef", "size", "timeouts"]
    assert sorted(views["atProvider"]["properties"]) == ["serial", "size", "timeouts"]
    assert "required" not in views["forProvider"]
    assert views["initProvider"]["required"] == ["keySecretRef"]


def test_configurable_secret_is_a_reference_and_computed_secret_is_omitted() -> None:
    views = get_views(build_crd())
    spec = views["forProvider"]["properties"]
    assert {key: spec["rootPasswordSecretRef"][key] for key in KEYED_OBJECT} == KEYED_OBJECT
    assert {key: spec["apiTokensSecretRef"]["items"][key] for key in KEYED_OBJECT} == KEYED_OBJECT
    assert spec["envSecretsSecretRef"]["required"] == ["name"]
    assert not [name for name in views["atProvider"]["properties"] if "Secret" in name or name == "connectionUrl"]
    assert views["initProvider"]["required"] == ["rootPasswordSecretRef"]


def make_definition_builder(attributes: dict[str, Any], **blocks: Any) -> Any:
    """Return a function that builds the definition of a resource with these attributes and blocks."""
    resource_schema: Any = {"block": {"attributes": attributes, "block_types": blocks}}
    schemas = {"acme": {"resource_schemas": {"acme_some_thing": resource_schema}}}
    schema = parse_schema(json.dumps({"format_version": "1.0", "provider_schemas": schemas}).encode())

    def build(**more: Any) -> dict[str, Any]:
        return build_definition(schema.resources["acme_some_thing"], parse_choices("acme", **more), is_namespaced=True)

    return build


def test_dynamic_field_has_no_rule() -> None:
    definition = make_definition_builder(
        {"value": attribute("dynamic", "required"), "name": attribute("string", "required")}
    )()
    assert list(get_rules(definition)) == ["spec.forProvider.name is a required parameter"]
    assert find_violations(definition) == []


def test_computed_nested_field_appears_only_in_status() -> None:
    inside = {"size": attribute("number", "optional"), "serial": attribute("string", "computed")}
    definition = make_definition_builder({"disk": build_nested_type("list", inside, "computed")})()
    names_by_view = {view: sorted(one.get("properties", {})) for view, one in get_views(definition).items()}
    assert names_by_view == {"forProvider": [], "initProvider": [], "atProvider": ["disk", "id"]}
    assert get_rules(definition) == {}


@pytest.mark.parametrize("mode", ["single", "list", "set", "map"])
def test_computed_nested_attribute_is_a_parameter_of_older_generators(mode: str) -> None:
    build = make_definition_builder(
        {"meta": build_nested_type(mode, {"serial": attribute("string", "computed")}, "computed")}
    )
    definition = build(computed_nested="parameter")
    bare_object = {"type": "object"}
    object_schema = {"type": "object", "properties": {"serial": {"type": "string"}}}
    around = {"single": dict, "map": lambda one: {"type": "object", "additionalProperties": one}}.get(
        mode, lambda one: {"type": "array", "items": one}
    )
    assert [one["properties"]["meta"] for one in get_views(definition).values()] == [
        around(bare_object),
        around(bare_object),
        around(object_schema),
    ]
    assert list(get_rules(definition)) == ["spec.forProvider.meta is a required parameter"]
    assert find_violations(definition) == []


def test_sensitive_nested_attribute_requires_older_generator() -> None:
    inside = {"user": attribute("string", "required")}
    build = make_definition_builder({"auth": build_nested_type("single", inside, "optional", "sensitive")})
    with pytest.raises(UnsupportedSchemaError, match="auth: object is sensitive"):
        build()
    assert "auth" in get_views(build(computed_nested="parameter"))["forProvider"]["properties"]


@pytest.mark.parametrize(("is_namespaced", "more"), [(True, {"namespace": {"type": "string"}}), (False, {})])
def test_reference_adds_two_fields_and_removes_the_rule(is_namespaced: bool, more: dict[str, Any]) -> None:
    one = build_crd(is_namespaced=is_namespaced, references=("acme_compute_server.address",))
    reference = {"name": {"type": "string"}, "policy": POLICY, **more}
    views = get_views(one)
    assert [views[view]["properties"].get("addressRef") for view in views] == [
        {"type": "object", "properties": reference, "required": ["name"]},
        {"type": "object", "properties": reference, "required": ["name"]},
        None,
    ]
    selector = views["initProvider"]["properties"]["addressSelector"]
    assert set(selector["properties"]) == {"matchControllerRef", "matchLabels", "policy", *more}
    assert "spec.forProvider.address is a required parameter" not in get_rules(one)
    assert find_violations(one) == []


def test_reference_to_a_list_inside_a_block_is_an_array() -> None:
    inside = {"network_ids": attribute(["set", "string"], "optional")}
    build = make_definition_builder({}, place=block("list", inside))
    place = get_views(build(references=("acme_some_thing.place.network_ids",)))["forProvider"]["properties"]["place"]
    assert sorted(place["items"]["properties"]) == ["networkIds", "networkIdsRefs", "networkIdsSelector"]
    assert place["items"]["properties"]["networkIdsRefs"]["type"] == "array"


def test_reference_identifier_is_optional_and_not_in_init_provider() -> None:
    rule = "acme_compute_server=TEMPLATED_STRING_AS_IDENTIFIER:name:{{ .parameters.address }}"
    views = get_views(build_crd(external=(rule,), references=("acme_compute_server.address",)))
    assert "required" not in views["forProvider"]
    assert "addressRef" in views["forProvider"]["properties"]
    assert not {"addressRef", "addressSelector"} & views["initProvider"]["properties"].keys()


@pytest.mark.parametrize(
    ("more", "kind", "is_required"),
    [
        ({}, "array", True),
        ({"singletons": "object"}, "object", True),
        ({"single_blocks": "object"}, "object", False),
        ({"single_blocks": "object", "singletons": "object"}, "object", False),
    ],
)
def test_single_block_is_required_only_as_a_list(more: dict[str, str], kind: str, is_required: bool) -> None:
    definition = make_definition_builder({}, place=block("single", {"rack": attribute("string", "required")}))(**more)
    assert get_views(definition)["forProvider"]["properties"]["place"]["type"] == kind
    assert list(get_rules(definition)) == ["spec.forProvider.place is a required parameter"] * is_required


@pytest.mark.parametrize(
    ("attributes", "blocks", "is_required"),
    [
        ({"rack": attribute("string", "required")}, {}, True),
        ({}, {"bay": block("set", {"rack": attribute("string", "required")})}, True),
        ({"bay": build_nested_type("single", {"rack": attribute("string", "required")}, "optional")}, {}, False),
        ({}, {"bay": block("set", {"rack": attribute("string", "optional")}, least=1)}, False),
    ],
)
def test_single_block_as_list_is_required_by_its_required_fields(
    attributes: dict[str, Any], blocks: dict[str, Any], is_required: bool
) -> None:
    definition = make_definition_builder({}, place=block("single", attributes, **blocks))(single_blocks="array")
    assert list(get_rules(definition)) == ["spec.forProvider.place is a required parameter"] * is_required
