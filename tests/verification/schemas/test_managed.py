from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verification.schemas.acme import printed
from verification.schemas.crossplane.managed_resource import Codec, Managed, Unresolved
from verification.schemas.crossplane.options import choices
from verification.schemas.crossplane.provider_requests import request_shapes, requests_of
from verification.schemas.crossplane.reconcile_diff import CREATE, DELETE, NOTHING, UPDATE, compare
from verification.schemas.engine.parsing import read_one
from verification.schemas.engine.types import Node

SERVER = read_one(printed()).resources["acme_compute_server"]
ARRAYS = Codec(SERVER, choices("acme"))
OBJECTS = Codec(SERVER, choices("acme", singletons="object", single_blocks="object"))
NAMED = Codec(SERVER, choices("acme", external=("NAME_AS_IDENTIFIER",)))
TEMPLATE = "TEMPLATED_STRING_AS_IDENTIFIER:name:a/{{ .external_name }}"
CODECS = {
    "arrays": ARRAYS,
    "objects": OBJECTS,
    "name": NAMED,
    "parameter": Codec(SERVER, choices("acme", external=("PARAMETER_AS_IDENTIFIER:address",))),
    "templated": Codec(SERVER, choices("acme", external=(TEMPLATE,))),
}
TEXT = st.text(max_size=4)
SCALARS = {"string": TEXT, "number": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
           "bool": st.booleans(), "dynamic": st.none() | TEXT}  # fmt: skip


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
    "id": "srv-7", "name": "web", "name_prefix": None, "address": "10.0.0.7", "namespace": "prod", "size": 2,
    "is_public": False, "ipv4_address": "192.0.2.7", "zones": ["a", "b"], "tags": {"team": "x"}, "matrix": None,
    "extra": None, "root_password": "hunter2", "api_tokens": ["t1", "t2"], "env_secrets": {"A": "1"},
    "connection_url": "psql://u:p@h", "events": [{"at": "now", "what": "boot"}], "limits": {"cpu": 4},
    "owner": {"email": "o@example.com"}, "labels": None,
    "disk": [{"size": 10, "serial": "S1", "key": "k", "timeouts": None}],
    "rule": [{"port": 22}, {"port": 80}], "placement": {"rack": "r1"}, "timeouts": {"create": "9m"},
}  # fmt: skip


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS.keys())
@settings(max_examples=40, deadline=None)
@given(value=ANY)
def test_decode_and_encode_give_the_same_value(codec: Codec, value: dict[str, Any]) -> None:
    assert codec.encode_state(codec.decode(value)) == value


def test_decode_keeps_secrets_out_of_the_object() -> None:
    managed = ARRAYS.decode(VALUE)
    assert managed.spec["rootPasswordSecretRef"] == {"name": "values", "key": "root_5f_password"}
    assert managed.spec["envSecretsSecretRef"] == {"name": "values.env_5f_secrets"}
    assert "hunter2" not in str((managed.spec, managed.status))
    assert "psql" not in str((managed.spec, managed.status))


def test_decode_puts_the_id_into_the_external_name_and_the_status() -> None:
    managed = ARRAYS.decode(VALUE)
    assert (managed.external_name, managed.status["id"]) == ("srv-7", "srv-7")
    assert "id" not in managed.spec


def test_decode_takes_the_name_that_is_the_identifier_and_keeps_the_id() -> None:
    managed = NAMED.decode(VALUE | {"name_prefix": "we"})
    assert (managed.external_name, managed.status["id"]) == ("web", "srv-7")
    assert not {"name", "namePrefix"} & (managed.spec.keys() | managed.status.keys())
    wanted = NAMED.encode_spec(managed)
    assert (wanted["id"], wanted["name"], wanted["name_prefix"]) == ("srv-7", "web", None)


def test_decode_without_the_name_takes_the_id() -> None:
    assert NAMED.decode(VALUE | {"name": None}).external_name == "srv-7"


def test_encode_spec_leaves_open_what_the_provider_says() -> None:
    wanted = ARRAYS.encode_spec(ARRAYS.decode(VALUE))
    assert {name for name, one in wanted.items() if one != VALUE[name]} == {
        "ipv4_address", "connection_url", "events", "owner", "disk",
    }  # fmt: skip
    assert wanted["disk"] == [{"size": 10, "serial": None, "key": "k", "timeouts": None}]


