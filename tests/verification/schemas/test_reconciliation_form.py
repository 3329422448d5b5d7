"""Tests of the form for a reconciliation preview: errors, limits, examples, and access."""

import json
from typing import Any

import pytest
import yaml
from django.forms import ChoiceField
from django.urls import reverse

from integrations.submissions.models import Integration
from tests.verification.schemas.pages import build_client, fetch_page
from tests.verification.schemas.reconciliation import MANIFEST, build_manifest, read_error, read_text, submit
from verification.schemas.forms import GeneratorChoicesForm

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]

ARGUMENTS = "spec.forProvider"
DEEP = "[" * 51 + "]" * 51
LONG_NUMBER = "1" * 5_000
YAML_LIMITS = "Enter YAML with at most 50 levels and without aliases, special types, or very long numbers."
JSON_LIMITS = "Enter JSON with at most 50 levels and without NaN, Infinity, or very long numbers."


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("", "Enter a manifest."),
        ("a: [", "Enter valid YAML. Check line 2: did not find expected node content."),
        ("a: 1\na: 2", "Enter valid YAML. Check line 2: the key 'a' is repeated."),
        ("a: &a 1\nb: *a", YAML_LIMITS),
        (DEEP, YAML_LIMITS),
        ("a: !!binary aGk=", YAML_LIMITS),
        ("a: !!bool x", YAML_LIMITS),
        ('a: !!int ""', YAML_LIMITS),
        ('a: !!float ""', YAML_LIMITS),
        ("a: !!map []", YAML_LIMITS),
        ("a: .nan", YAML_LIMITS),
        (f"a: {LONG_NUMBER}", YAML_LIMITS),
        ("- a", "Enter an object with the fields apiVersion, kind, metadata, and spec."),
        (build_manifest(kind="Key"), "The field kind must have one of these values: Server."),
        (
            build_manifest(apiVersion="v1"),
            "The field apiVersion must have one of these values: compute.acme.upbound.io/v1alpha1, "
            "compute.acme.m.upbound.io/v1alpha1.",
        ),
        (build_manifest(metadata={"annotations": {"a": 1}}), "Add the required field metadata.name."),
        (build_manifest(arguments={"sise": 1}), f"Unknown field {ARGUMENTS}.sise. Remove it, or check its spelling."),
        (build_manifest(arguments={"size": "2"}), f"The field {ARGUMENTS}.size must have the type integer."),
        (build_manifest(arguments={"size": True}), f"The field {ARGUMENTS}.size must have the type integer."),
        (
            build_manifest(arguments={"rule": [{"port": 1}, {"port": []}]}),
            "The field spec.forProvider.rule[1].port must",
        ),
        (build_manifest(arguments={"rule": {"port": 1}}), f"The field {ARGUMENTS}.rule must have the type array."),
        (build_manifest(arguments={"address": None}), f"Add the required field {ARGUMENTS}.address."),
        (build_manifest(arguments={"rootPasswordSecretRef": {"name": "a"}}), f"{ARGUMENTS}.rootPasswordSecretRef.key."),
        (
            build_manifest(spec={"managementPolicies": ["All"]}),
            "The field spec.managementPolicies[0] must have one of these",
        ),
        (
            build_manifest(spec={"writeConnectionSecretToRef": "a"}),
            "The field spec.writeConnectionSecretToRef must have",
        ),
        (build_manifest(arguments={"zones": ["a"] * 998}), "Enter at most 1,000 list elements."),
        ("a" * 100_001, "Enter 100000 characters or fewer. You entered 100001."),
    ],
)
def test_reconciliation_invalid_manifest_is_kept_with_its_error(
    two: Integration, alice: Any, manifest: object, message: str
) -> None:
    status, page = submit(alice, two, manifest, '{"size": 2}')
    assert (status, message in read_error(page, "manifest")) == (422, True), read_error(page, "manifest")
    text = manifest if isinstance(manifest, str) else yaml.safe_dump(manifest)
    assert (read_text(page, "manifest"), json.loads(read_text(page, "state"))) == (text.strip(), {"size": 2})
    assert len(page.select("[aria-invalid=true]")) == 1
    assert page.select("main .banner, main table") == []


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ('{"size": }', "Enter valid JSON. Check line 1, column 10."),
        ('{"size": NaN}', JSON_LIMITS),
        ('{"extra": ' + DEEP + "}", JSON_LIMITS),
        ("[" * 20_000, JSON_LIMITS),
        (f'{{"size": {LONG_NUMBER}}}', JSON_LIMITS),
        ("[]", "Enter a JSON object with the arguments of the resource."),
        ('{"sise": 2}', "Unknown field sise. Remove it, or check its spelling."),
        ('{"size": "2"}', "The field size must have the type number."),
        ('{"events": [{"at": 1}]}', "The field events[0].at must have the type string."),
        ('{"rule": {"port": 1}}', "The field rule must have the type array."),
        ('{"rule": [null]}', "The field rule[0] must have the type object."),
        (" " * 100_000 + "x" * 100_001, "Enter 100000 characters or fewer."),
    ],
)
def test_reconciliation_invalid_state_is_kept_with_its_error(
    two: Integration, alice: Any, state: str, message: str
) -> None:
    status, page = submit(alice, two, MANIFEST, state)
    assert (status, message in read_error(page, "state")) == (422, True), read_error(page, "state")
    assert read_text(page, "state") == state.strip()
    assert read_text(page, "manifest") == yaml.safe_dump(MANIFEST).strip()


