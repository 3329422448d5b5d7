"""Tests of the validators of resource definitions."""

from tests.verification.schemas.definitions import build_crd
from tests.verification.schemas.validators import CrdValidators


def test_valid_definition_has_no_refusals() -> None:
    assert CrdValidators().list_errors(build_crd()) == []


def test_refusals_name_the_place_and_the_rule() -> None:
    one = build_crd()
    one["spec"]["scope"] = 7
    version = one["spec"]["versions"][0]
    version["schema"]["openAPIV3Schema"]["properties"]["spec"]["x-kubernetes-validations"] = [{"rule": "has(("}]
    shape, rule = CrdValidators().list_errors(one)
    assert "spec.scope: 7 is not of type" in shape
    assert rule.startswith("CEL: ")
    assert rule.endswith(" in has((")
