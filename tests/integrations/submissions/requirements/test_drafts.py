"""Tests of answer drafts and their conflicts."""

import pytest
from bs4 import BeautifulSoup

from integrations.submissions.models import IntegrationDraft
from integrations.submissions.services.transitions import perform_transition
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import (
    ATTESTED_REQUIREMENT,
    FORM,
    SUBMITTED_VALUES,
    get_url,
    submit_action,
)

pytestmark = pytest.mark.any_database


def autosave(client, row, requirement_id=FORM, **fields):
    return client.post(f"{get_url(row, requirement_id)}draft/", fields, headers={"X-Requested-With": "autosave"})


def test_draft_is_autosaved(rocket, alice, sign_in):
    client = sign_in(alice)
    first = autosave(client, rocket, version=0, users="T")
    second = autosave(client, rocket, version=first.headers["X-Draft-Version"], users="Ten", contact_email="not yet")
    assert (first.status_code, second.headers["X-Draft-Version"]) == (204, "2")
    assert IntegrationDraft.objects.get().data == {"users": "Ten", "contact_email": "not yet"}


def test_colleague_continues_a_draft(rocket, alice, bob, sign_in):
    autosave(sign_in(alice), rocket, version=0, users="Ten")
    page = sign_in(bob).get(get_url(rocket))
    assert "Alice Archer saved a draft" in get_text(page)
    assert BeautifulSoup(page.content, "html.parser").find("textarea", {"name": "users"}).get_text().strip() == "Ten"


def test_newer_draft_of_a_colleague_is_kept(rocket, alice, bob, sign_in):
    autosave(sign_in(bob), rocket, version=0, users="Nine")
    response = autosave(sign_in(alice), rocket, version=0, users="Ten")
    assert (response.status_code, IntegrationDraft.objects.get().data) == (409, {"users": "Nine"})


def test_save_for_later_shows_both_versions(rocket, alice, bob, sign_in):
    autosave(sign_in(bob), rocket, version=0, users="Nine")
    client = sign_in(alice)
    response = submit_action(client, rocket, FORM, "draft", version=0, users="Ten")
    assert response.status_code == 409
    assert "Expected users Different Nine Ten" in get_text(response)
    submit_action(client, rocket, FORM, "draft", version=1, users="Ten")
    assert IntegrationDraft.objects.get().data == {"users": "Ten"}


def test_newer_draft_of_another_own_tab_is_kept(rocket, alice, sign_in):
    client = sign_in(alice)
    autosave(client, rocket, version=0, users="Nine")
    response = autosave(client, rocket, version=0, users="Ten")
    assert (response.status_code, response.text) == (409, "You saved another version on another page.")


@pytest.mark.every_database
def test_submission_does_not_end_an_unseen_newer_draft(rocket, alice, bob, sign_in):
    autosave(sign_in(bob), rocket, version=0, users="Nine")
    client = sign_in(alice)
    response = submit_action(client, rocket, FORM, "answer", answered=0, version=0, **SUBMITTED_VALUES)
    assert response.status_code == 409
    assert IntegrationDraft.objects.get(sent_at=None).data == {"users": "Nine"}
    submit_action(client, rocket, FORM, "answer", answered=0, version=1, **SUBMITTED_VALUES)
    assert IntegrationDraft.objects.filter(sent_at=None).count() == 0


def test_invalid_submission_keeps_the_versions_of_the_page(rocket, alice, bob, sign_in):
    autosave(sign_in(bob), rocket, version=0, users="Nine")
    response = submit_action(sign_in(alice), rocket, FORM, "answer", answered=0, version=0, users="Ten")
    page = BeautifulSoup(response.content, "html.parser")
    hidden_values = [page.find("input", {"name": name})["value"] for name in ("answered", "version")]
    assert (response.status_code, hidden_values) == (422, ["0", "0"])


@pytest.mark.every_database
def test_draft_is_deleted(rocket, alice, sign_in):
    client = sign_in(alice)
    autosave(client, rocket, version=0, users="Ten")
    submit_action(client, rocket, FORM, "discard")
    assert IntegrationDraft.objects.filter(sent_at=None).count() == 0


def test_submission_ends_the_draft(rocket, alice, sign_in):
    client = sign_in(alice)
    autosave(client, rocket, version=0, users="T")
    submit_action(client, rocket, FORM, "answer", answered=0, version=1, **SUBMITTED_VALUES)
    assert IntegrationDraft.objects.filter(sent_at=None).count() == 0


def test_other_partner_cannot_save_a_draft(rocket, charlie, sign_in):
    assert autosave(sign_in(charlie), rocket, version=0, users="x").status_code == 404


def test_program_cannot_save_a_draft(rocket, rita, sign_in):
    assert autosave(sign_in(rita), rocket, version=0, users="x").status_code == 403


def test_draft_of_the_partner_is_not_shown_to_the_program(rocket, alice, rita, sign_in):
    autosave(sign_in(alice), rocket, version=0, users="Nine, but that is a secret")
    response = submit_action(sign_in(rita), rocket, FORM, "answer", answered=0, version=0, **SUBMITTED_VALUES)
    assert (response.status_code, "that is a secret" in response.text) == (403, False)


def test_ended_integration_accepts_no_drafts(rocket, alice, rita, sign_in, now):
    perform_transition(rocket, "withdraw", actor=alice, now=now)
    response = autosave(sign_in(alice), rocket, version=0, users="Ten")
    assert (response.status_code, response.text) == (410, "You can't change a draft of this requirement now.")
    assert autosave(sign_in(rita), rocket, version=0, users="Ten").status_code == 403


def test_draft_of_an_ended_integration_is_not_reported_as_deleted(rocket, alice, rita, sign_in, now):
    autosave(sign_in(alice), rocket, version=0, users="Ten")
    assert submit_action(sign_in(rita), rocket, FORM, "discard").status_code == 403
    perform_transition(rocket, "withdraw", actor=alice, now=now)
    assert submit_action(sign_in(alice), rocket, FORM, "discard").status_code == 409
    assert IntegrationDraft.objects.get().sent_at is None


def test_only_forms_have_drafts(rocket, alice, sign_in):
    response = autosave(sign_in(alice), rocket, ATTESTED_REQUIREMENT, version=0)
    assert (response.status_code, IntegrationDraft.objects.count()) == (410, 0)


@pytest.mark.parametrize("button", [["answer"], ["answer", "draft"]])
def test_input_survives_a_lost_session(rocket, alice, client, sign_in, button):
    client.post(get_url(rocket), {"action": button, "answered": "0", **SUBMITTED_VALUES})
    page = BeautifulSoup(sign_in(alice).get(get_url(rocket)).content, "html.parser")
    assert page.find("textarea", {"name": "use_case"}).get_text().strip() == "Launch rockets."
