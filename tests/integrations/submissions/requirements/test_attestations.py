"""Tests of attestations and optional requirements on the requirement page."""

import pytest

from integrations.submissions.services import requirements
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from tests.conftest import create_integration
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import ATTESTED_REQUIREMENT, FORM, get_state, submit_action
from tests.integrations.submissions.signatures import MNDA, sign

pytestmark = pytest.mark.any_database

SUBJECT = "NO-3"  # of the attested requirement


@pytest.fixture
def rocket(rocket, now):
    """Rocket with an answer to the subject of its statement."""
    requirements.submit_answer(rocket, SUBJECT, {"tests": "make"}, actor=None, now=now)
    return rocket


def test_statement_is_confirmed_once(rocket, alice, sign_in):
    client = sign_in(alice)
    for _ in range(2):
        assert submit_action(client, rocket, ATTESTED_REQUIREMENT, "confirm", confirmed="on").status_code == 302
    assert get_state(rocket, ATTESTED_REQUIREMENT).status == Status.SUBMITTED
    answered = rocket.events.filter(event_type="requirement.answered", data__requirement=ATTESTED_REQUIREMENT)
    assert answered.count() == 1


def test_unticked_statement_is_refused(rocket, alice, sign_in):
    response = submit_action(sign_in(alice), rocket, ATTESTED_REQUIREMENT, "confirm")
    assert (response.status_code, get_state(rocket, ATTESTED_REQUIREMENT)) == (422, None)
    assert "Select the checkbox to confirm." in get_text(response)


def test_statement_of_an_ended_integration_is_refused(rocket, alice, sign_in, now):
    perform_transition(rocket, "withdraw", actor=alice, now=now)
    response = submit_action(sign_in(alice), rocket, ATTESTED_REQUIREMENT, "confirm", confirmed="on")
    assert (response.status_code, get_state(rocket, ATTESTED_REQUIREMENT)) == (409, None)


def get_program_attestation(row):
    return next(
        r for r in row.edition.list_requirements() if r.responsible_party == "program" and r.kind == "attestation"
    )


def test_only_reviewers_confirm_a_statement_of_the_program(acme, alice, rita, sign_in):
    row = create_integration(acme, alice, "consul-nia")
    requirement = get_program_attestation(row)
    assert submit_action(sign_in(alice), row, requirement.id, "confirm", confirmed="on").status_code == 403
    assert submit_action(sign_in(rita), row, requirement.id, "confirm", confirmed="on").status_code == 302
    assert get_state(row, requirement.id).status == Status.SUBMITTED


def test_optional_requirement_is_marked_not_applicable(rocket, alice, sign_in):
    client = sign_in(alice)
    for _ in range(2):
        assert submit_action(client, rocket, MNDA, "not_needed").status_code == 302
    assert get_state(rocket, MNDA).status == Status.NOT_APPLICABLE
    assert rocket.events.filter(event_type="requirement.marked_not_applicable").count() == 1


def test_outdated_page_cannot_discard_an_answer_as_not_applicable(rocket, alice, sign_in, now):
    sign(rocket, alice, now, requirement_id=MNDA)
    response = submit_action(sign_in(alice), rocket, MNDA, "not_needed")
    assert (response.status_code, "Someone answered this requirement." in get_text(response)) == (409, True)
    assert get_state(rocket, MNDA).status == Status.AWAITING_OTHER_PARTY


def test_required_requirement_cannot_be_marked_not_applicable(rocket, alice, sign_in):
    response = submit_action(sign_in(alice), rocket, FORM, "not_needed")
    assert (response.status_code, get_state(rocket)) == (409, None)
