"""Tests of the CRD preview."""

import json
from typing import Any

import celpy
import kubernetes_validate
import pytest

from tests.verification.schemas.definitions import build_crd, get_rules, get_views
from tests.verification.schemas.structural_rules import find_violations
from verification.schemas.crossplane.crd import MANAGEMENT_CONDITION
from verification.schemas.engine.types import UnsupportedSchemaError

INTEGER = {"type": "integer", "format": "int64"}


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("size", INTEGER),
        ("isPublic", {"type": "boolean"}),
        ("zones", {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
        (
            "tags",
            {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "granular"},
        ),
        ("matrix", {"type": "array", "items": {"type": "array", "items": INTEGER}}),
        ("extra", {"x-kubernetes-preserve-unknown-fields": True}),
        ("limits", {"type": "object", "properties": {"cpu": INTEGER}}),
        (
            "labels",
            {
                "type": "object",
                "additionalProperties": {"type": "object", "properties": {"value": {"type": "string"}}},
            },
        ),
        ("rule", {"type": "array", "items": {"type": "object", "properties": {"port": INTEGER}}}),
        ("placement", {"type": "array", "items": {"type": "object", "properties": {"rack": {"type": "string"}}}}),
    ],
)
def test_configurable_field_appears_in_all_views(name: str, schema: dict[str, Any]) -> None:
    views = get_views(build_crd())
    assert [views[view]["properties"].get(name) for view in views] == [schema] * 3


def test_definition_omits_timeouts() -> None:
    assert not [view for view, one in get_views(build_crd()).items() if "timeouts" in one["properties"]]


@pytest.mark.parametrize("name", ["ipv4Address", "events", "owner", "id"])
def test_computed_field_appears_only_in_status(name: str) -> None:
    views = get_views(build_crd())
    assert [name in views[view]["properties"] for view in views] == [False, False, True]


def test_secret_of_cluster_scoped_definition_names_its_namespace() -> None:
    spec = get_views(build_crd(is_namespaced=False))["forProvider"]["properties"]
    assert spec["rootPasswordSecretRef"]["required"] == ["key", "name", "namespace"]
    assert spec["envSecretsSecretRef"]["required"] == ["name", "namespace"]


@pytest.mark.parametrize(
    ("is_namespaced", "group", "scope", "keys"),
    [
        (False, "compute.acme.upbound.io", "Cluster", {"deletionPolicy"}),
        (True, "compute.acme.m.upbound.io", "Namespaced", set()),
    ],
)
def test_definition_has_the_envelope_of_its_scope(is_namespaced: bool, group: str, scope: str, keys: set[str]) -> None:
    one = build_crd(is_namespaced=is_namespaced)
    version = one["spec"]["versions"][0]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert one["metadata"]["name"] == f"servers.{group}"
    assert (one["spec"]["group"], one["spec"]["scope"]) == (group, scope)
    assert one["spec"]["names"] == {
        "categories": ["crossplane", "managed", "acme"],
        "kind": "Server",
        "listKind": "ServerList",
        "plural": "servers",
        "singular": "server",
    }
    common = {"forProvider", "initProvider", "managementPolicies", "providerConfigRef", "writeConnectionSecretToRef"}
    assert set(spec["properties"]) == common | keys
    assert spec["required"] == ["forProvider"]
    assert [column["name"] for column in version["additionalPrinterColumns"]] == [
        "SYNCED",
        "READY",
        "EXTERNAL-NAME",
        "AGE",
    ]


def test_required_fields_have_rules_in_schema_order() -> None:
    names = ["address", "name", "namespace", "placement", "rootPasswordSecretRef", "rule"]
    assert list(get_rules(build_crd())) == [f"spec.forProvider.{name} is a required parameter" for name in names]


def test_rule_accepts_init_provider_except_for_secrets() -> None:
    rules_by_message = get_rules(build_crd())
    has_init = "(has(self.initProvider) && has(self.initProvider.address))"
    assert rules_by_message["spec.forProvider.address is a required parameter"] == (
        f"{MANAGEMENT_CONDITION} || has(self.forProvider.address) || {has_init}"
    )
    assert rules_by_message["spec.forProvider.rootPasswordSecretRef is a required parameter"] == (
        f"{MANAGEMENT_CONDITION} || has(self.forProvider.rootPasswordSecretRef)"
    )


def test_rule_escapes_reserved_word_of_cel() -> None:
    assert (
        "has(self.forProvider.__namespace__)"
        in get_rules(build_crd())["spec.forProvider.namespace is a required parameter"]
    )


@pytest.mark.parametrize(
    ("policies", "spec", "init", "passes"),
    [
        (["*"], {}, {}, False),
        (["*"], {"address": "a"}, {}, True),
        (["Create"], {}, {"address": "a"}, True),
        (["Observe"], {}, {}, True),
        (["Update"], {}, {}, False),
    ],
)
def test_rule_evaluates_as_its_message_says(policies: Any, spec: Any, init: Any, passes: bool) -> None:
    rule = get_rules(build_crd())["spec.forProvider.address is a required parameter"]
    environment = celpy.Environment()
    program = environment.program(environment.compile(rule))
    self = {"managementPolicies": policies, "forProvider": spec, "initProvider": init}
    assert bool(program.evaluate({"self": celpy.json_to_cel(self)})) is passes


@pytest.mark.parametrize("is_namespaced", [False, True])
@pytest.mark.parametrize("resource", ["acme_compute_server", "acme_key"])
def test_definition_is_valid_in_kubernetes(resource: str, is_namespaced: bool) -> None:
    one = build_crd(resource, is_namespaced=is_namespaced)
    kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)
    assert find_violations(one) == []


def test_definitions_share_no_mutable_values() -> None:
    before = json.dumps(build_crd(is_namespaced=False), sort_keys=True)
    _change_every_container(build_crd(is_namespaced=False))
    assert json.dumps(build_crd(is_namespaced=False), sort_keys=True) == before


def _change_every_container(one: Any) -> None:
    for inner in list(one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()):
        _change_every_container(inner)
    if isinstance(one, dict | list):
        one.update(changed=True) if isinstance(one, dict) else one.append("changed")


@pytest.mark.parametrize(
    ("resource", "reason"),
    [
        ("acme_odd_pair", "both: a tuple has no counterpart in Kubernetes"),
        ("acme_odd_pin", "pin: number is sensitive; only string, list, set, and map of string can be"),
    ],
)
def test_unsupported_schema_is_refused_with_reason(resource: str, reason: str) -> None:
    with pytest.raises(UnsupportedSchemaError) as error:
        build_crd(resource)
    assert str(error.value) == reason


def test_name_as_identifier_is_omitted_from_all_views() -> None:
    views = get_views(build_crd(external=("NAME_AS_IDENTIFIER",)))
    assert not {"name", "namePrefix"} & {name for one in views.values() for name in one["properties"]}


def test_template_identifier_is_required_and_not_in_init_provider() -> None:
    template = "TEMPLATED_STRING_AS_IDENTIFIER:name:{{ .parameters.address }}/{{ .external_name }}"
    one = build_crd(external=(f"acme_compute_server={template}",))
    views = get_views(one)
    assert views["forProvider"]["required"] == ["address"]
    assert "address" not in views["initProvider"]["properties"]
    assert "spec.forProvider.address is a required parameter" not in get_rules(one)


def test_description_omits_sentences_about_terraform() -> None:
    top = build_crd()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    assert top["spec"]["properties"]["forProvider"]["properties"]["name"]["description"] == "Name of the server. Short."
