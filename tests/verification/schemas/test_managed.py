"""Tests of the conversion between Terraform values and managed resources."""

from typing import Any

import pytest
from hypothesis import given, settings

from tests.verification.schemas.acme import SOURCE, attribute, block, build_nested_type, encode_schema
from tests.verification.schemas.server import ANY, ARRAYS, CODECS, NAMED_CODEC, SERVER, VALUE
from verification.schemas.crossplane.managed_resource import (
    OBSERVED_SECRET,
    ManagedResource,
    ManagedResourceCodec,
)
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.crossplane.provider_requests import build_requests, describe_requests
from verification.schemas.crossplane.reconcile_diff import compare
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import Node

CELL = ["object", {"row_number": "number"}]


def hide_secrets(nodes: tuple[Node, ...], value: dict[str, Any]) -> dict[str, Any]:
    """Return the value with a text in place of each secret."""
    hidden = dict(value)
    for node in nodes:
        one = value[node.name]
        if node.sensitive and one is not None:
            hidden[node.name] = OBSERVED_SECRET
        elif node.children and isinstance(one, list):
            hidden[node.name] = [hide_secrets(node.children, each) for each in one]
    return hidden


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS.keys())
@settings(max_examples=40, deadline=None)
@given(value=ANY)
def test_decode_and_encode_give_the_same_value(codec: ManagedResourceCodec, value: dict[str, Any]) -> None:
    assert codec.encode_state(codec.decode(value)) == hide_secrets(SERVER.nodes, value)


def test_decode_keeps_secrets_out_of_the_object() -> None:
    managed_resource = ARRAYS.decode(VALUE)
    assert not [name for name in managed_resource.spec if "SecretRef" in name]
    assert managed_resource.status["envSecrets"] == OBSERVED_SECRET
    assert [secret for secret in ("hunter2", "psql", "'t1'", "'A'", "'k'") if secret in str(managed_resource)] == []


def test_decode_hides_secrets_that_older_generators_have_as_fields() -> None:
    modes = {"auth": "single", "users": "list"}
    token = {"token": attribute("string", "optional")}
    attributes = {name: build_nested_type(mode, token, "optional", "sensitive") for name, mode in modes.items()}
    schemas = {
        "format_version": "1.0",
        "provider_schemas": {SOURCE: {"resource_schemas": {"acme_foo": {"block": {"attributes": attributes}}}}},
    }
    resource = parse_schema(encode_schema(schemas)).resources["acme_foo"]
    codec = ManagedResourceCodec(resource, parse_choices("acme", computed_nested="parameter"))
    value = {"auth": {"token": "hunter2"}, "users": [{"token": "hunter2"}]}
    hidden = dict.fromkeys(modes, OBSERVED_SECRET)
    assert (codec.decode(value).status, codec.encode_state(codec.decode(value))) == (hidden, hidden)
    managed_resource = ManagedResource(spec={"auth": {"token": "other"}, "users": [{"token": "other"}]})
    assert codec.encode_spec(managed_resource) == managed_resource.spec
    assert compare(codec, managed_resource, value).differences == ()


def test_decode_converts_objects_in_lists_of_lists() -> None:
    document = {"acme_foo": {"block": {"attributes": {"grid": attribute(["list", ["list", CELL]], "optional")}}}}
    schemas = {"format_version": "1.0", "provider_schemas": {SOURCE: {"resource_schemas": document}}}
    codec = ManagedResourceCodec(parse_schema(encode_schema(schemas)).resources["acme_foo"], parse_choices("acme"))
    value = {"grid": [[{"row_number": 1}], []]}
    managed_resource = codec.decode(value)
    assert managed_resource.spec == {"grid": [[{"rowNumber": 1}], []]}
    assert codec.encode_spec(managed_resource) == value == codec.encode_state(managed_resource)


def test_decode_puts_the_id_into_the_external_name_and_the_status() -> None:
    text = ARRAYS.decode(VALUE)
    assert (text.external_name, text.status["id"]) == ("srv-7", "srv-7")
    assert "id" not in text.spec


def test_decode_takes_the_name_that_is_the_identifier_and_keeps_the_id() -> None:
    text = NAMED_CODEC.decode(VALUE | {"name_prefix": "we"})
    assert (text.external_name, text.status["id"]) == ("web", "srv-7")
    assert not {"name", "namePrefix"} & (text.spec.keys() | text.status.keys())
    spec = NAMED_CODEC.encode_spec(text)
    assert (spec["id"], spec["name"], spec["name_prefix"]) == ("srv-7", "web", None)


def test_decode_without_the_name_takes_the_id() -> None:
    assert NAMED_CODEC.decode(VALUE | {"name": None}).external_name == "srv-7"


