"""Tests of the pages on which schemas are uploaded and compared."""

import gzip
import io
import json
import zipfile
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from integrations.submissions.models import Integration
from tests.conftest import NOW, create_integration
from tests.verification.schemas.acme import SOURCE, encode_newer_schema, encode_schema
from tests.verification.schemas.pages import build_client, fetch_page
from verification.schemas import services
from verification.schemas.models import ProviderSchema

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]


def upload_schema(user: Any, row: Integration, version: str, body: bytes) -> Any:
    file = SimpleUploadedFile("schema.json", body)
    return build_client(user).post(reverse("schemas:list", args=[row.uuid]), {"version": version, "file": file})


def test_schema_upload_keeps_only_its_own_provider(provider: Integration, bob: Any) -> None:
    data = json.loads(encode_schema())
    data["provider_schemas"]["registry.terraform.io/globex/scan"] = {}
    answer = upload_schema(bob, provider, "1.4.0", gzip.compress(json.dumps(data).encode()))
    row = ProviderSchema.objects.get()
    assert answer.status_code == 302
    assert (row.version, row.source, row.resources, row.data_sources, row.submitted_by) == ("1.4.0", SOURCE, 6, 1, bob)
    assert list(json.loads(gzip.decompress(row.body))["provider_schemas"]) == [SOURCE]


def test_message_about_one_uploaded_resource_is_singular(provider: Integration, bob: Any) -> None:
    data = json.loads(encode_schema())
    resources = data["provider_schemas"][SOURCE]["resource_schemas"]
    data["provider_schemas"][SOURCE]["resource_schemas"] = dict(list(resources.items())[:1])
    answer = upload_schema(bob, provider, "1.4.0", json.dumps(data).encode())
    messages = [str(message) for message in get_messages(answer.wsgi_request)]
    assert messages == ["Saved the schema of version 1.4.0 with 1 resource."]


def test_schema_upload_replaces_the_same_version(two: Integration, rita: Any) -> None:
    upload_schema(rita, two, "1.9.0", encode_newer_schema())
    assert [(row.version, row.resources) for row in services.list_schemas(two)] == [("1.10.0", 5), ("1.9.0", 5)]


@pytest.mark.parametrize(
    ("version", "body", "message"),
    [
        ("1.4.0", b"<html>", "The file isn't valid JSON. Use the output of “terraform providers schema -json”."),
        ("1.4.0", b"", "The file is empty."),
        ("x", encode_schema(), "“x” is not a version such as 1.2.3."),
        (
            "1.4.0",
            encode_schema({"format_version": "1.0", "provider_schemas": {"a/b/other": {}}}),
            "The file must contain one provider named acme. It contains a/b/other.",
        ),
    ],
)
def test_invalid_schema_upload_is_a_field_error(
    provider: Integration, alice: Any, version: str, body: bytes, message: str
) -> None:
    answer = upload_schema(alice, provider, version, body)
    assert answer.status_code == 422
    assert message in BeautifulSoup(answer.content, "html.parser").get_text()
    assert not ProviderSchema.objects.exists()


def test_viewer_cannot_upload_a_schema(two: Integration, vera: Any) -> None:
    assert fetch_page(vera, "schemas:list", two).select('input[type="file"]') == []
    assert upload_schema(vera, two, "1.4.0", encode_schema()).status_code == 403


def test_schema_history_is_newest_first(two: Integration, alice: Any) -> None:
    cells = fetch_page(alice, "schemas:list", two).select("tbody td.main")
    assert [cell.get_text(strip=True) for cell in cells] == ["1.10.0", "1.9.0"]


def test_integration_that_is_not_a_provider_has_no_schema_pages(acme: Any, alice: Any) -> None:
    row = create_integration(acme, alice, name="Task", repository="acme/task", repository_id=78, now=NOW)
    assert build_client(alice).get(reverse("schemas:list", args=[row.uuid])).status_code == 404


def test_schema_changes_list_breaking_changes_and_the_verdict(two: Integration, rita: Any) -> None:
    page = fetch_page(rita, "schemas:changes", two).get_text(" ", strip=True)
    assert "The resource acme_key was removed." in page
    assert "1.9.0 to 1.10.0 is a minor step, but breaking changes require a new major version." in page


def test_schema_changes_of_a_downgrade_have_no_verdict(two: Integration, rita: Any) -> None:
    page = fetch_page(rita, "schemas:changes", two, version="1.9.0", **{"from": "1.10.0"}).get_text(" ", strip=True)
    assert "The resource acme_key is new." in page
    assert "Semantic versioning doesn't apply to downgrades." in page


