import json
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup
from django.urls import reverse

from integrations.submissions.models import Integration
from tests.verification.schemas.test_managed import VALUE
from tests.verification.schemas.test_pages import fetch_page, signed_in

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]

MANIFEST: dict[str, Any] = {
    "apiVersion": "compute.acme.m.upbound.io/v1alpha1",
    "kind": "Server",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "forProvider": {
            "address": "10.0.0.7",
            "name": "web",
            "namespace": "prod",
            "size": 2,
            "placement": [{"rack": "r1"}],
            "rule": [{"port": 22}, {"port": 80}],
            "rootPasswordSecretRef": {"name": "passwords", "key": "root"},
            "limits": {"cpu": 4},
        }
    },
}
# generated definitions require the reference of a required secret in the initial values too
INITIAL_SPEC = {"initProvider": {"isPublic": True, "rootPasswordSecretRef": {"name": "passwords", "key": "root"}}}
OBSERVED = VALUE | {"disk": []}
CLUSTER_VERSION = "compute.acme.upbound.io/v1alpha1"


def manifest(**values: Any) -> dict[str, Any]:
    """Return the manifest with other fields: `spec` for the arguments, the names of top-level fields otherwise."""
    arguments = MANIFEST["spec"]["forProvider"] | values.pop("arguments", {})
    spec = MANIFEST["spec"] | {"forProvider": {name: one for name, one in arguments.items() if one is not None}}
    return MANIFEST | {"spec": spec | values.pop("spec", {})} | values


def submit(user: Any, row: Integration, entered: object, state: object = "", **query: str) -> tuple[int, BeautifulSoup]:
    texts = {
        "manifest": entered if isinstance(entered, str) else yaml.safe_dump(entered),
        "state": state if isinstance(state, str) else json.dumps(state),
    }
    url = reverse("schemas:reconciliation", args=[row.uuid], query={"resource": "acme_compute_server"} | query)
    answer = signed_in(user).post(url, texts)
    return answer.status_code, BeautifulSoup(answer.content, "html.parser")


def read_banner(page: BeautifulSoup) -> str:
    banner = page.select_one("main .banner")
    assert banner is not None
    return " ".join(banner.get_text(" ").split())


def read_rows(page: BeautifulSoup, caption: str) -> list[list[str]]:
    """Return the codes in each row of a table."""
    tables = [one for one in page.select("main table") if caption in one.select_one("caption").get_text()]  # type: ignore[union-attr]
    return [
        [code.get_text(strip=True) for code in row.select("code")] for one in tables for row in one.select("tbody tr")
    ]


def read_text(page: BeautifulSoup, name: str) -> str:
    """Return the content of a text field."""
    field = page.select_one(f"textarea[name={name}]")
    assert field is not None
    return field.get_text().strip()


def read_error(page: BeautifulSoup, name: str) -> str:
    error = page.select_one(f"#id_{name}_error")
    return error.get_text(" ", strip=True) if error else ""


DELETED = {"metadata": MANIFEST["metadata"] | {"deletionTimestamp": "2026-04-14T10:00:00Z"}}


@pytest.mark.parametrize(
    ("entered", "state", "sentence"),
    [
        (MANIFEST, "", "Create The object doesn't exist yet."),
        (MANIFEST, OBSERVED, "No operation The observed state matches the manifest."),
        (manifest(arguments={"size": 3}), OBSERVED, "Update The observed state differs from the manifest."),
        (manifest(**DELETED), OBSERVED, "Delete The manifest has a deletion timestamp, and the object still exists."),
        (
            manifest(**DELETED),
            "",
            "No operation The manifest has a deletion timestamp, and the object no longer exists.",
        ),
        (
            manifest(spec={"managementPolicies": ["Observe"]}, arguments={"address": None}),
            "",
            "No operation The object doesn't exist yet. The management policies or the deletion policy of the manifest "
            "don't allow the operation.",
        ),
        (
            manifest(
                **DELETED,
                apiVersion=CLUSTER_VERSION,
                spec={"deletionPolicy": "Orphan"},
                arguments={"rootPasswordSecretRef": {"name": "passwords", "namespace": "a", "key": "root"}},
            ),
            VALUE,
            "No operation The manifest has a deletion timestamp, and the object still exists. The management policies "
            "or the deletion policy of the manifest don't allow the operation.",
        ),
    ],
)
def test_reconciliation_shows_each_decision(
    two: Integration,
    alice: Any,
    entered: object,
    state: object,
    sentence: str,
) -> None:
    status, page = submit(alice, two, entered, state)
    assert (status, read_banner(page)) == (200, sentence)
    assert read_text(page, "manifest") == yaml.safe_dump(entered).strip()


