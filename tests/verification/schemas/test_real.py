"""The schemas of real providers, recorded; without PORTAL_SHARED there is nothing to try."""

import os
from pathlib import Path
from typing import Any

import celpy
import kubernetes_validate
import pytest

from verification.schemas.base import ProviderSchema
from verification.schemas.choices import choices
from verification.schemas.coverage import previews
from verification.schemas.read import read_one

FOLDER = Path(os.environ.get("PORTAL_SHARED", "../shared")) / "data" / "provider-schemas"
ALL = sorted(path.name.removesuffix(".json.gz") for path in FOLDER.glob("*.json.gz"))
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no recorded schemas of providers on this machine")


def schema_of(name: str) -> ProviderSchema:
    return read_one((FOLDER / f"{name}.json.gz").read_bytes())


@pytest.mark.parametrize("name", ALL)
def test_previews_of_a_real_provider_leave_nothing_out(name: str) -> None:
    schema = schema_of(name)
    found = list(previews(schema, choices(schema.prefix)))
    assert [one.why_not for one in found if not one.is_available] == []
    assert len(found) == len(schema.resources)


@pytest.mark.parametrize("name", ["buildkite_buildkite_1.19.0", "hashicorp_tls_4.1.0"])
def test_definitions_of_a_real_provider_are_taken_by_kubernetes(name: str) -> None:
    schema = schema_of(name)
    for preview in previews(schema, choices(schema.prefix)):
        for one in preview.definitions:
            kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)


def test_rules_of_a_real_provider_compile() -> None:
    schema = schema_of("elastic_ec_0.12.2")
    environment = celpy.Environment()
    told = [
        rule["rule"] for preview in previews(schema, choices(schema.prefix)) for rule in rules(preview.definitions[0])
    ]
    assert len(told) == 22
    assert all(environment.compile(rule) for rule in told)


def rules(one: dict[str, Any]) -> list[dict[str, str]]:
    spec = one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return list(spec.get("x-kubernetes-validations", []))