def test_encode_name_as_identifier_is_the_external_name() -> None:
    wanted = NAMED.encode_spec(Managed(external_name="web", spec={"address": "a"}))
    assert (wanted["id"], wanted["name"], wanted["name_prefix"]) == ("web", "web", None)


def test_encode_first_values_count_for_the_creation_alone() -> None:
    managed = Managed(spec={"size": 1, "limits": {"cpu": 1}}, init={"size": 9, "address": "a", "limits": {"cpu": 2}})
    created, later = ARRAYS.encode_spec(managed, creating=True), ARRAYS.encode_spec(managed)
    assert (created["size"], created["address"], created["limits"]) == (1, "a", {"cpu": 1})
    assert later["address"] is None


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ({"name": "none", "key": "k"}, "There is no secret none."),
        ({"name": "some", "key": "k"}, "The secret some has no key k."),
    ],
)
def test_encode_secret_that_is_not_there_says_which(reference: dict[str, str], sentence: str) -> None:
    managed = Managed(spec={"rootPasswordSecretRef": reference}, secrets={"some": {"other": "x"}})
    with pytest.raises(Unresolved) as refused:
        ARRAYS.encode_spec(managed)
    assert str(refused.value) == sentence


def test_requests_have_the_states_of_the_mission() -> None:
    managed = ARRAYS.decode(VALUE)
    wanted = ARRAYS.encode_spec(managed)
    assert requests_of(ARRAYS, managed) == {
        "Create": {"PriorState": None, "PlannedState": wanted},
        "Update": {"PriorState": VALUE, "PlannedState": wanted},
        "Delete": {"PriorState": wanted, "PlannedState": None},
    }


def test_request_shapes_say_where_each_value_comes_from() -> None:
    shapes = request_shapes(SERVER, choices("acme"))
    planned = shapes["Create"]["PlannedState"]
    prior = shapes["Update"]["PriorState"]
    assert planned is not None
    assert prior is not None
    assert planned["address"] == "string, required from spec.forProvider"
    assert planned["id"] == "from the annotation crossplane.io/external-name"
    assert planned["root_password"] == "string from the secret that spec.forProvider names"
    assert planned["ipv4_address"] == "unknown until the provider says it"
    assert planned["rule"] == [{"port": "number, required from spec.forProvider"}]
    assert prior["connection_url"] == "string from the connection secret"
    assert planned["timeouts"] == {"create": "from the configuration of the generator"}


def test_request_shapes_of_a_name_that_identifies() -> None:
    shapes = request_shapes(SERVER, NAMED.choices)
    prior = shapes["Update"]["PriorState"]
    assert prior is not None
    assert [prior[name] for name in ("id", "name", "name_prefix")] == [
        "string from status.atProvider", "from the annotation crossplane.io/external-name", "as it was last observed",
    ]  # fmt: skip


def test_decode_lays_the_timeouts_beside_the_object() -> None:
    managed = ARRAYS.decode(VALUE)
    assert managed.beside["timeouts"] == {"create": "9m"}
    assert not {"timeouts"} & (managed.spec.keys() | managed.status.keys())


SAME = ARRAYS.decode(VALUE)


@pytest.mark.parametrize(
    ("managed", "observed", "action", "paths"),
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
def test_compare_decides(managed: Managed, observed: Any, action: str, paths: tuple[str, ...]) -> None:
    found = compare(ARRAYS, managed, observed)
    assert (found.action, found.paths) == (action, paths)


def test_compare_takes_over_what_nobody_has_set() -> None:
    managed = Managed(external_name="srv-7", spec={"address": "10.0.0.7", "limits": {}}, init={"size": 2})
    late = compare(ARRAYS, managed, VALUE).late
    assert late["tags"] == {"team": "x"}
    assert late["limits.cpu"] == 4
    assert not {"size", "address", "ipv4_address", "root_password", "id"} & set(late)


def test_compare_takes_nothing_over_where_the_policies_say_so() -> None:
    managed = Managed(spec={"address": "10.0.0.7"}, policies=("Observe", "Update"))
    assert compare(ARRAYS, managed, VALUE).late == {}


@settings(max_examples=40, deadline=None)
@given(value=ANY)
def test_compare_of_what_was_just_read_is_nothing(value: dict[str, Any]) -> None:
    assert compare(ARRAYS, ARRAYS.decode(value), value).action == NOTHING