def test_reconciliation_lists_differences_and_late_values(two: Integration, alice: Any) -> None:
    entered = manifest(arguments={"size": 3, "limits": {"cpu": 1}, "rule": [{"port": 22}]})
    _status, page = submit(alice, two, entered, OBSERVED | {"root_password": None})
    assert read_rows(page, "Differences") == [
        ["limits.cpu", "1", "4"],
        ["root_password", '"from secret passwords, key root"', "null"],
        ["rule", '[{"port": 22}]', '[{"port": 22}, {"port": 80}]'],
        ["size", "3", "2"],
    ]
    assert ["spec.forProvider.tags", '{"team": "x"}'] in read_rows(page, "Late initialization")


def test_reconciliation_shows_the_planned_value_and_the_requests(two: Integration, alice: Any) -> None:
    entered = manifest(
        metadata=MANIFEST["metadata"] | {"annotations": {"crossplane.io/external-name": "srv-7"}},
        spec=INITIAL_SPEC,
    )
    _status, page = submit(alice, two, entered, OBSERVED | {"size": 5})
    blocks = [yaml.safe_load(one.get_text()) for one in page.select("main pre code")]
    planned, current, created, prior, updated, deleted = blocks
    assert (planned["size"], planned["root_password"]) == (2, "from secret passwords, key root")
    assert (planned["id"], planned["is_public"], created["is_public"]) == ("srv-7", None, True)
    assert (current["size"], current["root_password"]) == (5, "from the connection secret")
    assert (current, planned, planned) == (prior, updated, deleted)


def test_reconciliation_of_a_new_object_plans_the_initial_values(two: Integration, alice: Any) -> None:
    _status, page = submit(alice, two, manifest(spec=INITIAL_SPEC))
    planned, current, *_others = [yaml.safe_load(one.get_text()) for one in page.select("main pre code")]
    assert (planned["is_public"], planned["id"], current["name"]) == (True, None, None)


def test_reconciliation_without_external_name_takes_the_id(two: Integration, alice: Any) -> None:
    text = submit(alice, two, MANIFEST, OBSERVED)[1].select("main pre code")[0].get_text()
    assert yaml.safe_load(text)["id"] == "srv-7"


def test_reconciliation_name_that_identifies_is_the_name_of_the_object(two: Integration, alice: Any) -> None:
    entered = manifest(arguments={"name": None})
    _status, page = submit(alice, two, entered, external_name="NAME_AS_IDENTIFIER")
    assert "name: web\n" in page.select("main pre code")[0].get_text()


def test_reconciliation_shows_no_secret(two: Integration, alice: Any) -> None:
    disk = [{"size": 10, "serial": "S1", "key": "disk-canary", "timeouts": None}]
    secrets = {"connection_url": "url-canary", "api_tokens": ["token-canary"], "env_secrets": {"A": "env-canary"}}
    state = VALUE | secrets | {"root_password": "root-canary", "disk": disk}
    for entered in (MANIFEST, manifest(arguments={"disk": [{"size": 9, "keySecretRef": {"name": "a", "key": "k"}}]})):
        status, page = submit(alice, two, entered, state)
        assert (status, "-canary" in str(page)) == (200, False)
        kept = json.loads(read_text(page, "state"))
        assert kept["root_password"] == kept["env_secrets"] == "from the connection secret"
        assert submit(alice, two, entered, kept)[1].select_one("main .banner") == page.select_one("main .banner")


ARGUMENTS = "spec.forProvider"
DEEP = "[" * 51 + "]" * 51


