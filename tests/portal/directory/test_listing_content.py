"""Tests that a listing shows the public answers only, and a harmless logo."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import FulfillingParty, RequirementKind
from integrations.submissions.services import documents, requirements as answers
from portal.core.uploads import validate_file
from portal.directory.listing_content import IMAGE_CONTENT_TYPES
from tests.portal.core.test_uploads import build_png

pytestmark = pytest.mark.any_database

LOGO = "NO-8-LOGO"
TEXT = "NO-8-LIST"
PNG = build_png()
ALL_ANSWERS = [
    (program.key, requirement)
    for program in PROGRAMS.values()
    for edition in program.editions
    for requirement in (*edition.list_requirements(), *(r for tier in edition.tiers for r in tier.requirements))
]


@pytest.fixture
def listed_integration(integration_at: Any, alice: Any, now: Any) -> Any:
    """Return an integration in support with a listing text, a support plan, and a logo."""
    row = integration_at("support")
    answers.submit_answer(
        row, TEXT, {"text": "Launches rockets.\nSafely.", "page": "https://acme.example/r"}, actor=alice, now=now
    )
    private = {"escalation": "pager@acme.example", "plan": "We get up at night.", "commitment": True}
    plan = next(r.id for r in row.edition.list_requirements() if any(field.key == "plan" for field in r.fields))
    answers.submit_answer(row, plan, private, actor=alice, now=now)
    documents.upload_document(
        row, LOGO, validate_file(SimpleUploadedFile("logo.png", PNG), ("png",)), actor=alice, now=now
    )
    return row


def test_listing_shows_public_answers_only(listed_integration: Any, client: Client) -> None:
    page = client.get(f"/directory/{listed_integration.uuid}/").text
    assert "Launches rockets.<br>Safely." in page
    assert 'href="https://acme.example/r"' in page
    assert "pager@acme.example" not in page
    assert "We get up at night." not in page


def test_list_shows_the_first_line(listed_integration: Any, client: Client) -> None:
    page = client.get("/directory/").text
    assert "Launches rockets." in page
    assert "Safely." not in page
    assert f"/directory/{listed_integration.uuid}/logo/" in page


def test_logo_is_a_harmless_picture(listed_integration: Any, client: Client) -> None:
    answer = client.get(f"/directory/{listed_integration.uuid}/logo/")
    assert b"".join(answer.streaming_content) == PNG  # type: ignore[attr-defined]
    assert answer["Content-Type"] == "image/png"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"] == "public, max-age=30, must-revalidate"
    assert answer["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def test_logo_of_an_unlisted_integration_is_not_found(
    integration_at: Any, alice: Any, now: Any, client: Client
) -> None:
    row = integration_at("review")
    documents.upload_document(
        row, LOGO, validate_file(SimpleUploadedFile("logo.png", PNG), ("png",)), actor=alice, now=now
    )
    assert client.get(f"/directory/{row.uuid}/logo/").status_code == 404


def test_listing_without_a_logo_has_no_empty_frame(integration_at: Any, client: Client) -> None:
    row = integration_at("support")
    assert "/logo/" not in client.get(f"/directory/{row.uuid}/").text
    assert client.get(f"/directory/{row.uuid}/logo/").status_code == 404


def test_form_marks_public_answers(listed_integration: Any, alice: Any, sign_in: Any) -> None:
    page = sign_in(alice).get(f"/integrations/{listed_integration.uuid}/requirements/{TEXT}/").text
    assert page.count("The public listing shows this answer.") == 3


@pytest.mark.parametrize(("program", "requirement"), ALL_ANSWERS, ids=lambda each: getattr(each, "id", each))
def test_public_requirements_are_the_partners_and_not_secret(program: str, requirement: Any) -> None:
    public = [field for field in requirement.fields if field.listing_label]
    assert all(field.type in ("text", "lines", "url") for field in public)
    assert not public or requirement.responsible_party == FulfillingParty.PARTNER
    if requirement.show_on_listing:
        assert requirement.kind == RequirementKind.DOCUMENT
        assert set(requirement.accept) <= set(IMAGE_CONTENT_TYPES)


def test_svg_logo_is_shown_on_light_and_dark_and_served_without_scripts(
    listed_integration: Any, alice: Any, now: Any, sign_in: Any
) -> None:
    content = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><rect/></svg>'
    file = validate_file(SimpleUploadedFile("logo.svg", content), ("png", "svg"))
    logo = documents.upload_document(listed_integration, LOGO, file, actor=alice, now=now)
    browser = sign_in(alice)
    page = browser.get(f"/integrations/{listed_integration.uuid}/requirements/{LOGO}/").text
    assert page.count(f'<img src="/integrations/{listed_integration.uuid}/listing-preview/logo/"') == 2
    assert all(each in page for each in ("Light background", "Dark background", f"SHA-256: {logo.sha256}", "SVG"))
    policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    for address in (f"/documents/{logo.uuid}/", f"/directory/{listed_integration.uuid}/logo/"):
        answer = browser.get(address)
        assert b"".join(answer.streaming_content).split(b">", 1)[1].split() == [
            b"<svg",
            b'xmlns="http://www.w3.org/2000/svg">',
            b"<rect/>",
            b"</svg>",
        ]
        assert (answer["Content-Type"], answer["Content-Security-Policy"]) == ("image/svg+xml", policy)
        assert answer["X-Content-Type-Options"] == "nosniff"
