"""Tests of the result of a reconciliation preview."""

import json
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup

from integrations.submissions.models import Integration
from tests.verification.schemas.reconciliation import MANIFEST, OBSERVED, build_manifest, read_text, submit
from tests.verification.schemas.server import VALUE

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]


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


# generated definitions require the reference of a required secret in the initial values too
INITIAL_SPEC = {"initProvider": {"isPublic": True, "rootPasswordSecretRef": {"name": "passwords", "key": "root"}}}
CLUSTER_VERSION = "compute.acme.upbound.io/v1alpha1"
DELETED = {"metadata": MANIFEST["metadata"] | {"deletionTimestamp": "2026-04-14T10:00:00Z"}}


@pytest.mark.parametrize(
    ("manifest", "state", "message"),
    [
        (MANIFEST, "", "Create The object doesn't exist yet."),
        (MANIFEST, OBSERVED, "No operation The observed state matches the manifest."),
        (
            build_manifest(metadata=MANIFEST["metadata"] | {"deletionTimestamp": None}),
            OBSERVED,
            "No operation The observed state matches the manifest.",
        ),
        (build_manifest(arguments={"size": 3}), OBSERVED, "Update The observed state differs from the manifest."),
        (
            build_manifest(**DELETED),
            OBSERVED,
            "Delete The manifest has a deletion timestamp, and the object still exists.",
        ),
        (
            build_manifest(**DELETED),
            "",
            "No operation The manifest has a deletion timestamp, and the object no longer exists.",
        ),
        (
            build_manifest(spec={"managementPolicies": ["Observe"]}, arguments={"address": None}),
            "",
            "No operation The object doesn't exist yet. The management policies or the deletion policy of the manifest "
            "don't allow the operation.",
        ),
        (
            build_manifest(
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
    manifest: object,
    state: object,
    message: str,
) -> None:
    status, page = submit(alice, two, manifest, state)
    assert (status, read_banner(page)) == (200, message)
    assert read_text(page, "manifest") == yaml.safe_dump(manifest).strip()


def test_reconciliation_lists_differences_and_late_values(two: Integration, alice: Any) -> None:
    manifest = build_manifest(arguments={"size": 3, "limits": {"cpu": 1}, "rule": [{"port": 22}]})
    _status, page = submit(alice, two, manifest, OBSERVED | {"root_password": None})
    assert read_rows(page, "Differences") == [
        ["limits.cpu", "1", "4"],
        ["root_password", '"from secret passwords, key root"', "null"],
        ["rule", '[{"port": 22}]', '[{"port": 22}, {"port": 80}]'],
        ["size", "3", "2"],
    ]
    assert ["spec.forProvider.tags", '{"team": "x"}'] in read_rows(page, "Late initialization")


def test_reconciliation_shows_the_planned_value_and_the_requests(two: Integration, alice: Any) -> None:
    manifest = build_manifest(
        metadata=MANIFEST["metadata"] | {"annotations": {"crossplane.io/external-name": "srv-7"}},
        spec=INITIAL_SPEC,
    )
    _status, page = submit(alice, two, manifest, OBSERVED | {"size": 5})
    blocks = [yaml.safe_load(one.get_text()) for one in page.select("main pre code")]
    planned, current, created, prior, updated, deleted = blocks
    assert (planned["size"], planned["root_password"]) == (2, "from secret passwords, key root")
    assert (planned["id"], planned["is_public"], created["is_public"]) == ("srv-7", None, True)
    assert (current["size"], current["root_password"]) == (5, "from the connection secret")
    assert (current, planned, planned) == (prior, updated, deleted)


def test_reconciliation_of_a_new_object_plans_the_initial_values(two: Integration, alice: Any) -> None:
    _status, page = submit(alice, two, build_manifest(spec=INITIAL_SPEC))
    planned, current, *_others = [yaml.safe_load(one.get_text()) for one in page.select("main pre code")]
    assert (planned["is_public"], planned["id"], current["name"]) == (True, None, None)


def test_reconciliation_without_external_name_takes_the_id(two: Integration, alice: Any) -> None:
    _status, page = submit(alice, two, build_manifest(arguments={"size": 3}), OBSERVED)
    planned = yaml.safe_load(page.select("main pre code")[0].get_text())
    assert (planned["id"], planned["size"]) == ("srv-7", 3)


@pytest.mark.parametrize(
    ("metadata", "state", "has_planned_state"),
    [({}, "", True), ({}, OBSERVED | {"size": 3}, True), ({}, OBSERVED, False), (DELETED["metadata"], OBSERVED, False)],
)
def test_reconciliation_shows_the_planned_state_of_creation_and_update(
    two: Integration, alice: Any, metadata: dict[str, str], state: object, has_planned_state: bool
) -> None:
    _status, page = submit(alice, two, build_manifest(metadata=MANIFEST["metadata"] | metadata), state)
    assert ("Terraform value" in [one.get_text() for one in page.select("main h2")]) == has_planned_state


def test_reconciliation_takes_the_identifying_name_from_the_object(two: Integration, alice: Any) -> None:
    manifest = build_manifest(arguments={"name": None})
    _status, page = submit(alice, two, manifest, external_name="NAME_AS_IDENTIFIER")
    assert "name: web\n" in page.select("main pre code")[0].get_text()


def test_reconciliation_shows_no_secret(two: Integration, alice: Any) -> None:
    disk = [{"size": 10, "serial": "S1", "key": "disk-canary", "timeouts": None}]
    secrets = {"connection_url": "url-canary", "api_tokens": ["token-canary"], "env_secrets": {"A": "env-canary"}}
    state = VALUE | secrets | {"root_password": "root-canary", "disk": disk}
    for manifest in (
        MANIFEST,
        build_manifest(arguments={"disk": [{"size": 9, "keySecretRef": {"name": "a", "key": "k"}}]}),
    ):
        status, page = submit(alice, two, manifest, state)
        assert (status, "-canary" in str(page)) == (200, False)
        redacted_state = json.loads(read_text(page, "state"))
        assert redacted_state["root_password"] == redacted_state["env_secrets"] == "from the connection secret"
        assert submit(alice, two, manifest, redacted_state)[1].select_one("main .banner") == page.select_one(
            "main .banner"
        )
    status, page = submit(alice, two, "a: [", state)
    assert (status, "-canary" in str(page)) == (422, False)


def test_reconciliation_state_fits_its_field_again(two: Integration, alice: Any) -> None:
    state = OBSERVED | {"tags": {str(number): "x" for number in range(6_000)}}
    text = read_text(submit(alice, two, MANIFEST, json.dumps(state, separators=(",", ":")))[1], "state")
    assert len(text) <= 100_000 < len(json.dumps(json.loads(text), indent=2))
    assert submit(alice, two, MANIFEST, text)[0] == 200
