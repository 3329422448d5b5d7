"""Tests of the endpoints that get an event, and when."""

from datetime import timedelta
from typing import Any

import pytest

from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.webhooks import fanout
from tests.conftest import NOW, create_integration, fulfill_requirements
from tests.fakes.receiver import Receiver
from tests.portal.webhooks.conftest import send_due_deliveries
from tests.portal.webhooks.messages import CreateEndpoint, create_event_message, list_states

pytestmark = pytest.mark.django_db


def test_decision_is_sent_when_it_can_no_longer_be_undone(
    endpoint: CreateEndpoint, receiver: Receiver, integration_at: Any, rita: Any
) -> None:
    row = integration_at("review")
    endpoint_row = endpoint(event_types=["integration.approved"])
    fulfill_requirements(row, None, NOW)
    perform_transition(row, "approve", actor=rita, now=NOW)
    assert send_due_deliveries(NOW + timedelta(minutes=9)) == 0
    perform_transition(row, "undo_decision", actor=rita, now=NOW + timedelta(minutes=9))
    assert send_due_deliveries(NOW + timedelta(minutes=11)) == 0
    assert list_states(endpoint_row) == []


def test_each_endpoint_gets_its_own_and_chosen_events(
    endpoint: CreateEndpoint, acme: Any, globex: Any, alice: Any, charlie: Any, sam: Any
) -> None:
    ours = endpoint()
    tier_endpoint = endpoint(event_types=["tier.granted"])
    theirs = endpoint(globex, charlie)
    office = endpoint(None, sam)
    other_program = endpoint(None, sam, program_key="vault")
    create_integration(acme, alice)
    message_counts = {row.pk: row.deliveries.count() for row in (ours, tier_endpoint, theirs, office, other_program)}
    assert list(message_counts.values()) == [1, 0, 0, 1, 0]


def test_internal_notes_are_sent_to_no_partner(endpoint: CreateEndpoint, rocket: Any, rita: Any) -> None:
    endpoint_row = endpoint()
    findings.post_message(rocket, "A note.", actor=rita, now=NOW, is_internal=True)
    assert endpoint_row.deliveries.count() == 0


def test_repeated_event_is_one_message(endpoint: CreateEndpoint, rocket: Any, alice: Any) -> None:
    endpoint_row = endpoint()
    message = create_event_message(rocket, alice)
    assert message.event is not None
    fanout.create_deliveries(message.event)
    assert endpoint_row.deliveries.count() == 1
