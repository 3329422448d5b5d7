"""Provider schemas: upload, comparison of versions, and Crossplane preview."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import create_integration
from tests.journeys.person import Person
from tests.verification.schemas.acme import encode_newer_schema, encode_schema


def test_schemas_are_uploaded_compared_and_previewed(
    visit: Callable[..., Person], alice: Any, acme: Any, rita: Any, tmp_path: Path
) -> None:
    row = create_integration(acme, alice, "terraform-provider", repository="acme/terraform-provider-acme")
    old = tmp_path / "old.json"
    new = tmp_path / "new.json"
    old.write_bytes(encode_schema())
    new.write_bytes(encode_newer_schema())
    page = visit(alice).go(f"/integrations/{row.uuid}/").press("Schemas and Crossplane resources")
    page.sees("No schemas yet").write("Provider version", "v1.4.0").choose_file("Schema", old).press("Upload schema")
    page.sees("begins with a “v”").write("Provider version", "1.4.0").choose_file("Schema", old).press("Upload schema")
    page.sees("Saved the schema of version 1.4.0 with 6 resources.")
    page.write("Provider version", "1.5.0").choose_file("Schema", new).press("Upload schema").sees(
        "Saved the schema of version 1.5.0"
    ).shot("schemas")
    page.press("Changes in 1.5.0").sees("The resource acme_key was removed.")
    page.sees("require a new major version").shot("schema-changes")
    phone = visit(rita, phone=True, javascript=False).go(f"/integrations/{row.uuid}/crossplane/")
    phone.sees("3 of 5 resources are available as Kubernetes resources").shot("crossplane-phone")
    phone.press("acme_compute_server").sees("compute.acme.m.upbound.io_servers.yaml", "so the prior state is null")
    phone.shot("crossplane")
    phone.write("Observed state", '{"size": "2"}').press("Preview reconciliation")
    phone.sees("The field size must have the type number.")
    phone.write("Observed state", '{"id": "srv-7", "size": 2}').press("Preview reconciliation")
    phone.sees("The observed state differs from the manifest.", "Late initialization").shot("reconciliation")