def test_encode_spec_omits_computed_values() -> None:
    spec = ARRAYS.encode_spec(ARRAYS.decode(VALUE))
    assert {name for name, one in spec.items() if one != VALUE[name]} == {
        "ipv4_address",
        "connection_url",
        "events",
        "owner",
        "disk",
        "root_password",
        "api_tokens",
        "env_secrets",
    }
    assert spec["disk"] == [{"size": 10, "serial": None, "key": None, "timeouts": None}]
    assert spec["root_password"] is None


def test_encode_name_as_identifier_is_the_external_name() -> None:
    spec = NAMED_CODEC.encode_spec(ManagedResource(external_name="web", spec={"address": "a"}))
    assert (spec["id"], spec["name"], spec["name_prefix"]) == ("web", "web", None)


def test_encode_id_is_the_external_name() -> None:
    assert ARRAYS.encode_spec(ManagedResource(external_name="srv-7"))["id"] == "srv-7"


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ({"bar": [{"baz": True}]}, {"id": "foo-1", "bar": [{"baz": True}]}),
        ({}, {"id": "foo-1", "bar": []}),
    ],
)
def test_encode_spec_includes_nested_blocks(spec: dict[str, Any], value: dict[str, Any]) -> None:
    foo = {"attributes": {"id": attribute("string", "computed")}}
    bar = block("list", {"baz": attribute("bool", "required")})
    document = {"acme_foo": {"block": foo | {"block_types": {"bar": bar}}}}
    schemas = {"format_version": "1.0", "provider_schemas": {SOURCE: {"resource_schemas": document}}}
    codec = ManagedResourceCodec(parse_schema(encode_schema(schemas)).resources["acme_foo"], parse_choices("acme"))
    assert codec.encode_spec(ManagedResource(external_name="foo-1", spec=spec)) == value


def test_encode_spec_uses_initial_values_only_for_creation() -> None:
    managed_resource = ManagedResource(
        spec={"size": 1, "limits": {"cpu": 1}}, init={"size": 9, "address": "a", "limits": {"cpu": 2}}
    )
    created = ARRAYS.encode_spec(managed_resource, creating=True)
    later = ARRAYS.encode_spec(managed_resource)
    assert (created["size"], created["address"], created["limits"]) == (1, "a", {"cpu": 1})
    assert later["address"] is None


@pytest.mark.parametrize(
    ("name", "reference", "text"),
    [
        ("root_password", {"name": "a", "key": "k"}, "from secret a, key k"),
        ("root_password", {"name": "a", "namespace": "b", "key": "k"}, "from secret b/a, key k"),
        ("env_secrets", {"name": "a"}, "from secret a"),
        ("api_tokens", [{"name": "a", "key": "k"}], ["from secret a, key k"]),
    ],
)
def test_encode_secret_is_its_reference(name: str, reference: Any, text: Any) -> None:
    field = {"root_password": "rootPasswordSecretRef", "env_secrets": "envSecretsSecretRef"}.get(name)
    managed_resource = ManagedResource(spec={field or "apiTokensSecretRef": reference})
    assert ARRAYS.encode_spec(managed_resource)[name] == text


def test_requests_have_the_prior_and_planned_states() -> None:
    text = ARRAYS.decode(VALUE)
    spec = ARRAYS.encode_spec(text)
    state = hide_secrets(SERVER.nodes, VALUE)
    assert build_requests(ARRAYS, text) == {
        "Read": {"CurrentState": state},
        "Create": {"PriorState": None, "PlannedState": spec},
        "Update": {"PriorState": state, "PlannedState": spec},
        "Delete": {"PriorState": spec, "PlannedState": None},
    }


def test_request_shapes_say_where_each_value_comes_from() -> None:
    shapes = describe_requests(SERVER, parse_choices("acme"))
    planned_state = shapes["Create"]["PlannedState"]
    prior = shapes["Update"]["PriorState"]
    assert shapes["Read"] == {"CurrentState": prior}
    assert planned_state is not None
    assert prior is not None
    assert planned_state["address"] == "string, required from spec.forProvider"
    assert planned_state["id"] == "from the annotation crossplane.io/external-name"
    assert planned_state["root_password"] == "string from the secret that spec.forProvider names"
    assert planned_state["ipv4_address"] == "unknown until the provider sets it"
    assert planned_state["rule"] == [{"port": "number, required from spec.forProvider"}]
    assert prior["connection_url"] == "string from the connection secret"
    assert planned_state["timeouts"] == {"create": "from the generator configuration"}


def test_request_shapes_take_the_identifying_name_from_the_annotation() -> None:
    shapes = describe_requests(SERVER, NAMED_CODEC.choices)
    prior = shapes["Update"]["PriorState"]
    assert prior is not None
    assert [prior[name] for name in ("id", "name", "name_prefix")] == [
        "string from status.atProvider",
        "from the annotation crossplane.io/external-name",
        "last observed value",
    ]


def test_decode_excludes_the_timeouts_from_the_object() -> None:
    text = ARRAYS.decode(VALUE)
    assert text.excluded["timeouts"] == {"create": "9m"}
    assert not {"timeouts"} & (text.spec.keys() | text.status.keys())