@pytest.mark.parametrize(
    ("entered", "sentence"),
    [
        ("", "Enter a manifest."),
        ("a: [", "Enter valid YAML. Check line 2: did not find expected node content."),
        ("a: 1\na: 2", "Enter valid YAML. Check line 2: the key 'a' is repeated."),
        ("a: &a 1\nb: *a", "Enter YAML without aliases, special types, and more than 50 levels."),
        (DEEP, "Enter YAML without aliases, special types, and more than 50 levels."),
        ("a: !!binary aGk=", "Enter YAML without aliases, special types, and more than 50 levels."),
        ("a: .nan", "Enter YAML without aliases, special types, and more than 50 levels."),
        ("- a", "Enter an object with the fields apiVersion, kind, metadata, and spec."),
        (manifest(kind="Key"), "The field kind must have one of these values: Server."),
        (
            manifest(apiVersion="v1"),
            "The field apiVersion must have one of these values: compute.acme.upbound.io/v1alpha1, "
            "compute.acme.m.upbound.io/v1alpha1.",
        ),
        (manifest(metadata={"annotations": {"a": 1}}), "Add the required field metadata.name."),
        (manifest(arguments={"sise": 1}), f"Unknown field {ARGUMENTS}.sise. Remove it, or check its spelling."),
        (manifest(arguments={"size": "2"}), f"The field {ARGUMENTS}.size must have the type integer."),
        (manifest(arguments={"size": True}), f"The field {ARGUMENTS}.size must have the type integer."),
        (manifest(arguments={"rule": [{"port": 1}, {"port": []}]}), "The field spec.forProvider.rule[1].port must"),
        (manifest(arguments={"rule": {"port": 1}}), f"The field {ARGUMENTS}.rule must have the type array."),
        (manifest(arguments={"address": None}), f"Add the required field {ARGUMENTS}.address."),
        (manifest(arguments={"rootPasswordSecretRef": {"name": "a"}}), f"{ARGUMENTS}.rootPasswordSecretRef.key."),
        (manifest(spec={"managementPolicies": ["All"]}), "The field spec.managementPolicies[0] must have one of these"),
        (manifest(spec={"writeConnectionSecretToRef": "a"}), "The field spec.writeConnectionSecretToRef must have"),
        ("a" * 100_001, "Enter 100000 characters or fewer. You entered 100002."),
    ],
)
def test_reconciliation_invalid_manifest_is_kept_with_its_error(
    two: Integration, alice: Any, entered: object, sentence: str
) -> None:
    status, page = submit(alice, two, entered, '{"size": 2}')
    assert (status, sentence in read_error(page, "manifest")) == (422, True), read_error(page, "manifest")
    text = entered if isinstance(entered, str) else yaml.safe_dump(entered)
    assert (read_text(page, "manifest"), read_text(page, "state")) == (text.strip(), '{"size": 2}')
    assert len(page.select("[aria-invalid=true]")) == 1
    assert page.select("main .banner, main table") == []


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ('{"size": }', "Enter valid JSON. Check line 1, column 10."),
        ('{"size": NaN}', "Enter JSON without NaN, Infinity, and more than 50 levels."),
        ('{"extra": ' + DEEP + "}", "Enter JSON without NaN, Infinity, and more than 50 levels."),
        ("[" * 20_000, "Enter JSON without NaN, Infinity, and more than 50 levels."),
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
    two: Integration, alice: Any, state: str, sentence: str
) -> None:
    status, page = submit(alice, two, MANIFEST, state)
    assert (status, sentence in read_error(page, "state")) == (422, True), read_error(page, "state")
    assert read_text(page, "state") == state.strip()
    assert read_text(page, "manifest") == yaml.safe_dump(MANIFEST).strip()


def test_reconciliation_indented_manifest_is_accepted(two: Integration, alice: Any) -> None:
    text = "".join(f"  {line}\n" for line in yaml.safe_dump(MANIFEST).splitlines())
    assert submit(alice, two, text)[0] == 200


def test_reconciliation_form_has_an_example_that_is_valid(two: Integration, alice: Any) -> None:
    for name in ("schemas:crd", "schemas:reconciliation"):
        for query in ({}, {"runtime": "1", "single_blocks": "object"}):
            page = fetch_page(alice, name, two, resource="acme_compute_server", **query)
            form = page.select_one("#reconciliation form")
            assert form is not None
            answer = signed_in(alice).post(str(form["action"]), {"manifest": read_text(page, "manifest"), "state": ""})
            assert answer.status_code == 200
            assert "The object doesn&#x27;t exist yet." in answer.content.decode()


def test_reconciliation_of_a_resource_without_definition_is_not_there(two: Integration, alice: Any) -> None:
    for resource in ("acme_odd_pin", "acme_none"):
        url = reverse("schemas:reconciliation", args=[two.uuid], query={"resource": resource})
        assert signed_in(alice).get(url).status_code == 404
    page = fetch_page(alice, "schemas:crd", two, resource="acme_odd_pin")
    assert page.select("#reconciliation") == []
