from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.verification.schemas.acme import SOURCE, attribute, block, encode_schema
from verification.schemas.crossplane.managed_resource import (
    ManagedResource,
    ManagedResourceCodec,
    UnresolvedSecretError,
)
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.crossplane.provider_requests import build_requests, describe_requests
from verification.schemas.crossplane.reconcile_diff import CREATE, DELETE, NOTHING, UPDATE, compare
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import Node

SERVER = parse_schema(encode_schema()).resources["acme_compute_server"]
ARRAYS = ManagedResourceCodec(SERVER, parse_choices("acme"))
OBJECTS = ManagedResourceCodec(SERVER, parse_choices("acme", singletons="object", single_blocks="object"))
NAMED_CODEC = ManagedResourceCodec(SERVER, parse_choices("acme", external=("NAME_AS_IDENTIFIER",)))
TEMPLATE = "TEMPLATED_STRING_AS_IDENTIFIER:name:a/{{ .external_name }}"
CODECS = {
    "arrays": ARRAYS,
    "objects": OBJECTS,
    "name": NAMED_CODEC,
    "parameter": ManagedResourceCodec(SERVER, parse_choices("acme", external=("PARAMETER_AS_IDENTIFIER:address",))),
    "templated": ManagedResourceCodec(SERVER, parse_choices("acme", external=(TEMPLATE,))),
}
TEXT = st.text(max_size=4)
SCALARS = {
    "string": TEXT,
    "number": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    "bool": st.booleans(),
    "dynamic": st.none() | TEXT,
}


def value_of(node: Node) -> st.SearchStrategy[Any]:
    """Any value that a provider may tell of this node. Blocks that repeat are never null."""
    one = _element(node)
    if node.kind == "map":
        one = st.dictionaries(TEXT, one, max_size=2)
    elif node.kind in ("list", "set"):
        least = 1 if node.sensitive else node.min_items
        one = st.lists(one, min_size=least, max_size=node.max_items or 2)
        if node.syntax == "block":
            return one
    return one | st.none()


def _element(node: Node) -> st.SearchStrategy[Any]:
    if node.children is not None:
        return st.fixed_dictionaries({child.name: value_of(child) for child in node.children})
    if node.elem is not None:
        return _element(node.elem) if node.elem.kind in SCALARS else st.lists(_element(node.elem), max_size=2)
    return SCALARS[node.kind]


ANY = st.fixed_dictionaries({node.name: value_of(node) for node in SERVER.nodes})
VALUE: dict[str, Any] = {
    "id": "srv-7",
    "name": "web",
    "name_prefix": None,
    "address": "10.0.0.7",
    "namespace": "prod",
    "size": 2,
    "is_public": False,
    "ipv4_address": "192.0.2.7",
    "zones": ["a", "b"],
    "tags": {"team": "x"},
    "matrix": None,
    "extra": None,
    "root_password": "hunter2",
    "api_tokens": ["t1", "t2"],
    "env_secrets": {"A": "1"},
    "connection_url": "psql://u:p@h",
    "events": [{"at": "now", "what": "boot"}],
    "limits": {"cpu": 4},
    "owner": {"email": "o@example.com"},
    "labels": None,
    "disk": [{"size": 10, "serial": "S1", "key": "k", "timeouts": None}],
    "rule": [{"port": 22}, {"port": 80}],
    "placement": {"rack": "r1"},
    "timeouts": {"create": "9m"},
}


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS.keys())
@settings(max_examples=40, deadline=None)
@given(value=ANY)
def test_decode_and_encode_give_the_same_value(codec: ManagedResourceCodec, value: dict[str, Any]) -> None:
    assert codec.encode_state(codec.decode(value)) == value


def test_decode_keeps_secrets_out_of_the_object() -> None:
    text = ARRAYS.decode(VALUE)
    assert text.spec["rootPasswordSecretRef"] == {"name": "values", "key": "root_5f_password"}
    assert text.spec["envSecretsSecretRef"] == {"name": "values.env_5f_secrets"}
    assert "hunter2" not in str((text.spec, text.status))
    assert "psql" not in str((text.spec, text.status))


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


def test_encode_spec_leaves_open_what_the_provider_says() -> None:
    spec = ARRAYS.encode_spec(ARRAYS.decode(VALUE))
    assert {name for name, one in spec.items() if one != VALUE[name]} == {
        "ipv4_address",
        "connection_url",
        "events",
        "owner",
        "disk",
    }
    assert spec["disk"] == [{"size": 10, "serial": None, "key": "k", "timeouts": None}]


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
def test_encode_block_with_a_nested_block(spec: dict[str, Any], value: dict[str, Any]) -> None:
    foo = {"attributes": {"id": attribute("string", "computed")}}
    bar = block("list", {"baz": attribute("bool", "required")})
    document = {"acme_foo": {"block": foo | {"block_types": {"bar": bar}}}}
    schemas = {"format_version": "1.0", "provider_schemas": {SOURCE: {"resource_schemas": document}}}
    codec = ManagedResourceCodec(parse_schema(encode_schema(schemas)).resources["acme_foo"], parse_choices("acme"))
    assert codec.encode_spec(ManagedResource(external_name="foo-1", spec=spec)) == value


