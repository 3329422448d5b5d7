"""Tests of the operation that a Crossplane provider would choose for a managed resource."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from tests.verification.schemas.server import ANY, ARRAYS, CODECS, VALUE
from verification.schemas.crossplane.managed_resource import ManagedResource, ManagedResourceCodec
from verification.schemas.crossplane.reconcile_diff import compare

KEY = {"keySecretRef": {"name": "a", "key": "k"}}
DECODED = ARRAYS.decode(VALUE)
SECRETS = {"rootPasswordSecretRef": {"name": "a", "key": "k"}, "disk": [{"size": 10} | KEY]}
SAME = replace(DECODED, spec=DECODED.spec | SECRETS)
NEW_DISK = {"size": 10, "serial": "S2", "key": "other", "timeouts": None}


@pytest.mark.parametrize(
    ("managed_resource", "observed_state", "action", "paths"),
    [
        (SAME, VALUE, "nothing", ()),
        (SAME, None, "create", ()),
        (replace(SAME, is_being_deleted=True), VALUE, "delete", ()),
        (replace(SAME, is_being_deleted=True), None, "nothing", ()),
        (replace(SAME, policies=("Observe",)), None, "nothing", ()),
        (replace(SAME, policies=("Observe",)), VALUE | {"size": 3}, "nothing", ("size",)),
        (SAME, VALUE | {"size": 3}, "update", ("size",)),
        (SAME, VALUE | {"is_public": True, "limits": {"cpu": 1}}, "update", ("is_public", "limits.cpu")),
        (SAME, VALUE | {"zones": ["b", "a"], "rule": [{"port": 80}, {"port": 22}]}, "nothing", ()),
        (SAME, VALUE | {"rule": [{"port": 80}, {"port": 80}]}, "update", ("rule",)),
        (SAME, VALUE | {"root_password": "other"}, "nothing", ()),
        (SAME, VALUE | {"root_password": None}, "update", ("root_password",)),
        (replace(SAME, spec=SAME.spec | {"apiTokensSecretRef": []}), VALUE, "update", ("api_tokens",)),
        (replace(SAME, spec=SAME.spec | {"apiTokensSecretRef": []}), VALUE | {"api_tokens": None}, "nothing", ()),
        (SAME, VALUE | {"disk": []}, "update", ("disk",)),
        (SAME, VALUE | {"disk": [NEW_DISK]}, "nothing", ()),
        (SAME, VALUE | {"disk": [NEW_DISK | {"key": None}]}, "update", ("disk",)),
        (SAME, VALUE | {"ipv4_address": "192.0.2.8"}, "nothing", ()),
        (SAME, VALUE | {"timeouts": {"create": "1m"}}, "nothing", ()),
    ],
)
def test_compare_returns_the_action_and_the_differing_paths(
    managed_resource: ManagedResource, observed_state: Any, action: str, paths: tuple[str, ...]
) -> None:
    comparison = compare(ARRAYS, managed_resource, observed_state)
    assert (comparison.action, tuple(path for path, _, _ in comparison.differences)) == (action, paths)
    assert comparison.is_blocked == (managed_resource.policies == ("Observe",))


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS.keys())
def test_compare_ignores_the_id_and_replaced_arguments(codec: ManagedResourceCodec) -> None:
    managed_resource = replace(codec.decode(VALUE), external_name="raw", status={})
    assert compare(codec, managed_resource, VALUE).differences == ()


def test_late_initialization_copies_values_that_are_not_set() -> None:
    managed_resource = ManagedResource(
        external_name="srv-7", spec={"address": "10.0.0.7", "limits": {}}, init={"size": 2}
    )
    late = compare(ARRAYS, managed_resource, VALUE).late
    assert late["tags"] == {"team": "x"}
    assert late["limits.cpu"] == 4
    assert not {"size", "address", "ipv4Address", "rootPassword", "rootPasswordSecretRef", "id"} & set(late)


def test_late_initialization_skips_references() -> None:
    references = {"namespaceRef": {"name": "a"}, "nameSelector": {}, "zonesRefs": [{"name": "a"}]}
    late = compare(ARRAYS, ManagedResource(spec=references), VALUE).late
    assert {"namespace", "name", "zones", "address"} & set(late) == {"address"}


def test_late_initialization_requires_its_policy() -> None:
    managed_resource = ManagedResource(spec={"address": "10.0.0.7"}, policies=("Observe", "Update"))
    assert compare(ARRAYS, managed_resource, VALUE).late == {}


@settings(max_examples=40, deadline=None)
@given(value=ANY)
def test_compare_decoded_value_requires_no_operation(value: dict[str, Any]) -> None:
    assert compare(ARRAYS, ARRAYS.decode(value), value).action == "nothing"