def test_crossplane_page_lists_available_resources_and_reasons_for_the_others(two: Integration, alice: Any) -> None:
    page = fetch_page(alice, "schemas:crds", two, version="1.9.0")
    text = " ".join(page.get_text(" ").split())
    assert "4 of 6 resources are available as Kubernetes resources. Skipped: 2." in text
    assert "both: a tuple has no counterpart in Kubernetes" in text
    assert [cell.get_text() for cell in page.select("td.main a")] == [
        "acme_compute_server",
        "acme_key",
        "acme_user_role",
        "acme_user_roles",
    ]


@pytest.mark.parametrize("resource", ["Acme_server", "_acme_server", "säule_server"])
def test_crossplane_page_accepts_any_prefix_of_resource_names(provider: Integration, alice: Any, resource: str) -> None:
    data = json.loads(encode_schema())
    resources = data["provider_schemas"][SOURCE]["resource_schemas"]
    data["provider_schemas"][SOURCE]["resource_schemas"] = {resource: resources["acme_user_role"]}
    upload_schema(alice, provider, "1.4.0", json.dumps(data).encode())
    page = fetch_page(alice, "schemas:crds", provider)
    assert "of 1 resource is available as a Kubernetes resource." in page.get_text(" ", strip=True)


def test_crossplane_invalid_prefix_is_reported_and_the_default_is_shown(two: Integration, alice: Any) -> None:
    text = fetch_page(alice, "schemas:crds", two, group_prefix="A B").get_text(" ", strip=True)
    assert "is not a valid group prefix" in text
    assert "compute.acme.upbound.io" in text


def test_crossplane_choices_for_single_resources_are_followed(two: Integration, alice: Any) -> None:
    query = {
        "kinds": "acme_key=iam/Pin\r\nacme_user_role=iam/Role",
        "external_names": "acme_compute_server=NAME_AS_IDENTIFIER",
        "references": "acme_compute_server.address",
        "api_version": "v1beta1",
        "single_blocks": "object",
        "numbers": "integer",
        "runtime": "1",
    }
    page = fetch_page(alice, "schemas:crds", two, version="1.9.0", **query)
    cells = [[cell.get_text(strip=True) for cell in row.select("td")] for row in page.select("tbody tr")]
    assert ["acme_key", "Pin", "iam.acme.upbound.io"] in cells
    address = page.select_one("td.main a")
    assert address is not None
    text = build_client(alice).get(str(address["href"])).content.decode()
    assert "name: v1beta1" in text
    assert "addressSelector:" in text
    assert "spec.forProvider.name is" not in text
    assert "spec.forProvider.placement is" not in text
    assert "type: integer" in text
    assert "publishConnectionDetailsTo:" in text


@pytest.mark.parametrize(
    ("name", "expected", "message"),
    [
        ("kinds", "acme_key=iam/pin", "“acme_key=iam/pin” is not a valid kind. Write RESOURCE=group/Kind."),
        ("kinds", "acme_key=a/B\nacme_none=a/B", "Resource “acme_none” not found in the provider."),
        ("external_names", "NAME_AS_IDENTIFIER", "Enter “NAME_AS_IDENTIFIER” in the format RESOURCE=RULE."),
        ("external_names", "acme_key=NAMES", "Unknown external name “NAMES”"),
        ("references", "acme_key.none", "Argument “none” not found in acme_key."),
        ("references", "acme_compute_server.size", "acme_compute_server.size can't be a reference"),
        ("api_version", "beta", "“beta” is not a valid API version"),
        ("group_prefix", "A", "“A” is not a valid group prefix"),
    ],
)
def test_crossplane_invalid_choice_is_a_field_error(
    two: Integration, alice: Any, name: str, expected: str, message: str
) -> None:
    page = fetch_page(alice, "schemas:crds", two, version="1.9.0", **{name: expected})
    field = page.select_one(f"[name={name}]")
    assert field is not None
    assert field["aria-invalid"] == "true"
    assert page.select_one("details.fold[open] form") is not None
    assert len(page.select("[aria-invalid=true]")) == 1
    assert message in page.get_text()
    assert field.get("value", field.get_text().strip()) == expected