def test_encode_first_values_count_for_the_creation_alone() -> None:
    managed_resource = ManagedResource(
        spec={"size": 1, "limits": {"cpu": 1}}, init={"size": 9, "address": "a", "limits": {"cpu": 2}}
    )
    created, later = ARRAYS.encode_spec(managed_resource, creating=True), ARRAYS.encode_spec(managed_resource)
    assert (created["size"], created["address"], created["limits"]) == (1, "a", {"cpu": 1})
    assert later["address"] is None


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ({"name": "none", "key": "k"}, "Secret none not found."),
        ({"name": "some", "key": "k"}, "Key k not found in secret some."),
    ],
)
def test_encode_missing_secret_says_which(reference: dict[str, str], sentence: str) -> None:
    managed_resource = ManagedResource(spec={"rootPasswordSecretRef": reference}, secrets={"some": {"other": "x"}})
    with pytest.raises(UnresolvedSecretError) as error:
        ARRAYS.encode_spec(managed_resource)
    assert str(error.value) == sentence


def test_requests_have_the_states_of_the_mission() -> None:
    text = ARRAYS.decode(VALUE)
    spec = ARRAYS.encode_spec(text)
    assert build_requests(ARRAYS, text) == {
        "Read": {"CurrentState": VALUE},
        "Create": {"PriorState": None, "PlannedState": spec},
        "Update": {"PriorState": VALUE, "PlannedState": spec},
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


def test_request_shapes_of_a_name_that_identifies() -> None:
    shapes = describe_requests(SERVER, NAMED_CODEC.choices)
    prior = shapes["Update"]["PriorState"]
    assert prior is not None
    assert [prior[name] for name in ("id", "name", "name_prefix")] == [
        "string from status.atProvider",
        "from the annotation crossplane.io/external-name",
        "last observed value",
    ]


def test_decode_lays_the_timeouts_next_to_the_object() -> None:
    text = ARRAYS.decode(VALUE)
    assert text.beside["timeouts"] == {"create": "9m"}
    assert not {"timeouts"} & (text.spec.keys() | text.status.keys())


SAME = ARRAYS.decode(VALUE)


@pytest.mark.parametrize(
    ("managed_resource", "observed_state", "action", "paths"),
    [
        (SAME, VALUE, NOTHING, ()),
        (SAME, None, CREATE, ()),
        (replace(SAME, is_being_deleted=True), VALUE, DELETE, ()),
        (replace(SAME, is_being_deleted=True), None, NOTHING, ()),
        (replace(SAME, policies=("Observe",)), None, NOTHING, ()),
        (replace(SAME, policies=("Observe",)), VALUE | {"size": 3}, NOTHING, ("size",)),
        (SAME, VALUE | {"size": 3}, UPDATE, ("size",)),
        (SAME, VALUE | {"is_public": True, "limits": {"cpu": 1}}, UPDATE, ("is_public", "limits.cpu")),
        (SAME, VALUE | {"zones": ["b", "a"], "rule": [{"port": 80}, {"port": 22}]}, NOTHING, ()),
        (SAME, VALUE | {"rule": [{"port": 80}, {"port": 80}]}, UPDATE, ("rule",)),
        (SAME, VALUE | {"root_password": "other"}, UPDATE, ("root_password",)),
        (SAME, VALUE | {"disk": []}, UPDATE, ("disk",)),
        (SAME, VALUE | {"disk": [{"size": 10, "serial": "S2", "key": "k", "timeouts": None}]}, NOTHING, ()),
        (SAME, VALUE | {"ipv4_address": "192.0.2.8"}, NOTHING, ()),
        (SAME, VALUE | {"timeouts": {"create": "1m"}}, NOTHING, ()),
    ],
)
def test_compare_decides(
    managed_resource: ManagedResource, observed_state: Any, action: str, paths: tuple[str, ...]
) -> None:
    comparison = compare(ARRAYS, managed_resource, observed_state)
    assert (comparison.action, comparison.paths) == (action, paths)


def test_compare_takes_over_what_no_one_has_set() -> None:
    managed_resource = ManagedResource(
        external_name="srv-7", spec={"address": "10.0.0.7", "limits": {}}, init={"size": 2}
    )
    late = compare(ARRAYS, managed_resource, VALUE).late
    assert late["tags"] == {"team": "x"}
    assert late["limits.cpu"] == 4
    assert not {"size", "address", "ipv4_address", "root_password", "id"} & set(late)


def test_compare_takes_nothing_over_where_the_policies_say_so() -> None:
    managed_resource = ManagedResource(spec={"address": "10.0.0.7"}, policies=("Observe", "Update"))
    assert compare(ARRAYS, managed_resource, VALUE).late == {}


@settings(max_examples=40, deadline=None)
@given(value=ANY)
def test_compare_of_what_was_just_read_is_nothing(value: dict[str, Any]) -> None:
    assert compare(ARRAYS, ARRAYS.decode(value), value).action == NOTHING
