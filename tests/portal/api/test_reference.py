"""Tests of the pages of the API reference."""

import re
from html import unescape

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse

from portal.api.docs import reference
from portal.api.v1.app import PARTS, build_document

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]
MAX_BYTES = 150_000
INDEX = reverse("api:docs")
GROUPS = {group["slug"]: [operation["id"] for operation in group["operations"]] for group in reference.list_groups()}


def read_page(client: Client, address: str, **query: str) -> BeautifulSoup:
    return BeautifulSoup(client.get(address, query).text, "html.parser")


def list_operations(page: BeautifulSoup) -> list[str]:
    return [str(line["id"]) for line in page.select(".api-index > li")]


def test_groups_contain_every_operation_once(client: Client) -> None:
    paths = client.get(reverse("api:openapi")).json()["paths"]
    ids = sorted(operation["operationId"] for methods in paths.values() for operation in methods.values())
    assert sorted(name for names in GROUPS.values() for name in names) == ids


def test_index_links_to_every_operation_and_has_an_anchor_for_each_section(client: Client) -> None:
    page = read_page(client, INDEX)
    links = {str(line["id"]): str(line.select("a")[0]["href"]) for line in page.select(".api-index > li")}
    assert links == {
        name: f"{reverse('api:docs_group', args=[slug])}#{name}" for slug, names in GROUPS.items() for name in names
    }
    anchors = {str(each["id"]) for each in page.select("[id]")}
    assert {"begin", "scopes", "pages-only", "problems", "problem-not-found", *GROUPS} - anchors == set()
    assert [name for name in PARTS.page_only_features if name not in unescape(str(page))] == []


@pytest.mark.parametrize("slug", GROUPS)
def test_group_is_complete_without_a_script_and_small(client: Client, slug: str) -> None:
    response = client.get(reverse("api:docs_group", args=[slug]))
    page = BeautifulSoup(response.text, "html.parser")
    assert [str(each["id"]) for each in page.select(".api-operation")] == GROUPS[slug]
    anchors = {f"#{each['id']}" for each in page.select("[id]")}
    assert [each["href"] for each in page.select("main a[href^='#']") if each["href"] not in anchors] == []
    assert "`" not in re.sub(r"<pre.*?</pre>", "", response.text, flags=re.DOTALL)
    assert "style=" not in response.text
    assert "unsafe-inline" not in response["Content-Security-Policy"]
    assert len(response.content) <= MAX_BYTES


def test_index_is_small(client: Client) -> None:
    assert len(client.get(INDEX).content) <= MAX_BYTES


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("list_directory", ["list_directory"]),
        ("GET /directory", ["list_directory", "get_listing"]),
        ("token", ["get_me"]),
        ("no such operation", []),
    ],
)
def test_index_shows_operations_that_match_the_query(client: Client, query: str, expected: list[str]) -> None:
    assert list_operations(read_page(client, INDEX, q=query)) == expected


def test_query_of_the_script_returns_the_results_only(client: Client) -> None:
    page = client.get(INDEX, {"q": "list_directory"}, headers={"HX-Request": "true"})
    assert list_operations(BeautifulSoup(page.text, "html.parser")) == ["list_directory"]
    assert "<html" not in page.text
    assert page["Vary"].split(", ").count("HX-Request") == 1


def test_unknown_group_is_not_found(client: Client) -> None:
    assert client.get("/api/docs/unknown").status_code == 404


def test_document_is_small(client: Client) -> None:
    assert len(client.get(reverse("api:openapi")).content) <= 300_000


def test_unchanged_document_is_not_modified(client: Client) -> None:
    answer = client.get(reverse("api:openapi"))
    assert client.get(reverse("api:openapi"), headers={"If-None-Match": answer["ETag"]}).status_code == 304


def test_shared_parameters_are_shown(client: Client) -> None:
    page = read_page(client, reverse("api:docs_group", args=["integrations"]))
    operation = page.select_one("#list_integrations")
    assert operation is not None
    names = {str(cell.get_text(strip=True)) for cell in operation.select("table tr > :first-child")}
    assert {"after", "limit"} <= names


def test_operations_for_notifications_are_in_one_group() -> None:
    names = ["list_notifications", "get_notification_preferences", "update_notification_preferences"]
    assert GROUPS["notifications"] == names


def test_meaning_of_a_problem_type_shows_names_of_fields_as_code(client: Client) -> None:
    page = client.get(reverse("api:docs")).text
    assert "Something must be completed first. <code>detail</code> names it." in page


def test_names_of_times_tell_that_they_are_times() -> None:
    names = {
        name
        for schema in build_document()["components"]["schemas"].values()
        for name, values in schema.get("properties", {}).items()
        if "date-time" in [each.get("format") for each in values.get("anyOf", [values])]
    }
    others = {name for name in names if not name.endswith(("_at", "_until"))}
    assert others == {"data_up_to", "due_at_after", "due_at_before", "since"}


def test_api_calls_a_company_a_partner() -> None:
    document = build_document()
    names = {name for each in document["components"]["schemas"].values() for name in each.get("properties", {})}
    assert [name for name in names | document["components"]["parameters"].keys() if "company" in name] == []
