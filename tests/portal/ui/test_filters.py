"""Tests of the filters that fold on a phone."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.template import engines
from django.test import RequestFactory

from integrations.reviews.forms.queue import QueueFilterForm
from integrations.submissions.forms.filters import IntegrationFilterForm
from portal.analytics.filters import AnalyticsFilterForm
from portal.inbox.forms import AuditLogFilterForm

pytestmark = pytest.mark.any_database


def render_fold(form: Any, query: str = "") -> BeautifulSoup:
    context = {"form": form, "request": RequestFactory().get(f"/list/?{query}")}
    return BeautifulSoup(engines["django"].from_string("{% filter_fold form %}").render(context), "html.parser")


def test_active_filters_are_counted_and_removed_by_their_links() -> None:
    query = {"q": "rocket", "program": "nomad", "category": "", "sort": "name", "page": "2"}
    fold = render_fold(IntegrationFilterForm(data=query), "q=rocket&program=nomad&category=&sort=name&page=2")
    assert fold.summary.get_text(strip=True) == "Filters (2)"  # type: ignore[union-attr]
    assert [(link.get_text(strip=True), link["href"], link["title"]) for link in fold.select("a")] == [
        (
            "Name or repository: rocket",
            "?program=nomad&category=&sort=name",
            "Remove filter Name or repository: rocket",
        ),
        ("Program: Nomad", "?q=rocket&category=&sort=name", "Remove filter Program: Nomad"),
    ]


def test_filters_without_values_have_no_links() -> None:
    fold = render_fold(IntegrationFilterForm(data={}))
    assert (fold.summary.get_text(strip=True), fold.select("a")) == ("Filters", [])  # type: ignore[union-attr]


def test_values_are_shown_as_in_the_form() -> None:
    form = AuditLogFilterForm(data={"kind": "credential.deleted", "first_day": "2020-04-14"})
    assert [link.get_text(strip=True) for link in render_fold(form).select("a")] == [
        "Event type: credential.deleted",
        "From: Tue, Apr 14, 2020",
    ]
    category = QueueFilterForm(data={}).fields["category"].choices[1][1][0]  # type: ignore[attr-defined]
    [link] = render_fold(QueueFilterForm(data={"category": category[0]})).select("a")
    assert link.get_text(strip=True) == f"Category: {category[1]}"


@pytest.mark.parametrize(("program", "is_open"), [("nomad", False), ("unknown", True)])
def test_filters_with_an_error_are_open(program: str, *, is_open: bool) -> None:
    fold = render_fold(QueueFilterForm(data={"program": program}))
    assert (fold.details.has_attr("open"), len(fold.select("a"))) == (is_open, int(not is_open))  # type: ignore[union-attr]


def test_few_fields_do_not_fold() -> None:
    assert str(render_fold(AnalyticsFilterForm({}))) == ""


@pytest.mark.parametrize("address", ["/queue/", "/integrations/"])
def test_new_filters_come_with_the_list(sign_in: Any, rita: Any, address: str) -> None:
    browser = sign_in(rita)
    part = browser.get(f"{address}?program=nomad", headers={"HX-Request": "true"}).text
    assert [element["id"] for element in BeautifulSoup(part, "html.parser").select("[hx-swap-oob]")] == [
        "filter-fold",
        "filter-clear",
    ]
    assert "hx-swap-oob" not in browser.get(f"{address}?program=nomad").text


def test_poll_of_the_queue_leaves_the_filters(sign_in: Any, rita: Any) -> None:
    headers = {"HX-Request": "true", "If-None-Match": "earlier"}
    assert "hx-swap-oob" not in sign_in(rita).get("/queue/?program=nomad", headers=headers).text
