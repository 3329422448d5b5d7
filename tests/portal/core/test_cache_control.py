"""Tests of Cache-Control: private pages are not stored, and public pages keep their headers."""

from collections.abc import Callable

import pytest
from django.test import Client

from tests.portal.crawl import Crawl
from tests.portal.page_urls import PUBLIC_FILES
from tests.portal.rollback_requests import close_answer

pytestmark = pytest.mark.any_database

PRIVATE_VALUE = "private, no-store"
WITHOUT_SESSION = {
    "inbound:github_webhook",
    "inbound:run_task_callback",
    "inbound:run_task_configuration",
    "inbound:run_task_plan",
}


def get_cache_control(client: Client, url: str) -> str:
    response = client.get(url)
    close_answer(response)
    return response.headers.get("Cache-Control", "")


@pytest.mark.parametrize("role", ["alice", "rita", "sam"])
def test_no_page_of_a_signed_in_person_is_stored(crawl: Callable[[str], Crawl], role: str) -> None:
    storable_pages = {
        name: answer.cache_control
        for name, answer in crawl(role).get_responses.items()
        if name not in WITHOUT_SESSION and answer.cache_control != PRIVATE_VALUE
    }
    assert (set(storable_pages), {header.partition(",")[0] for header in storable_pages.values()}) == (
        PUBLIC_FILES,
        {"public"},
    )


@pytest.mark.parametrize("page", ["login/", "signup/", "password/reset/", "email/", "password/change/", "2fa/"])
def test_no_sign_in_page_is_stored(client: Client, db: None, page: str) -> None:
    assert get_cache_control(client, f"/accounts/{page}") == PRIVATE_VALUE


def test_public_pages_of_a_visitor_keep_their_headers(client: Client, db: None) -> None:
    assert get_cache_control(client, "/directory/") == "no-cache"


def test_answers_of_the_api_keep_their_headers(client: Client, db: None) -> None:
    first = client.get("/api/v1/programs")
    assert first.headers["Cache-Control"] == "private, no-cache"
    again = client.get("/api/v1/programs", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
