"""Tests of preview files other than resources: configurations, examples, metadata, and settings of Upjet."""

import json
import shutil
import subprocess
from typing import Any

import pytest
import yaml

from tests.conform.crds import evaluate_example
from tests.verification.schemas.acme import SOURCE, encode_schema
from tests.verification.schemas.definitions import build_crd, get_views
from tests.verification.schemas.structural_rules import find_violations
from tests.verification.schemas.validators import CrdValidators
from verification.schemas.crossplane.coverage import iterate_files
from verification.schemas.crossplane.options import parse_choices, validate_choices
from verification.schemas.crossplane.provider_config import build_provider_definitions
from verification.schemas.engine.parsing import parse_schema

SCHEMA = parse_schema(encode_schema())
OPTIONS: dict[str, Any] = {
    "external": ("acme_key=NAME_AS_IDENTIFIER", "acme_compute_server=TEMPLATED_STRING_AS_IDENTIFIER:name:{{ .n }}"),
    "kinds": ("acme_key=keys/AccessKey",),
    "references": ("acme_compute_server.address=acme_key", "acme_compute_server.namespace"),
}


def build_files(**options: Any) -> dict[str, str]:
    choices = validate_choices(SCHEMA, parse_choices("acme", **options))
    return {name: text for name, text, _ in iterate_files(SCHEMA, choices)}


def list_definitions(files: dict[str, str]) -> dict[str, Any]:
    return {name: yaml.safe_load(text) for name, text in files.items() if "upbound.io_" in name}


@pytest.mark.parametrize(
    ("runtime", "names"),
    [
        ("1", ["providerconfigs.acme.upbound.io", "providerconfigusages.acme.upbound.io"]),
        (
            "2.0",
            [
                "providerconfigs.acme.upbound.io",
                "providerconfigusages.acme.upbound.io",
                "providerconfigs.acme.m.upbound.io",
                "clusterproviderconfigs.acme.m.upbound.io",
                "providerconfigusages.acme.m.upbound.io",
            ],
        ),
    ],
)
def test_definitions_of_the_provider_are_valid(runtime: str, names: list[str]) -> None:
    definitions = build_provider_definitions(parse_choices("acme", runtime=runtime))
    validators = CrdValidators()
    assert [one["metadata"]["name"] for one in definitions] == names
    assert [fault for one in definitions for fault in (*find_violations(one), *validators.list_errors(one))] == []


@pytest.mark.parametrize("options", [{}, OPTIONS, {"runtime": "1", "singletons": "object", "single_blocks": "object"}])
def test_examples_are_valid_under_the_definitions(options: dict[str, Any]) -> None:
    files = build_files(**options)
    secret, *examples = yaml.safe_load_all(files["examples.yaml"])
    definitions = list_definitions(files)
    assert [each for one in examples for each in evaluate_example(one, definitions)] == []
    assert len({(one["apiVersion"], one["kind"]) for one in examples}) == len(examples)
    assert secret["metadata"] == {"name": "acme-credentials", "namespace": "crossplane-system"}
    assert json.loads(secret["stringData"]["credentials"]) == {"token": "example"}


def test_example_without_a_required_argument_is_refused() -> None:
    files = build_files()
    server = next(one for one in yaml.safe_load_all(files["examples.yaml"]) if one["kind"] == "Server")
    del server["spec"]["forProvider"]["address"]
    server["spec"]["forProvider"]["adress"] = "10.0.0.1"
    refusals = [each.reference for each in evaluate_example(server, list_definitions(files))]
    assert refusals[0].startswith("$.spec.forProvider: Additional properties are not allowed ('adress' was unexpected)")
    assert len(refusals) == 2


def test_metadata_names_the_provider() -> None:
    assert yaml.safe_load(build_files()["crossplane.yaml"]) == {
        "apiVersion": "meta.pkg.crossplane.io/v1",
        "kind": "Provider",
        "metadata": {
            "name": "provider-acme",
            "annotations": {
                "meta.crossplane.io/description": f"Crossplane provider generated from the Terraform provider {SOURCE}."
            },
        },
        "spec": {"capabilities": ["SafeStart"]},
    }


def test_configuration_of_upjet_has_every_choice() -> None:
    lines = [line.strip() for line in build_files(**OPTIONS)["upjet.go"].splitlines()]
    start = lines.index('p.AddResourceConfigurator("acme_compute_server", func(r *config.Resource) {')
    assert '"acme_key": config.NameAsIdentifier,' in lines
    assert '"acme_compute_server": config.TemplatedStringAsIdentifier("name", "{{ .n }}"),' in lines
    assert '"acme_user_role": config.IdentifierFromProvider,' in lines
    assert lines[start + 1 : start + 7] == [
        'r.ShortGroup = "compute"',
        'r.Kind = "Server"',
        'r.Version = "v1alpha1"',
        'r.References["address"] = config.Reference{TerraformName: "acme_key"}',
        "// The resource that namespace references isn't known.",
        "})",
    ]


def test_sensitive_argument_is_a_secret_and_configured() -> None:
    argument = "acme_compute_server.address"
    for_provider = get_views(build_crd(sensitive=(argument,)))["forProvider"]["properties"]
    assert ("address" in for_provider, "addressSecretRef" in for_provider) == (False, True)
    assert 'r.TerraformResource.Schema["address"].Sensitive = true' in build_files(sensitive=(argument,))["upjet.go"]


@pytest.mark.skipif(not shutil.which("gofmt"), reason="Go is not installed")
def test_configuration_of_upjet_is_formatted() -> None:
    text = build_files(**OPTIONS)["upjet.go"]
    formatted = subprocess.run(["gofmt"], input=text, capture_output=True, text=True, check=True)
    assert formatted.stdout == text
