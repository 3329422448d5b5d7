"""Tests of agreement signatures on the requirement page."""

import pytest
from bs4 import BeautifulSoup

from integrations.submissions.models import Integration
from integrations.submissions.services import agreements, requirements
from integrations.submissions.workflow.states import Status
from tests.conftest import create_integration
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import get_state, get_url, submit_action
from tests.integrations.submissions.signatures import RITA, TPA, sign

pytestmark = pytest.mark.any_database

SIGNED = {"signer": "Alice Archer", "title": "CEO"}


def get_document(response):
    return BeautifulSoup(response.content, "html.parser")


def submit_signature(client, row, **fields):
    """Sign the text that the page shows."""
    digest = get_document(client.get(get_url(row, TPA))).find("input", {"name": "digest"})["value"]
    return submit_action(client, row, TPA, "sign", **{"digest": digest} | fields)


def test_agreement_is_signed_by_both_sides(rocket, alice, rita, sign_in):
    submit_signature(sign_in(alice), rocket, **SIGNED)
    submit_signature(sign_in(rita), rocket, signer="Rita Reyes", title="Director")
    answer = get_state(rocket, TPA)
    assert (answer.status, answer.data["program_signer"]) == (Status.SUBMITTED, "Rita Reyes")
    agreement = agreements.get_agreement_in_force(rocket.partner, "tpa")
    assert agreement.partner_signature.statement == (
        "I have read this agreement, and I am authorized to accept it on behalf of Acme."
    )
    assert agreement.program_signature.statement == (
        "I have read this agreement, and I am authorized to accept it on behalf of the program."
    )


def test_signature_of_the_program_completes_the_step(edition_2026, acme, alice, rita, now, sign_in):
    row = create_integration(acme, alice, "terraform-run-task")
    requirements.submit_answer(row, "RT-1", {"contact_name": "Alice"}, actor=alice, now=now)
    sign(row, alice, now, requirement_id="RT-2")
    page = get_document(sign_in(rita).get(get_url(row, "RT-2")))
    digest = page.find("input", {"name": "digest"})["value"]
    submit_action(sign_in(rita), row, "RT-2", "sign", signer="Rita Reyes", title="Director", digest=digest)
    row = Integration.objects.get(pk=row.pk)
    assert (row.step, row.next_action_target) == ("develop-test", "requirement:RT-3")
    assert row.events.get(event_type="integration.advanced").actor == ""


def test_page_shows_the_text_with_the_names_and_its_version(rocket, alice, sign_in):
    page = get_document(sign_in(alice).get(get_url(rocket, TPA)))
    clauses = [" ".join(item.text.split()) for item in page.select("#agreement-text .prose li")]
    assert clauses[3] == "Each side keeps the rights to its own software, and neither side pays the other."
    assert clauses[0].startswith("Acme takes part in the program of each product for which it submits an integration.")
    assert page.select_one("#agreement-text h2").text.strip().startswith("Technology Partner Agreement")
    assert "Version 2026-01" in page.text
    assert "I am authorized to accept it on behalf of Acme." in page.select_one("form:has([name=digest])").text
    assert page.select_one("#agreement-text code").text == page.find("input", {"name": "digest"})["value"]


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("signer", "Enter your full name."),
        ("title", "Enter your title."),
    ],
)
def test_signature_needs_name_and_title(rocket, alice, sign_in, missing, message):
    response = submit_signature(sign_in(alice), rocket, **(SIGNED | {missing: ""}))
    assert (response.status_code, get_state(rocket, TPA)) == (422, None)
    assert message in get_text(response)


def test_changed_text_is_shown_again(rocket, alice, sign_in):
    response = submit_signature(sign_in(alice), rocket, **SIGNED, digest="0" * 64)
    assert (response.status_code, get_state(rocket, TPA)) == (409, None)
    assert "The text changed. Read the agreement again, then sign it." in get_text(response)
    page = get_document(response)
    assert page.find("input", {"name": "signer"})["value"] == "Alice Archer"
    digest = page.find("input", {"name": "digest"})["value"]
    assert submit_action(sign_in(alice), rocket, TPA, "sign", **SIGNED, digest=digest).status_code == 302


def test_complete_agreement_offers_no_form(rocket, alice, rita, now, sign_in):
    sign(rocket, alice, now)
    sign(rocket, rita, now, RITA)
    page = sign_in(alice).get(get_url(rocket, TPA))
    assert 'value="sign"' not in page.content.decode()
    assert "Rita Reyes · Director" in get_text(page)
