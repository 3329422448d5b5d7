"""Responses to several findings on the page of an integration."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.services.findings import raise_finding
from integrations.submissions.services.transitions import perform_transition
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements
from tests.journeys.person import Person

Visit = Callable[..., Person]


@pytest.fixture
def row(acme: Partner, alice: Any, rita: Any, github: Any) -> Integration:
    """Return an integration with two open findings."""
    now = timezone.now()
    row = advance_to_stage(create_integration(acme, alice, now=now), "review", partner=alice, reviewer=rita, now=now)
    fulfill_requirements(row, alice, now)
    requirement_id = row.edition.list_requirements()[0].id
    for text in ("Sign the release.", "Describe the resources."):
        raise_finding(row, requirement_id, text, actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, now=now)
    return row


def test_response_in_progress_survives_another_response(visit: Visit, row: Integration, alice: Any) -> None:
    partner = visit(alice).go(f"/integrations/{row.uuid}/")
    partner.fill(partner.find("#answer-2"), "Each resource has")
    partner.fill(partner.find("#answer-1"), "Signed in v1.4.2.")
    partner.press_within("#finding-1", "Respond to finding").sees("You responded to finding 1.")
    expect(partner.find("#answer-2")).to_have_value("Each resource has")


def test_invalid_response_stays_on_the_page_with_its_error(visit: Visit, row: Integration, alice: Any) -> None:
    url = f"/integrations/{row.uuid}/"
    partner = visit(alice).go(url)
    partner.fill(partner.find("#answer-2"), "Each resource has")
    partner.fill(partner.find("#url-1"), "https://github.com/acme/rocket")
    partner.fill(partner.find("#answer-1"), "  ")
    partner.press_within("#finding-1", "Respond to finding").sees("Enter a response.")
    expect(partner.find("#answer-1")).to_be_focused()
    expect(partner.find("#url-1")).to_have_value("https://github.com/acme/rocket")
    expect(partner.find("#answer-2")).to_have_value("Each resource has")
    assert "Rocket" in partner.page.title()
    partner.fill(partner.find("#answer-1"), "Signed in v1.4.2.")
    partner.press_within("#finding-1", "Respond to finding").sees("You responded to finding 1.")
    expect(partner.find("#answer-2")).to_have_value("Each resource has")