def test_crossplane_resource_shows_both_scopes_and_the_four_requests(two: Integration, alice: Any) -> None:
    page = fetch_page(alice, "schemas:crd", two, resource="acme_compute_server")
    text = page.get_text(" ", strip=True)
    assert "servers.compute.acme.m.upbound.io" in text
    assert [heading.get_text() for heading in page.select("h2")][-4:] == ["Read", "Create", "Update", "Delete"]
    heading_texts = [(one.name, one.get_text()) for one in page.select("h3, h3 + p")]
    assert heading_texts == [
        ("h3", "CurrentState"),
        ("h3", "PriorState"),
        ("p", "null"),
        ("h3", "PlannedState"),
        ("h3", "PriorState"),
        ("h3", "PlannedState"),
        ("h3", "PriorState"),
        ("h3", "PlannedState"),
        ("p", "null"),
    ]
    assert "The prior state is the last observed state. The planned state is the spec." in text


def test_reconciliation_page_links_to_a_resource_with_any_name(provider: Integration, bob: Any) -> None:
    data = json.loads(encode_schema())
    resources = data["provider_schemas"][SOURCE]["resource_schemas"]
    data["provider_schemas"][SOURCE]["resource_schemas"] = {"acme_a&b": resources["acme_key"]}
    upload_schema(bob, provider, "1.4.0", json.dumps(data).encode())
    page = fetch_page(bob, "schemas:reconciliation", provider, resource="acme_a&b")
    link = next(each["href"] for each in page.select("nav a") if each.text == "acme_a&b")
    assert link == f"{reverse('schemas:crd', args=[provider.uuid])}?resource=acme_a%26b&version=1.4.0"


def test_crossplane_page_of_an_unavailable_resource_shows_the_reason(two: Integration, alice: Any) -> None:
    text = fetch_page(alice, "schemas:crd", two, resource="acme_odd_pin").get_text(" ", strip=True)
    assert "pin: number is sensitive" in text


def test_crossplane_file_is_the_definition_with_the_choices(two: Integration, alice: Any) -> None:
    query = {"resource": "acme_compute_server", "scope": "Namespaced", "group_prefix": "rocket"}
    answer = build_client(alice).get(reverse("schemas:crd_file", args=[two.uuid]), query)
    assert answer["Content-Disposition"] == 'attachment; filename="compute.rocket.m.upbound.io_servers.yaml"'
    assert "group: compute.rocket.m.upbound.io\n" in answer.content.decode()


def test_crossplane_archive_holds_every_file_and_is_the_same_each_time(two: Integration, alice: Any) -> None:
    def body() -> bytes:
        answer = build_client(alice).get(reverse("schemas:crd_archive", args=[two.uuid]))
        return b"".join(answer.streaming_content)  # type: ignore[attr-defined]

    archive = zipfile.ZipFile(io.BytesIO(body()))
    assert archive.testzip() is None
    assert len(archive.namelist()) == 3 * 2 + 5 + 3 + 2
    assert json.loads(archive.read("coverage.json"))["skipped"] == 2
    assert body() == body()


def test_schema_that_is_too_large_has_no_archive(two: Integration, alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    row = two.schemas.get(version="1.10.0")
    size = len(gzip.decompress(bytes(row.body)))
    archive, page = (reverse(name, args=[two.uuid]) for name in ("schemas:crd_archive", "schemas:crds"))
    monkeypatch.setattr(services, "MAX_ARCHIVE_SCHEMA_BYTES", size)
    assert build_client(alice).get(archive).status_code == 200
    monkeypatch.setattr(services, "MAX_ARCHIVE_SCHEMA_BYTES", size - 1)
    client = build_client(alice)
    answer = client.get(archive)
    assert (answer.status_code, answer["Location"]) == (302, f"{page}?version=1.10.0")
    text = client.get(answer["Location"]).content.decode()
    assert text.count("The schema is too large for one archive.") == 2  # the message and the note on the page
    assert "Download all definitions" not in text


@pytest.mark.parametrize("name", ["schemas:changes", "schemas:crds", "schemas:crd", "schemas:crd_file"])
def test_pages_of_a_missing_version_or_resource_are_not_found(
    provider: Integration, two: Integration, alice: Any, name: str
) -> None:
    for query in ({"version": "9.9.9"}, {"version": "\x00"}, {"resource": "acme_none", "from": "9.9.9"}):
        if name == "schemas:crds" and "resource" in query:
            continue
        assert build_client(alice).get(reverse(name, args=[two.uuid]), query).status_code == 404


def test_pages_of_another_partner_are_not_found(two: Integration, charlie: Any) -> None:
    for name in ("schemas:list", "schemas:changes", "schemas:crds", "schemas:crd_archive"):
        assert build_client(charlie).get(reverse(name, args=[two.uuid])).status_code == 404
