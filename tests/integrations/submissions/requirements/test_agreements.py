"""Tests of agreement signatures on the requirement page."""

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile

from integrations.submissions.models import Integration
from integrations.submissions.services import agreements, requirements
from integrations.submissions.workflow.states import Status
from tests.conftest import begin
from tests.integrations.submissions.requirements.pages import place, press, read, state
from tests.integrations.submissions.test_agreements import ALICE, RITA, TPA
from tests.integrations.submissions.test_documents import build_validated_file
from tests.portal.core.test_uploads import PDF

SIGNED = {"version": "2026-01", "signer": "Alice Archer", "signed_on": "2026-04-10"}


def test_agreement_signed_by_both_sides(rocket, alice, rita, sign_in):
    press(sign_in(alice), rocket, TPA, "sign", **SIGNED, file=SimpleUploadedFile("tpa.pdf", PDF))
    press(sign_in(rita), rocket, TPA, "sign", signer="Rita Reyes", signed_on="2026-04-13")
    assert (state(rocket, TPA).status, state(rocket, TPA).data["program_signer"]) == (Status.SUBMITTED, "Rita Reyes")


def test_signature_of_the_program_completes_the_step(edition_2026, acme, alice, rita, now, sign_in):
    row = begin(acme, alice, "terraform-run-task")
    requirements.submit_answer(row, "RT-1", {"contact_name": "Alice"}, actor=alice, now=now)
    agreements.sign_agreement(row, "RT-2", ALICE, version="2026-01", actor=alice, now=now)
    press(sign_in(rita), row, "RT-2", "sign", signer="Rita Reyes", signed_on="2026-04-13")
    row = Integration.objects.get(pk=row.pk)
    assert (row.step, row.next_action_target) == ("develop-test", "requirement:RT-3")
    assert row.events.get(event_type="integration.advanced").actor == ""


def test_page_shows_the_text_with_the_names_and_its_version(rocket, alice, sign_in):
    page = BeautifulSoup(sign_in(alice).get(place(rocket, TPA)).content, "html5lib")
    text = " ".join(page.text.split())
    assert page.find("p", string="Each side keeps the rights to its own software, and neither side pays the other.")
    assert "Acme takes part in the Nomad program. It builds and supports integrations with Nomad" in text
    assert page.find("input", {"name": "version"})["value"] == "2026-01"
    assert "Version 2026-01" in text


def test_agreement_signed_in_the_future(rocket, alice, sign_in):
    answer = press(sign_in(alice), rocket, TPA, "sign", **(SIGNED | {"signed_on": "2026-04-15"}))
    assert (answer.status_code, state(rocket, TPA)) == (409, None)
    assert "The signing date is in the future." in read(answer)
    assert BeautifulSoup(answer.content, "html5lib").find("input", {"name": "signer"})["value"] == "Alice Archer"


@pytest.mark.parametrize(("who", "status"), [("alice", 200), ("bob", 404), ("rita", 200), ("charlie", 404)])
def test_agreement_is_for_owners_and_the_program(rocket, alice, now, sign_in, request, who, status):
    signed = agreements.sign_agreement(
        rocket, TPA, ALICE, version="2026-01", actor=alice, now=now, file=build_validated_file(PDF, "tpa.pdf", "pdf")
    )
    answer = sign_in(request.getfixturevalue(who)).get(f"/documents/{signed.document.uuid}/")
    answer.close()
    assert answer.status_code == status


def test_complete_agreement_offers_no_form(rocket, alice, rita, now, sign_in):
    agreements.sign_agreement(rocket, TPA, ALICE, version="2026-01", actor=alice, now=now)
    agreements.sign_agreement(rocket, TPA, RITA, version="", actor=rita, now=now)
    page = sign_in(alice).get(place(rocket, TPA))
    assert 'value="sign"' not in page.content.decode()
    assert "Rita Reyes, Mon, Apr 13" in read(page).replace(" ,", ",")


def test_complete_agreement_is_renewed_on_its_page(rocket, alice, rita, now, sign_in):
    agreements.sign_agreement(rocket, TPA, ALICE, version="2026-01", actor=alice, now=now)
    agreements.sign_agreement(rocket, TPA, RITA, version="", actor=rita, now=now)
    client = sign_in(alice)
    slip = press(client, rocket, TPA, "renew", **(SIGNED | {"version": ""}))
    assert slip.status_code == 422
    press(client, rocket, TPA, "renew", **(SIGNED | {"version": "2027-01"}))
    assert "Version 2026-01 stays in force until both sides sign version 2027-01." in read(
        client.get(place(rocket, TPA))
    )
    press(sign_in(rita), rocket, TPA, "sign", signer="Rita Reyes", signed_on="2026-04-13")
    assert agreements.get_agreement_in_force(rocket.partner, "tpa").version == "2027-01"
