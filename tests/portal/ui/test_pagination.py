"""Tests of pages of long lists."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from bs4 import BeautifulSoup
from django.db import connection
from django.db.models import F, QuerySet
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from integrations.submissions.models import Integration
from portal.directory.models import Listing
from portal.ui.components.lists import pagination
from portal.ui.pagination import list_columns, paginate, redirect_to_list
from tests.conftest import NOW, create_integration

pytestmark = pytest.mark.any_database
SIZE = 2


@pytest.fixture
def rows(acme: Any, alice: Any) -> QuerySet[Integration]:
    """Seven integrations, some of which began at the same time."""
    for number in range(7):
        create_integration(
            acme, alice, name=f"N{number}", repository=f"acme/n{number}", now=NOW + timedelta(days=number // 3)
        )
    return Integration.objects.order_by("-created_at", "-pk")


def open_page(rows: QuerySet[Integration], query: str, size: int = SIZE) -> tuple[list[str], dict[str, str]]:
    """Return the names on a page, and the queries of its links by relation or title."""
    request = RequestFactory().get(f"/{query}")
    page = paginate(request, rows, size)
    links = BeautifulSoup(pagination({"request": request}, page), "html.parser").select("a")  # type: ignore[arg-type]
    return [row.name for row in page], {str(link.get("title") or link["rel"][0]): str(link["href"]) for link in links}


@pytest.mark.parametrize("order", [("-created_at", "-pk"), ("created_at", "id"), ("name", "pk"), ("-pk",)])
def test_links_lead_through_all_rows_and_back(rows: QuerySet[Integration], order: tuple[str, ...]) -> None:
    rows = rows.order_by(*order)
    names = [row.name for row in rows]
    pages = [names[start : start + SIZE] for start in range(0, len(names), SIZE)]
    page_names, links = open_page(rows, "")
    visited = [page_names]
    while "next" in links:
        page_names, links = open_page(rows, links["next"])
        visited.append(page_names)
    assert visited == pages
    while "prev" in links:
        page_names, links = open_page(rows, links["prev"])
        visited.append(page_names)
    assert visited == [*pages, *pages[-2::-1]]


def test_page_from_a_position_skips_no_rows(rows: QuerySet[Integration], acme: Any, alice: Any) -> None:
    link = open_page(rows, "?page=2")[1]["next"]
    create_integration(acme, alice, name="Newer", repository="acme/newer", now=NOW + timedelta(days=9))
    with CaptureQueriesContext(connection) as queries:
        names, _links = open_page(rows, link)
    assert names == ["N2", "N1"]
    assert [query["sql"] for query in queries if "OFFSET" in query["sql"]] == []


@pytest.mark.parametrize("order", [("-created_at", "-pk"), ("created_at", "id"), ("name",)])
@pytest.mark.parametrize("size", [1, SIZE, 3, 7])
def test_links_lead_to_the_last_page_and_the_first(
    rows: QuerySet[Integration], order: tuple[str, ...], size: int
) -> None:
    rows = rows.order_by(*order)
    names = [row.name for row in rows]
    last_names, links = open_page(rows, "?page=1&q=n", size)
    last_names, links = open_page(rows, links.get("Last page", links.get("next", "")), size)
    assert last_names == names[(6 // size) * size :]
    assert open_page(rows, links.get("First page", links.get("prev", "")), size)[0] == names[:size]


def test_links_to_the_first_and_last_page_are_left_out_beside_them(rows: QuerySet[Integration]) -> None:
    names = ("First page", "prev", "next", "Last page")
    shown = [[name in open_page(rows, f"?page={number}")[1] for name in names] for number in (1, 2, 3, 4)]
    assert shown == [
        [False, False, True, True],
        [False, True, True, True],
        [True, True, True, False],
        [True, True, False, False],
    ]


def test_last_page_skips_no_rows(rows: QuerySet[Integration]) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert open_page(rows, "?page=4")[0] == ["N0"]
    assert [query["sql"] for query in queries if "OFFSET" in query["sql"]] == []


@pytest.mark.parametrize("position", ["", "~", "~a", "~a:b:c", "~WyJhIiwiMSJd"])
def test_invalid_position_opens_the_page_by_its_number(rows: QuerySet[Integration], position: str) -> None:
    assert open_page(rows, f"?page=2{position}")[0] == ["N4", "N3"]


def test_position_of_another_order_opens_the_page_by_its_number(rows: QuerySet[Integration]) -> None:
    link = open_page(rows, "?page=2")[1]["next"]
    with time_machine.travel(NOW):
        assert open_page(rows, "?page=2")[1]["next"] == link
    assert open_page(rows, link)[0] == ["N2", "N1"]
    assert open_page(rows.order_by("name", "-pk"), link)[0] == ["N4", "N5"]


def test_number_after_the_last_page_opens_the_last_page(rows: QuerySet[Integration]) -> None:
    link = open_page(rows, "?page=3")[1]["next"]
    assert open_page(rows.exclude(name="N0"), link)[0] == ["N2", "N1"]


@pytest.mark.parametrize("by_key", [False, True])
@pytest.mark.parametrize("number", ["", "1", "2", "x"])
def test_list_that_can_have_no_rows_is_an_empty_page(db: None, number: str, *, by_key: bool) -> None:
    request = RequestFactory().get(f"/?page={number}")
    page = paginate(request, Integration.objects.filter(partner_id__in=[]), by_key=by_key)
    assert (list(page), page.number, page.paginator.count) == ([], 1, 0)


@pytest.mark.parametrize("order", [(), ("name",), ("action_due_at", "pk"), ("partner__name", "pk"), ("partner", "pk")])
def test_some_orders_have_no_positions(order: tuple[str, ...]) -> None:
    assert list_columns(Integration.objects.order_by(*order)) == []
    assert list_columns(Integration.objects.order_by(F("name").asc(), "pk")) == []


def test_primary_key_can_be_a_relation() -> None:
    columns = list_columns(Listing.objects.order_by("-listed_at", "-pk"))
    assert [(column.field.attname, column.is_descending) for column in columns] == [
        ("listed_at", True),
        ("integration_id", True),
    ]


def test_page_without_a_position_has_plain_links(rows: QuerySet[Integration]) -> None:
    assert open_page(rows.order_by("name"), "?page=2&q=n")[1] == {
        "prev": "?page=1&q=n",
        "next": "?page=3&q=n",
        "Last page": "?page=4&q=n",
    }


@pytest.mark.parametrize("size", [1, SIZE])
def test_page_by_key_reads_keys_before_rows(rows: QuerySet[Integration], size: int) -> None:
    with CaptureQueriesContext(connection) as queries:
        page = paginate(RequestFactory().get("/?page=2"), rows.order_by("name"), size, count=7, by_key=True)
        assert [row.name for row in page] == ["N1", "N2", "N3"][size - 1 : 2 * size - 1]
    keys, found = (query["sql"] for query in queries)
    assert re.match(r'SELECT "submissions_integration"\."id" AS', keys)
    assert f"OFFSET {size}" in keys
    assert "OFFSET" not in found


@pytest.mark.parametrize(
    ("path", "referrer", "url"),
    [
        ("/saved-views/1/", "http://testserver/saved-views/?page=2&q=a%26b", "/saved-views/?page=2&q=a%26b"),
        ("/saved-views/1/?page=3", "http://testserver/saved-views/?page=2", "/saved-views/?page=3"),
        ("/saved-views/1/", "http://testserver/saved-views/", "/saved-views/"),
        ("/saved-views/1/", "http://testserver/queue/?page=2", "/saved-views/"),
        ("/saved-views/1/", "https://evil.example/saved-views/?page=2", "/saved-views/"),
        ("/saved-views/1/", "http://[/saved-views/?page=2", "/saved-views/"),
        ("/saved-views/1/", "", "/saved-views/"),
    ],
)
def test_list_keeps_its_page_after_an_action(path: str, referrer: str, url: str) -> None:
    request = RequestFactory().post(path, headers={"Referer": referrer})
    assert redirect_to_list(request, "analytics:saved_views").url == url
