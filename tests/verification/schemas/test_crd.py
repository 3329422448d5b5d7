import json
from typing import Any

import celpy
import kubernetes_validate
import pytest

from tests.verification.schemas.acme import attribute, block, build_nested_type, encode_schema
from verification.schemas.crossplane.crd import MANAGEMENT_CONDITION, build_definition
from verification.schemas.crossplane.option_validation import validate_choices
from verification.schemas.crossplane.options import (
    GeneratorChoices,
    InvalidChoiceError,
    parse_choices,
    parse_external_name,
)
from verification.schemas.engine.kubernetes_rules import find_faults
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import UnsupportedSchemaError

KEYED_OBJECT = {"type": "object", "required": ["key", "name"]}
WHOLE = {"type": "integer", "format": "int64"}


def build_crd(resource: str = "acme_compute_server", *, is_namespaced: bool = True, **more: Any) -> dict[str, Any]:
    schema = parse_schema(encode_schema())
    return build_definition(schema.resources[resource], parse_choices("acme", **more), is_namespaced=is_namespaced)


def bare(schema: Any) -> Any:
    """The schema without words, which tell people and change nothing."""
    if isinstance(schema, list):
        return [bare(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    stripped_schema = {
        key: bare(one) for key, one in schema.items() if key != "description" or not isinstance(one, str)
    }
    if "properties" in schema:
        stripped_schema["properties"] = {key: bare(one) for key, one in schema["properties"].items()}
    return stripped_schema


def parts(one: dict[str, Any]) -> dict[str, Any]:
    top = bare(one["spec"]["versions"][0]["schema"]["openAPIV3Schema"])["properties"]
    spec = top["spec"]["properties"]
    return {
        "forProvider": spec["forProvider"],
        "initProvider": spec["initProvider"],
        "atProvider": top["status"]["properties"]["atProvider"],
    }


def rules(one: dict[str, Any]) -> dict[str, str]:
    spec = one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return {rule["message"]: rule["rule"] for rule in spec.get("x-kubernetes-validations", [])}


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("size", WHOLE),
        ("isPublic", {"type": "boolean"}),
        ("zones", {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
        (
            "tags",
            {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "granular"},
        ),
        ("matrix", {"type": "array", "items": {"type": "array", "items": WHOLE}}),
        ("extra", {"x-kubernetes-preserve-unknown-fields": True}),
        ("limits", {"type": "object", "properties": {"cpu": WHOLE}}),
        (
            "labels",
            {
                "type": "object",
                "additionalProperties": {"type": "object", "properties": {"value": {"type": "string"}}},
            },
        ),
        ("rule", {"type": "array", "items": {"type": "object", "properties": {"port": WHOLE}}}),
        ("placement", {"type": "array", "items": {"type": "object", "properties": {"rack": {"type": "string"}}}}),
    ],
)
def test_definition_field_that_is_set_appears_in_all_three_views(name: str, schema: dict[str, Any]) -> None:
    definition_parts = parts(build_crd())
    assert [definition_parts[view]["properties"].get(name) for view in definition_parts] == [schema] * 3


def test_definition_has_no_timeouts_of_the_resource() -> None:
    assert not [view for view, one in parts(build_crd()).items() if "timeouts" in one["properties"]]


@pytest.mark.parametrize("name", ["ipv4Address", "events", "owner", "id"])
def test_definition_field_that_is_observed_appears_in_the_status_alone(name: str) -> None:
    definition_parts = parts(build_crd())
    assert [name in definition_parts[view]["properties"] for view in definition_parts] == [False, False, True]


def test_definition_observed_part_of_a_block_is_in_the_status_and_its_secret_is_not() -> None:
    definition_parts = {view: one["properties"]["disk"]["items"] for view, one in parts(build_crd()).items()}
    assert sorted(definition_parts["forProvider"]["properties"]) == ["keySecretRef", "size", "timeouts"]
    assert sorted(definition_parts["atProvider"]["properties"]) == ["serial", "size", "timeouts"]
    assert "required" not in definition_parts["forProvider"]
    assert definition_parts["initProvider"]["required"] == ["keySecretRef"]


def test_definition_secret_that_is_set_is_a_reference_and_one_that_is_observed_is_dropped() -> None:
    definition_parts = parts(build_crd())
    spec = definition_parts["forProvider"]["properties"]
    assert {key: spec["rootPasswordSecretRef"][key] for key in KEYED_OBJECT} == KEYED_OBJECT
    assert {key: spec["apiTokensSecretRef"]["items"][key] for key in KEYED_OBJECT} == KEYED_OBJECT
    assert spec["envSecretsSecretRef"]["required"] == ["name"]
    assert not [
        name for name in definition_parts["atProvider"]["properties"] if "Secret" in name or name == "connectionUrl"
    ]
    assert definition_parts["initProvider"]["required"] == ["rootPasswordSecretRef"]


def test_definition_cluster_scoped_secret_names_its_namespace() -> None:
    spec = parts(build_crd(is_namespaced=False))["forProvider"]["properties"]
    assert spec["rootPasswordSecretRef"]["required"] == ["key", "name", "namespace"]
    assert spec["envSecretsSecretRef"]["required"] == ["name", "namespace"]


@pytest.mark.parametrize(
    ("is_namespaced", "group", "scope", "keys"),
    [
        (False, "compute.acme.upbound.io", "Cluster", {"deletionPolicy"}),
        (True, "compute.acme.m.upbound.io", "Namespaced", set()),
    ],
)
def test_definition_envelope_of_each_scope(is_namespaced: bool, group: str, scope: str, keys: set[str]) -> None:
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


def test_definition_rules_name_what_must_be_given_in_the_order_of_terraform() -> None:
    names = ["address", "name", "namespace", "placement", "rootPasswordSecretRef", "rule"]
    assert list(rules(build_crd())) == [f"spec.forProvider.{name} is a required parameter" for name in names]


def test_definition_rule_lets_the_first_values_do_but_not_for_secrets() -> None:
    rules_by_message = rules(build_crd())
    has_init = "(has(self.initProvider) && has(self.initProvider.address))"
    assert rules_by_message["spec.forProvider.address is a required parameter"] == (
        f"{MANAGEMENT_CONDITION} || has(self.forProvider.address) || {has_init}"
    )
    assert rules_by_message["spec.forProvider.rootPasswordSecretRef is a required parameter"] == (
        f"{MANAGEMENT_CONDITION} || has(self.forProvider.rootPasswordSecretRef)"
    )


def test_definition_rule_escapes_a_word_of_cel_but_the_message_does_not() -> None:
    assert (
        "has(self.forProvider.__namespace__)"
        in rules(build_crd())["spec.forProvider.namespace is a required parameter"]
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
def test_definition_rule_decides_as_its_message_says(policies: Any, spec: Any, init: Any, passes: bool) -> None:
    rule = rules(build_crd())["spec.forProvider.address is a required parameter"]
    environment = celpy.Environment()
    program = environment.program(environment.compile(rule))
    self = {"managementPolicies": policies, "forProvider": spec, "initProvider": init}
    assert bool(program.evaluate({"self": celpy.json_to_cel(self)})) is passes


@pytest.mark.parametrize("is_namespaced", [False, True])
@pytest.mark.parametrize("resource", ["acme_compute_server", "acme_key"])
def test_definition_is_taken_by_kubernetes(resource: str, is_namespaced: bool) -> None:
    one = build_crd(resource, is_namespaced=is_namespaced)
    kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)
    assert find_faults(one) == []


def test_definition_that_is_changed_changes_no_other() -> None:
    before = json.dumps(build_crd(is_namespaced=False), sort_keys=True)
    _fill_every_mapping(build_crd(is_namespaced=False))
    assert json.dumps(build_crd(is_namespaced=False), sort_keys=True) == before


def _fill_every_mapping(one: Any) -> None:
    for inner in list(one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()):
        _fill_every_mapping(inner)
    if isinstance(one, dict | list):
        one.update(changed=True) if isinstance(one, dict) else one.append("changed")


@pytest.mark.parametrize(
    ("resource", "reason"),
    [
        ("acme_odd_pair", "both: a tuple has no counterpart in Kubernetes"),
        ("acme_odd_pin", "pin: number is sensitive; only string, list, set and map of string can be"),
    ],
)
def test_definition_of_what_cannot_be_reported_says_why(resource: str, reason: str) -> None:
    with pytest.raises(UnsupportedSchemaError) as error:
        build_crd(resource)
    assert str(error.value) == reason


def test_definition_name_as_identifier_takes_the_name_out_of_all_views() -> None:
    definition_parts = parts(build_crd(external=("NAME_AS_IDENTIFIER",)))
    assert not {"name", "namePrefix"} & {name for one in definition_parts.values() for name in one["properties"]}


def test_definition_identifier_that_stays_must_be_given_and_is_no_first_value() -> None:
    template = "TEMPLATED_STRING_AS_IDENTIFIER:name:{{ .parameters.address }}/{{ .external_name }}"
    one = build_crd(external=(f"acme_compute_server={template}",))
    definition_parts = parts(one)
    assert definition_parts["forProvider"]["required"] == ["address"]
    assert "address" not in definition_parts["initProvider"]["properties"]
    assert "spec.forProvider.address is a required parameter" not in rules(one)


def test_definition_singletons_become_objects_where_that_is_chosen() -> None:
    definition_parts = parts(build_crd(singletons="object", single_blocks="object"))["forProvider"]["properties"]
    assert (
        definition_parts["disk"]["type"],
        definition_parts["placement"]["type"],
        definition_parts["rule"]["type"],
    ) == ("object", "object", "array")


def test_definition_words_leave_out_the_sentences_about_terraform() -> None:
    top = build_crd()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    assert top["spec"]["properties"]["forProvider"]["properties"]["name"]["description"] == "Name of the server. Short."


def test_choices_whole_domain_gives_the_category_with_its_first_word() -> None:
    choices = parse_choices("acme.crossplane.io")
    assert (choices.category, choices.group("x", is_namespaced=True)) == ("acme", "x.acme.m.crossplane.io")
    assert choices.group("", is_namespaced=False) == "acme.crossplane.io"


@pytest.mark.parametrize(
    ("prefix", "more"),
    [
        ("Acme", {}),
        ("a b", {}),
        ("acme", {"external": ("NAMES",)}),
        ("acme", {"external": ("NAME_AS_IDENTIFIER",) * 2}),
        ("acme", {"kinds": ("acme_key=keys/key",)}),
        ("acme", {"singletons": "both"}),
        ("acme", {"computed_nested": "spec"}),
        ("acme", {"numbers": "float"}),
        ("acme", {"runtime": "3"}),
        ("acme", {"references": ("acme_key",)}),
        ("acme", {"category": "A b"}),
        ("acme", {"api_version": "1beta1"}),
        ("acme", {"api_version": "v1gamma1"}),
    ],
)
def test_choices_refuses_what_it_cannot_read(prefix: str, more: dict[str, Any]) -> None:
    with pytest.raises(InvalidChoiceError):
        parse_choices(prefix, **more)


def test_definition_has_the_category_that_was_chosen() -> None:
    assert build_crd(category="rocket")["spec"]["names"]["categories"] == ["crossplane", "managed", "rocket"]


def test_external_name_of_a_parameter_omits_it_and_its_prefix() -> None:
    external_name = parse_external_name("PARAMETER_AS_IDENTIFIER:arn")
    assert (external_name.omitted, external_name.identifiers) == (("arn", "arn_prefix"), ("arn",))


def test_external_name_of_a_template_is_identified_by_the_parameters_that_stand_in_it_as_they_are() -> None:
    template = "{{.parameters.zone}}/{{ .parameters.type | ToLower }}/{{ .parameters.zone }}/{{ .external_name }}"
    external_name = parse_external_name(f"TEMPLATED_STRING_AS_IDENTIFIER:label:{template}")
    assert (external_name.omitted, external_name.identifiers) == (("label", "label_prefix"), ("zone",))


def test_choices_default_is_an_identifier_from_the_provider() -> None:
    assert parse_choices("acme") == GeneratorChoices(root="acme.upbound.io", category="acme")


def of_attributes(attributes: dict[str, Any], **blocks: Any) -> Any:
    """The preview's function of a resource that has just these."""
    resource_schema: Any = {"block": {"attributes": attributes, "block_types": blocks}}
    schemas = {"acme": {"resource_schemas": {"acme_some_thing": resource_schema}}}
    schema = parse_schema(json.dumps({"format_version": "1.0", "provider_schemas": schemas}).encode())

    def preview(**more: Any) -> dict[str, Any]:
        return build_definition(schema.resources["acme_some_thing"], parse_choices("acme", **more), is_namespaced=True)

    return preview


def test_definition_has_no_rule_for_what_has_no_type() -> None:
    build_crd_of = of_attributes({"value": attribute("dynamic", "required"), "name": attribute("string", "required")})()
    assert list(rules(build_crd_of)) == ["spec.forProvider.name is a required parameter"]
    assert find_faults(build_crd_of) == []


def test_definition_shows_what_is_observed_in_the_status_alone_whatever_is_inside() -> None:
    inside = {"size": attribute("number", "optional"), "serial": attribute("string", "computed")}
    definition_parts = of_attributes({"disk": build_nested_type("list", inside, "computed")})()
    names_by_view = {view: sorted(one.get("properties", {})) for view, one in parts(definition_parts).items()}
    assert names_by_view == {"forProvider": [], "initProvider": [], "atProvider": ["disk", "id"]}
    assert rules(definition_parts) == {}


@pytest.mark.parametrize("mode", ["single", "list", "set", "map"])
def test_definition_computed_nested_attribute_is_a_parameter_of_older_generators(mode: str) -> None:
    preview = of_attributes({"meta": build_nested_type(mode, {"serial": attribute("string", "computed")}, "computed")})
    definition_parts = preview(computed_nested="parameter")
    bare_object, object_schema = {"type": "object"}, {"type": "object", "properties": {"serial": {"type": "string"}}}
    around = {"single": dict, "map": lambda one: {"type": "object", "additionalProperties": one}}.get(
        mode, lambda one: {"type": "array", "items": one}
    )
    assert [one["properties"]["meta"] for one in parts(definition_parts).values()] == [
        around(bare_object),
        around(bare_object),
        around(object_schema),
    ]
    assert list(rules(definition_parts)) == ["spec.forProvider.meta is a required parameter"]
    assert find_faults(definition_parts) == []


def test_definition_secret_nested_attribute_can_only_be_made_by_older_generators() -> None:
    inside = {"user": attribute("string", "required")}
    preview = of_attributes({"auth": build_nested_type("single", inside, "optional", "sensitive")})
    with pytest.raises(UnsupportedSchemaError, match="auth: object is sensitive"):
        preview()
    assert "auth" in parts(preview(computed_nested="parameter"))["forProvider"]["properties"]


POLICY = {
    "type": "object",
    "properties": {
        "resolution": {"type": "string", "default": "Required", "enum": ["Required", "Optional"]},
        "resolve": {"type": "string", "enum": ["Always", "IfNotPresent"]},
    },
}


@pytest.mark.parametrize(("is_namespaced", "more"), [(True, {"namespace": {"type": "string"}}), (False, {})])
def test_definition_reference_has_two_more_fields_and_no_rule(is_namespaced: bool, more: dict[str, Any]) -> None:
    one = build_crd(is_namespaced=is_namespaced, references=("acme_compute_server.address",))
    reference = {"name": {"type": "string"}, "policy": POLICY, **more}
    definition_parts = parts(one)
    assert [definition_parts[view]["properties"].get("addressRef") for view in definition_parts] == [
        {"type": "object", "properties": reference, "required": ["name"]},
        {"type": "object", "properties": reference, "required": ["name"]},
        None,
    ]
    selector = definition_parts["initProvider"]["properties"]["addressSelector"]
    assert set(selector["properties"]) == {"matchControllerRef", "matchLabels", "policy", *more}
    assert "spec.forProvider.address is a required parameter" not in rules(one)
    assert find_faults(one) == []


def test_definition_references_of_a_list_and_inside_a_block() -> None:
    inside = {"network_ids": attribute(["set", "string"], "optional")}
    preview = of_attributes({}, place=block("list", inside))
    definition_parts = parts(preview(references=("acme_some_thing.place.network_ids",)))["forProvider"]["properties"][
        "place"
    ]
    assert sorted(definition_parts["items"]["properties"]) == ["networkIds", "networkIdsRefs", "networkIdsSelector"]
    assert definition_parts["items"]["properties"]["networkIdsRefs"]["type"] == "array"


def test_definition_reference_that_is_an_identifier_need_not_be_given_and_is_no_first_value() -> None:
    rule = "acme_compute_server=TEMPLATED_STRING_AS_IDENTIFIER:name:{{ .parameters.address }}"
    definition_parts = parts(build_crd(external=(rule,), references=("acme_compute_server.address",)))
    assert "required" not in definition_parts["forProvider"]
    assert "addressRef" in definition_parts["forProvider"]["properties"]
    assert not {"addressRef", "addressSelector"} & definition_parts["initProvider"]["properties"].keys()


def test_definition_has_the_version_that_was_chosen() -> None:
    assert build_crd(api_version="v1beta2")["spec"]["versions"][0]["name"] == "v1beta2"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"references": ("acme_none.a",)}, "Resource “acme_none” not found in the provider."),
        ({"kinds": ("acme_none=a/B",)}, "Resource “acme_none” not found in the provider."),
        ({"external": ("acme_none=NAME_AS_IDENTIFIER",)}, "Resource “acme_none” not found in the provider."),
        ({"references": ("acme_key.disk.none",)}, "Argument “disk.none” not found in acme_key."),
        (
            {"references": ("acme_compute_server.size",)},
            "acme_compute_server.size can't be a reference. It must be a settable, non-sensitive string.",
        ),
    ],
)
def test_fitting_refuses_what_the_schema_does_not_have(more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidChoiceError) as error:
        validate_choices(parse_schema(encode_schema()), parse_choices("acme", **more))
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("more", "kind", "is_required"),
    [
        ({}, "array", True),
        ({"singletons": "object"}, "object", True),
        ({"single_blocks": "object"}, "object", False),
        ({"single_blocks": "object", "singletons": "object"}, "object", False),
    ],
)
def test_definition_requires_a_block_that_exists_once_only_where_the_generator_takes_it_for_a_list(
    more: dict[str, str], kind: str, is_required: bool
) -> None:
    definition_parts = of_attributes({}, place=block("single", {"rack": attribute("string", "required")}))(**more)
    assert parts(definition_parts)["forProvider"]["properties"]["place"]["type"] == kind
    assert list(rules(definition_parts)) == ["spec.forProvider.place is a required parameter"] * is_required


