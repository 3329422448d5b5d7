"""Tests of answers that the partner submitted for another integration while one had ended."""

from datetime import timedelta

import pytest

from integrations.submissions.models import Integration
from integrations.submissions.services.requirements import submit_answer
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from tests.conftest import create_integration

pytestmark = pytest.mark.any_database

FORM = "TP-APPLY"
SUMMARY = "RT-6"


def get_state(row, requirement_id=FORM):
    return Integration.objects.get(pk=row.pk).fulfillments.get(requirement_id=requirement_id)


@pytest.fixture
def rocket(acme, alice):
    return create_integration(acme, alice, "terraform-provider")


@pytest.fixture
def lander(acme, alice, rocket):
    return create_integration(acme, alice, "terraform-provider", name="Lander")


@pytest.mark.parametrize(("transition", "minutes"), [("reopen", 10), ("undo_decision", 1)])
def test_answer_submitted_during_a_withdrawal_counts_after_it(rocket, lander, alice, now, transition, minutes):
    submit_answer(rocket, FORM, {"contact_name": "Alice"}, actor=alice, now=now - timedelta(days=1))
    perform_transition(rocket, "withdraw", actor=alice, now=now)
    submit_answer(lander, FORM, {"contact_name": "Bob"}, actor=alice, now=now)
    assert get_state(rocket).data == {"contact_name": "Alice"}
    perform_transition(rocket, transition, actor=alice, now=now + timedelta(minutes=minutes))
    state = get_state(rocket)
    assert (state.status, state.data, state.submitted_by) == (Status.SUBMITTED, {"contact_name": "Bob"}, alice)
    assert state.submitted_at == now
    event = rocket.events.filter(event_type="requirement.answered").last()
    assert event.data["shared_from"] == str(lander.uuid)


def test_answers_that_did_not_change_are_not_recorded_again(rocket, lander, alice, now):
    submit_answer(lander, FORM, {"contact_name": "Bob"}, actor=alice, now=now)
    perform_transition(rocket, "withdraw", actor=alice, now=now)
    perform_transition(rocket, "reopen", actor=alice, now=now + timedelta(minutes=10))
    assert rocket.events.filter(event_type="requirement.answered").count() == 1


def test_answer_about_all_integrations_must_be_updated_after_a_withdrawal(acme, alice, now):
    scanner = create_integration(acme, alice, "terraform-run-task")
    estimator = create_integration(acme, alice, "terraform-run-task", name="Estimator")
    perform_transition(scanner, "withdraw", actor=alice, now=now)
    submit_answer(estimator, SUMMARY, {"summary": "Estimates costs."}, actor=alice, now=now)
    perform_transition(scanner, "reopen", actor=alice, now=now + timedelta(minutes=10))
    state = get_state(scanner, SUMMARY)
    assert (state.status, state.data) == (Status.OPEN, {"summary": "Estimates costs."})
