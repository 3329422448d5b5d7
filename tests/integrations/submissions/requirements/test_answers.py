"""Tests of answers on the requirement page."""

import pytest
from bs4 import BeautifulSoup

from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from tests.conftest import create_integration
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import FORM, SUBMITTED_VALUES, get_state, get_url, submit_action

pytestmark = pytest.mark.any_database


def test_answers_are_submitted(rocket, alice, sign_in):
    response = submit_action(sign_in(alice), rocket, FORM, "answer", answered=0, version=0, **SUBMITTED_VALUES)
    assert (response.status_code, response.url) == (302, get_url(rocket))
    assert (get_state(rocket).status, get_state(rocket).data) == (Status.SUBMITTED, SUBMITTED_VALUES)


@pytest.mark.every_database
def test_first_answer_from_the_page_itself_is_not_a_conflict(rocket, alice, sign_in):
    client = sign_in(alice)
    page = BeautifulSoup(client.get(get_url(rocket)).content, "html.parser")
    hidden_values = {name: page.find("input", {"name": name})["value"] for name in ("answered", "version")}
    assert hidden_values == {"answered": "0", "version": "0"}
    assert submit_action(client, rocket, FORM, "answer", **hidden_values, **SUBMITTED_VALUES).status_code == 302


@pytest.mark.every_database
def test_invalid_answer_loses_nothing(rocket, alice, sign_in):
    response = submit_action(
        sign_in(alice), rocket, FORM, "answer", answered=0, **(SUBMITTED_VALUES | {"contact_email": "nobody"})
    )
    page = BeautifulSoup(response.content, "html.parser")
    field = page.find("input", {"name": "contact_email"})
    assert response.status_code == 422
    assert field["value"] == "nobody"
    assert (
        page.find(id=f"{field['id']}_error").get_text(strip=True)
        == "Enter a valid email address, such as name@example.com."
    )
    assert page.find("textarea", {"name": "use_case"}).get_text().strip() == "Launch rockets."
    assert get_state(rocket) is None


@pytest.mark.every_database
def test_answers_sent_twice_are_recorded_once(rocket, alice, sign_in):
    client = sign_in(alice)
    for _ in range(2):
        response = submit_action(client, rocket, FORM, "answer", answered=0, **SUBMITTED_VALUES)
        assert response.status_code == 302
    assert rocket.events.filter(event_type="requirement.answered").count() == 1


def test_answers_of_two_people_show_both_versions(rocket, alice, bob, sign_in, now):
    answers.submit_answer(rocket, FORM, SUBMITTED_VALUES | {"users": "Nine."}, actor=bob, now=now)
    client = sign_in(alice)
    response = submit_action(client, rocket, FORM, "answer", answered=0, **SUBMITTED_VALUES)
    text = get_text(response)
    assert response.status_code == 409
    assert "Bob Baker changed this answer." in text
    assert "Expected users Different Nine. Ten." in text
    form_element = BeautifulSoup(response.content, "html.parser").find("main").find("form")
    fields = {
        each["name"]: each.get("value") or each.get_text().removeprefix("\n")
        for each in form_element.find_all(["input", "textarea"])
    }
    client.post(form_element["action"], fields)
    assert get_state(rocket).data == SUBMITTED_VALUES


def test_reviewer_cannot_answer_for_the_partner(rocket, rita, sign_in):
    response = submit_action(sign_in(rita), rocket, FORM, "answer", answered=0, **SUBMITTED_VALUES)
    assert response.status_code == 403
    assert "Only owners and editors of the company can do this." in get_text(response)


def test_ended_integration_accepts_no_answers(rocket, alice, sign_in, now):
    perform_transition(rocket, "withdraw", actor=alice, now=now)
    client = sign_in(alice)
    assert "You can't submit anything" in get_text(client.get(get_url(rocket)))
    response = submit_action(client, rocket, FORM, "answer", answered=0, **SUBMITTED_VALUES)
    assert (response.status_code, get_state(rocket)) == (409, None)


def test_markup_is_shown_as_it_was_entered(rocket, alice, sign_in):
    submit_action(
        sign_in(alice),
        rocket,
        FORM,
        "answer",
        answered=0,
        **(SUBMITTED_VALUES | {"users": "<script>alert(1)</script>"}),
    )
    page = sign_in(alice).get(get_url(rocket)).content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_answer_counts_for_all_integrations(acme, alice, sign_in):
    first = create_integration(acme, alice, "terraform-run-task")
    second = create_integration(acme, alice, "terraform-run-task", name="Second")
    shared = next(r for r in first.edition.list_requirements() if r.scope == "partner" and r.kind == "form")
    assert "One submission applies to all of your integrations in this program." in get_text(
        sign_in(alice).get(get_url(second, shared.id))
    )