@pytest.mark.parametrize(
    ("count", "expected"), [(1_000, (200, "")), (1_001, (422, "Enter at most 1,000 list elements."))]
)
def test_reconciliation_accepts_1000_list_elements(
    two: Integration, alice: Any, count: int, expected: tuple[int, str]
) -> None:
    status, page = submit(alice, two, MANIFEST, {"matrix": [[1] * (count - 1)]})
    assert (status, read_error(page, "state")) == expected


def test_reconciliation_indented_manifest_is_accepted(two: Integration, alice: Any) -> None:
    text = "".join(f"  {line}\n" for line in yaml.safe_dump(MANIFEST).splitlines())
    assert submit(alice, two, text)[0] == 200


PAGES: tuple[str, ...] = ("schemas:crd", "schemas:reconciliation")
OPTIONS = [
    {name: choice}
    for name, field in GeneratorChoicesForm.base_fields.items()
    if isinstance(field, ChoiceField)
    for choice, _label in field.choices
]


@pytest.mark.parametrize(
    ("names", "query"),
    [
        (PAGES, {}),
        (PAGES, {"runtime": "1", "single_blocks": "object"}),
        *((PAGES[1:], option) for option in OPTIONS),
        (PAGES[1:], {"group_prefix": "rocket"}),
        (PAGES[1:], {"api_version": "v1beta1"}),
        (PAGES[1:], {"external_names": "acme_compute_server=PARAMETER_AS_IDENTIFIER:address"}),
        (PAGES[1:], {"kinds": "acme_compute_server=iam/Role"}),
        (PAGES[1:], {"references": "acme_compute_server.address"}),
    ],
)
def test_reconciliation_form_has_an_example_that_is_valid(
    two: Integration, alice: Any, names: tuple[str, ...], query: dict[str, str]
) -> None:
    for name in names:
        page = fetch_page(alice, name, two, resource="acme_compute_server", **query)
        form = page.select_one("#reconciliation form")
        assert form is not None
        answer = build_client(alice).post(str(form["action"]), {"manifest": read_text(page, "manifest"), "state": ""})
        assert answer.status_code == 200
        assert "The object doesn&#x27;t exist yet." in answer.content.decode()


def test_reconciliation_of_a_resource_without_definition_is_not_found(two: Integration, alice: Any) -> None:
    for resource in ("acme_odd_pin", "acme_none"):
        url = reverse("schemas:reconciliation", args=[two.uuid], query={"resource": resource})
        assert build_client(alice).get(url).status_code == 404
    page = fetch_page(alice, "schemas:crd", two, resource="acme_odd_pin")
    assert page.select("#reconciliation") == []


def test_reconciliation_is_visible_to_members_only(two: Integration, vera: Any, charlie: Any) -> None:
    for name in ("schemas:crd", "schemas:reconciliation"):
        url = reverse(name, args=[two.uuid], query={"resource": "acme_compute_server"})
        assert build_client(vera).get(url).status_code == 200
        assert build_client(charlie).get(url).status_code == 404
    assert submit(vera, two, MANIFEST)[0] == 200
    assert submit(charlie, two, MANIFEST)[0] == 404
