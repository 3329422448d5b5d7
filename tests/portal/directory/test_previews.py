"""Tests of the preview of a listing before its publication."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from integrations.submissions.models import Integration
from integrations.submissions.services import documents, requirements as answers
from portal.core.uploads import validate_file
from portal.directory.models import Listing, ListingChange
from tests.conftest import advance_to_stage
from tests.portal.core.test_uploads import build_png

pytestmark = pytest.mark.any_database

TEXT = "NO-8-LIST"
LOGO = "NO-8-LOGO"


@pytest.fixture
def reviewed_integration(integration_at: Any, alice: Any, now: Any) -> Integration:
    """Return an integration in review with the text and logo of its listing."""
    row = integration_at("review")
    answers.submit_answer(row, TEXT, {"text": "Launches rockets.\nSafely."}, actor=alice, now=now)
    file = validate_file(SimpleUploadedFile("logo.png", build_png()), ("png",))
    documents.upload_document(row, LOGO, file, actor=alice, now=now)
    return row


def build_preview_url(row: Integration) -> str:
    return f"/integrations/{row.uuid}/listing-preview/"


def read_texts(client: Client, address: str, selector: str) -> list[str]:
    page = BeautifulSoup(client.get(address).text, "html.parser")
    return [" ".join(each.text.split()) for each in page.select(selector)]


def test_preview_shows_what_the_listing_will_show(
    reviewed_integration: Integration, alice: Any, rita: Any, now: Any, sign_in: Any, client: Client
) -> None:
    selectors = ("h1", ".lead", "#listing_status strong")
    browser = sign_in(alice)
    shown = [read_texts(browser, build_preview_url(reviewed_integration), selector) for selector in selectors]
    row = advance_to_stage(reviewed_integration, "support", partner=alice, reviewer=rita, now=now)
    address = f"/directory/{row.uuid}/"
    assert shown == [read_texts(client, address, selector) for selector in selectors]
    assert shown[1] == ["Launches rockets.Safely."]  # a line break between
    assert browser.get(build_preview_url(row)).headers["Location"] == address


@pytest.mark.every_database
def test_preview_is_neither_stored_nor_public(
    reviewed_integration: Integration, alice: Any, charlie: Any, sign_in: Any
) -> None:
    response = sign_in(alice).get(build_preview_url(reviewed_integration))
    page = BeautifulSoup(response.text, "html.parser")
    assert response["X-Robots-Tag"] == "noindex"
    assert [each["content"] for each in page.select("meta[name=robots]")] == ["noindex"]
    assert page.select("script[type='application/ld+json']") == []
    assert "This page isn't public." in " ".join(page.text.split())
    assert (Listing.all_objects.count(), ListingChange.objects.count()) == (0, 0)
    assert sign_in(charlie).get(build_preview_url(reviewed_integration)).status_code == 404
    assert Client().get(build_preview_url(reviewed_integration)).status_code == 302
    assert Client().get(f"/directory/{reviewed_integration.uuid}/").status_code == 404


def test_logo_of_a_preview_is_private(
    reviewed_integration: Integration, alice: Any, charlie: Any, sign_in: Any
) -> None:
    address = f"{build_preview_url(reviewed_integration)}logo/"
    response = sign_in(alice).get(address)
    assert b"".join(response.streaming_content) == build_png()
    assert (response["Cache-Control"], response["Content-Security-Policy"]) == (
        "private, no-store",
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    )
    assert (sign_in(charlie).get(address).status_code, Client().get(address).status_code) == (404, 302)


@pytest.mark.parametrize(("stage", "is_linked"), [("develop", False), ("review", True), ("support", False)])
def test_integration_page_links_to_the_preview_before_the_publication(
    integration_at: Any, alice: Any, sign_in: Any, stage: str, is_linked: bool
) -> None:
    row = integration_at(stage)
    page = sign_in(alice).get(f"/integrations/{row.uuid}/").text
    assert ("See how the listing will look before it is public." in page) == is_linked


def test_requirement_of_the_listing_links_to_the_preview(
    reviewed_integration: Integration, alice: Any, sign_in: Any
) -> None:
    pages = {
        requirement: sign_in(alice).get(f"/integrations/{reviewed_integration.uuid}/requirements/{requirement}/").text
        for requirement in (TEXT, LOGO)
    }
    assert [text.count(f'href="{build_preview_url(reviewed_integration)}"') for text in pages.values()] == [2, 2]
