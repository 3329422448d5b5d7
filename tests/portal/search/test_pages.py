"""Tests of the search page and of the palette's results."""

from typing import Any

import pytest

from integrations.submissions.models import Integration
from portal.search.indexing import index_documentation
from portal.search.models import Kind, SearchEntry

pytestmark = pytest.mark.any_database

UNUSUAL_QUERIES = [
    "",
    "   ",
    "\x00",
    "\u202e",
    "x" * 5000,
    "<script>",
    "%",
    "_",
    "'",
    '"',
    "*",
    "a" * 64 + "*",
    "🚀",
    "NEAR(",
]


@pytest.mark.parametrize("path", ["/search/", "/search/palette/"])
@pytest.mark.parametrize("query", UNUSUAL_QUERIES)
def test_pages_accept_any_query(sign_in: Any, alice: Any, path: str, query: str) -> None:
    page = sign_in(alice).get(path, {"q": query})
    assert (page.status_code, "<script>" in page.text) == (200, False)


@pytest.mark.every_database
def test_search_page_shows_own_results_only(zephyr: Integration, sign_in: Any, alice: Any, charlie: Any) -> None:
    page = sign_in(alice).get("/search/", {"q": "zephyr"})
    assert [hit.title for hit in page.context["page"]] == [
        "Zephyr",
        "zephyr crashes",
        "Zephyr Zane",
        "acme/zephyr",
        "clouds/zephyr",
        "Acme",
    ]
    page = sign_in(charlie).get("/search/", {"q": "zephyr"})
    assert [hit.title for hit in page.context["page"]] == ["clouds/zephyr"]


def test_search_page_filters_by_type(zephyr: Integration, sign_in: Any, alice: Any) -> None:
    page = sign_in(alice).get("/search/", {"q": "zephyr", "type": "issue", "page": 1})
    assert [hit.title for hit in page.context["page"]] == ["zephyr crashes"]
    assert [(tab.label, tab.count, tab.is_current) for tab in page.context["tabs"]] == [
        ("All", 6, False),
        ("Integrations", 1, False),
        ("Partners", 1, False),
        ("Repositories", 1, False),
        ("Issues", 1, True),
        ("People", 1, False),
        ("Published providers", 1, False),
    ]
    assert 'href="?q=zephyr&amp;type=repository"' in page.text
    assert 'href="?q=zephyr"' in page.text


@pytest.mark.parametrize("value", ["program", "unknown", ""])
def test_search_page_shows_all_results_for_types_without_results(
    zephyr: Integration, sign_in: Any, alice: Any, value: str
) -> None:
    page = sign_in(alice).get("/search/", {"q": "zephyr", "type": value})
    assert (len(page.context["page"]), page.context["tabs"][0].is_current) == (6, True)


def test_search_page_offers_no_types_for_one_type(zephyr: Integration, sign_in: Any, charlie: Any) -> None:
    assert sign_in(charlie).get("/search/", {"q": "zephyr"}).context["tabs"] == []


@pytest.mark.every_database
def test_search_page_without_results_shows_a_message(sign_in: Any, alice: Any) -> None:
    assert "Nothing that you have access to matches “gardening”." in sign_in(alice).get("/search/?q=gardening").text
    assert "Search integrations, partners" in sign_in(alice).get("/search/").text


@pytest.mark.every_database
def test_search_page_has_pages_and_a_limit(sign_in: Any, alice: Any) -> None:
    SearchEntry.objects.bulk_create(
        SearchEntry(
            kind=Kind.DOCUMENTATION,
            object_id=str(number),
            source="test",
            title=f"Page {number}",
            title_words=f"page {number}",
            words=f"page {number}",
            url="/",
            audience="everyone",
        )
        for number in range(501)
    )
    page = sign_in(alice).get("/search/", {"q": "page", "page": 10})
    assert (len(page.context["page"]), page.context["limit"]) == (50, 500)
    assert "First 500 results. Enter more words to narrow the search." in page.text


def test_palette_groups_results_by_kind(zephyr: Integration, sign_in: Any, rita: Any) -> None:
    page = sign_in(rita).get("/search/palette/", {"q": "zephyr"})
    assert [heading for heading, _icon, _hits in page.context["groups"]] == [
        "Integrations",
        "Issues",
        "People",
        "Repositories",
        "Findings",
        "Published providers",
        "Partners",
    ]
    assert ("<html" in page.text, "7 results. Use the arrow keys and Enter." in page.text) == (False, True)
    urls = [hit.url for _heading, _icon, hits in page.context["groups"] for hit in hits]
    assert f"/integrations/{zephyr.uuid}/review/#finding-1" in urls
    assert "/companies/acme/" in urls


@pytest.mark.parametrize(
    ("name", "query", "commands"),
    [
        ("alice", "new", ["New integration"]),
        ("alice", "queue", []),
        ("alice", "acme", []),
        ("alice", "notif", ["Notifications"]),
        ("rita", "rev que", ["Review queue"]),
        ("rita", "admin", []),
        ("sam", "admin", ["Administration"]),
    ],
)
def test_palette_offers_the_pages_of_the_role(
    request: Any, sign_in: Any, acme: Any, name: str, query: str, commands: list[str]
) -> None:
    page = sign_in(request.getfixturevalue(name)).get("/search/palette/", {"q": query})
    assert [link.label for link in page.context["commands"]] == commands


def test_palette_of_an_empty_query_lists_all_pages(sign_in: Any, alice: Any) -> None:
    index_documentation()
    page = sign_in(alice).get("/search/palette/")
    assert (page.context["groups"], page.context["commands"][0].label) == ([], "New integration")
