"""Manifest of the server of the small provider, and the form that previews its reconciliation."""

import json
from typing import Any

import yaml
from bs4 import BeautifulSoup
from django.urls import reverse

from integrations.submissions.models import Integration
from tests.verification.schemas.pages import build_client
from tests.verification.schemas.server import VALUE

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
OBSERVED = VALUE | {"disk": []}


def build_manifest(**values: Any) -> dict[str, Any]:
    """Return the manifest with other fields: `spec` for the arguments, the names of top-level fields otherwise."""
    arguments = MANIFEST["spec"]["forProvider"] | values.pop("arguments", {})
    spec = MANIFEST["spec"] | {"forProvider": {name: one for name, one in arguments.items() if one is not None}}
    return MANIFEST | {"spec": spec | values.pop("spec", {})} | values


def submit(
    user: Any, row: Integration, manifest: object, state: object = "", **query: str
) -> tuple[int, BeautifulSoup]:
    texts = {
        "manifest": manifest if isinstance(manifest, str) else yaml.safe_dump(manifest),
        "state": state if isinstance(state, str) else json.dumps(state),
    }
    url = reverse("schemas:reconciliation", args=[row.uuid], query={"resource": "acme_compute_server"} | query)
    answer = build_client(user).post(url, texts)
    return answer.status_code, BeautifulSoup(answer.content, "html.parser")


def read_text(page: BeautifulSoup, name: str) -> str:
    """Return the content of a text field."""
    field = page.select_one(f"textarea[name={name}]")
    assert field is not None
    return field.get_text().strip()


def read_error(page: BeautifulSoup, name: str) -> str:
    error = page.select_one(f"#id_{name}_error")
    return error.get_text(" ", strip=True) if error else ""
