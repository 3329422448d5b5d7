"""Tests of the public pages that describe the checks."""

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse
from django.utils import timezone

from tests.conftest import create_integration
from tests.verification.checks.fake_sources import FakeSources, build_release
from verification.checks.services.runner import run_integration_checks
from verification.checks.types import CHECKS

pytestmark = pytest.mark.any_database


@pytest.mark.django_db
def test_every_check_has_a_public_page(client):
    for key, check in CHECKS.items():
        response = client.get(f"/help/checks/{key}/")
        main = BeautifulSoup(response.content, "html.parser").main
        text = " ".join(main.get_text(" ").split())
        assert (response.status_code, main.h1.text.strip()) == (200, check.title)
        assert (check.expectation in text, check.advice in text) == (True, True)


@pytest.mark.django_db
def test_list_links_to_every_check(client):
    page = BeautifulSoup(client.get("/help/checks/").content, "html.parser")
    assert {a["href"] for a in page.select("main td a")} == {f"/help/checks/{key}/" for key in CHECKS}


@pytest.mark.django_db
def test_unknown_check_is_not_found(client):
    assert client.get("/help/checks/no.check/").status_code == 404


def test_results_link_to_the_pages_of_their_checks(sign_in, alice, acme):
    row = create_integration(acme, alice, "terraform-provider", now=timezone.now())
    run_integration_checks(row, now=timezone.now(), sources=FakeSources(releases_answer=(build_release("v1.0.0"),)))
    pages = [reverse("checks:results", args=[row.uuid]), reverse("submissions:requirement", args=[row.uuid, "TP-LIC"])]
    for address in pages:
        page = BeautifulSoup(sign_in(alice).get(address).content, "html.parser")
        hrefs = [a["href"] for a in page.select("article.check a") if a["href"].startswith("/help/")]
        assert len(hrefs) == len(page.select("article.check"))
        assert "/help/checks/repository.license/" in hrefs
