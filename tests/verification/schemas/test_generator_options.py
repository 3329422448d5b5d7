"""Tests of the generator options of the CRD preview."""

from typing import Any

import kubernetes_validate
import pytest

from tests.verification.schemas.acme import encode_schema
from tests.verification.schemas.definitions import POLICY, build_crd, get_views, strip_descriptions
from tests.verification.schemas.structural_rules import find_violations
from verification.schemas.crossplane.options import (
    GeneratorChoices,
    InvalidChoiceError,
    parse_choices,
    parse_external_name,
    validate_choices,
)
from verification.schemas.engine.parsing import parse_schema


def test_single_blocks_become_objects_if_chosen() -> None:
    properties = get_views(build_crd(singletons="object", single_blocks="object"))["forProvider"]["properties"]
    types = [properties[name]["type"] for name in ("disk", "placement", "rule")]
    assert types == ["object", "object", "array"]


def test_category_is_the_first_word_of_a_domain() -> None:
    choices = parse_choices("acme.crossplane.io")
    assert (choices.category, choices.build_group_name("x", is_namespaced=True)) == ("acme", "x.acme.m.crossplane.io")
    assert choices.build_group_name("", is_namespaced=False) == "acme.crossplane.io"


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
        ("acme", {"sensitive": ("acme_key",)}),
        ("acme", {"category": "A b"}),
        ("acme", {"api_version": "1beta1"}),
        ("acme", {"api_version": "v1gamma1"}),
    ],
)
def test_invalid_option_is_refused(prefix: str, more: dict[str, Any]) -> None:
    with pytest.raises(InvalidChoiceError):
        parse_choices(prefix, **more)


def test_definition_has_the_chosen_category() -> None:
    assert build_crd(category="rocket")["spec"]["names"]["categories"] == ["crossplane", "managed", "rocket"]


def test_external_name_of_a_parameter_omits_the_parameter_and_its_prefix() -> None:
    external_name = parse_external_name("PARAMETER_AS_IDENTIFIER:arn")
    assert (external_name.omitted, external_name.identifiers) == (("arn", "arn_prefix"), ("arn",))


def test_external_name_of_a_template_is_identified_by_its_plain_parameters() -> None:
    template = "{{.parameters.zone}}/{{ .parameters.type | ToLower }}/{{ .parameters.zone }}/{{ .external_name }}"
    external_name = parse_external_name(f"TEMPLATED_STRING_AS_IDENTIFIER:label:{template}")
    assert (external_name.omitted, external_name.identifiers) == (("label", "label_prefix"), ("zone",))


def test_default_identifier_comes_from_the_provider() -> None:
    assert parse_choices("acme") == GeneratorChoices(root="acme.upbound.io", category="acme")


def test_definition_has_the_chosen_version() -> None:
    assert build_crd(api_version="v1beta2")["spec"]["versions"][0]["name"] == "v1beta2"


@pytest.mark.parametrize(
    ("more", "message"),
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
def test_option_for_unknown_resource_or_argument_is_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidChoiceError) as error:
        validate_choices(parse_schema(encode_schema()), parse_choices("acme", **more))
    assert str(error.value) == message


def test_numbers_have_fractions_if_chosen() -> None:
    properties = get_views(build_crd(numbers="number"))["forProvider"]["properties"]
    number = {"type": "number"}
    assert (properties["size"], properties["matrix"]["items"]["items"]) == (number, number)
    assert properties["disk"]["items"]["properties"]["size"] == number
    assert find_violations(build_crd(numbers="number")) == []


@pytest.mark.parametrize(
    ("runtime", "spec", "status"),
    [("2.3", set(), {"lastHandledReconcileAt"}), ("2.0", set(), set()), ("1", {"publishConnectionDetailsTo"}, set())],
)
def test_definition_has_the_fields_of_its_runtime(runtime: str, spec: set[str], status: set[str]) -> None:
    one = build_crd(is_namespaced=False, runtime=runtime)
    top = one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    common = {"deletionPolicy", "forProvider", "initProvider", "managementPolicies", "providerConfigRef"}
    assert set(top["spec"]["properties"]) == {*common, "writeConnectionSecretToRef", *spec}
    assert set(top["status"]["properties"]) == {"atProvider", "conditions", "observedGeneration", *status}
    kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)
    assert find_violations(one) == []


def test_definition_of_the_first_runtime_names_the_store_of_connection_details() -> None:
    top = strip_descriptions(
        build_crd(is_namespaced=False, runtime="1")["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    )["properties"]
    text = {"type": "string"}
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
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