@pytest.mark.parametrize(
    ("attributes", "blocks", "is_required"),
    [
        ({"rack": attribute("string", "required")}, {}, True),
        ({}, {"bay": block("set", {"rack": attribute("string", "required")})}, True),
        ({"bay": build_nested_type("single", {"rack": attribute("string", "required")}, "optional")}, {}, False),
        ({}, {"bay": block("set", {"rack": attribute("string", "optional")}, least=1)}, False),
    ],
)
def test_definition_block_that_is_taken_for_a_list_is_required_for_what_its_blocks_need(
    attributes: dict[str, Any], blocks: dict[str, Any], is_required: bool
) -> None:
    definition_parts = of_attributes({}, place=block("single", attributes, **blocks))(single_blocks="array")
    assert list(rules(definition_parts)) == ["spec.forProvider.place is a required parameter"] * is_required


def test_definition_numbers_have_fractions_where_that_is_chosen() -> None:
    definition_parts = parts(build_crd(numbers="number"))["forProvider"]["properties"]
    number = {"type": "number"}
    assert (definition_parts["size"], definition_parts["matrix"]["items"]["items"]) == (number, number)
    assert definition_parts["disk"]["items"]["properties"]["size"] == number
    assert find_faults(build_crd(numbers="number")) == []


@pytest.mark.parametrize(
    ("runtime", "spec", "status"),
    [("2.3", set(), {"lastHandledReconcileAt"}), ("2.0", set(), set()), ("1", {"publishConnectionDetailsTo"}, set())],
)
def test_definition_has_the_surroundings_of_its_runtime(runtime: str, spec: set[str], status: set[str]) -> None:
    one = build_crd(is_namespaced=False, runtime=runtime)
    top = one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    common = {"deletionPolicy", "forProvider", "initProvider", "managementPolicies", "providerConfigRef"}
    assert set(top["spec"]["properties"]) == {*common, "writeConnectionSecretToRef", *spec}
    assert set(top["status"]["properties"]) == {"atProvider", "conditions", "observedGeneration", *status}
    kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)
    assert find_faults(one) == []


def test_definition_of_the_first_runtime_names_the_store_of_connection_details() -> None:
    top = bare(build_crd(is_namespaced=False, runtime="1")["spec"]["versions"][0]["schema"]["openAPIV3Schema"])[
        "properties"
    ]
    text, texts = {"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}
    assert top["spec"]["properties"]["publishConnectionDetailsTo"] == {
        "type": "object",
        "properties": {
            "configRef": {
                "type": "object",
                "default": {"name": "default"},
                "properties": {"name": text, "policy": POLICY},
                "required": ["name"],
            },
            "metadata": {"type": "object", "properties": {"annotations": texts, "labels": texts, "type": text}},
            "name": text,
        },
        "required": ["name"],
    }
