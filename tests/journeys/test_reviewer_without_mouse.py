"""A reviewer without scripts, and with the keyboard alone: refused forms keep their input and get the focus."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from tests.conftest import advance_to_stage, create_integration, create_partner
from tests.journeys.keyboard import KeyboardPerson
from tests.journeys.person import Person

Visit = Callable[..., Person]
PEOPLE: dict[str, dict[str, Any]] = {"no scripts": {"javascript": False}, "keyboard": {"kind": KeyboardPerson}}


@pytest.fixture
def rocket(acme: Partner, alice: Any, rita: Any, github: Any) -> Integration:
    """Integration in review."""
    now = timezone.now()
    return advance_to_stage(create_integration(acme, alice, now=now), "review", partner=alice, reviewer=rita, now=now)


@pytest.fixture(params=PEOPLE)
def options(request: Any) -> dict[str, Any]:
    return PEOPLE[request.param]


@pytest.fixture
def reviewer(options: dict[str, Any], visit: Visit, rita: Any) -> Person:
    return visit(rita, **options)


def expect_error(browser: Person, selector: str, message: str) -> None:
    """Expect the focus in the field that is wrong, and its message as its description."""
    field = browser.page.locator(selector)
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description(re.compile(re.escape(message)))


def type_reason(browser: Person, options: dict[str, Any], reason: str) -> None:
    """Type a reason. With scripts, the email beside it shows the reason."""
    browser.page.keyboard.type(reason)
    if options.get("javascript", True):
        expect(browser.page.locator("#id_email-body")).to_have_value(re.compile(reason))


def test_hold_decline_and_reopening(reviewer: Person, options: dict[str, Any], rocket: Integration) -> None:
    reviewer.go(f"/integrations/{rocket.uuid}/review/").press("Put on hold").choose("Waiting for", "The partner")
    reviewer.press("Put on hold")
    expect_error(reviewer, "#id_note", "Enter a reason. We record it with the decision.")
    expect(reviewer.page.get_by_label("Waiting for")).to_have_value("partner")
    type_reason(reviewer, options, "Their release.")
    reviewer.press("Put on hold").sees("Their release.").press("Remove hold").press("Remove hold")
    reviewer.press("Decline").press("Decline")
    expect_error(reviewer, "#id_note", "Enter a reason. We record it with the decision.")
    type_reason(reviewer, options, "It launches nothing.")
    reviewer.press("Decline").sees("You can undo this decision until")
    Integration.objects.update(undo_until=None)
    reviewer.go(f"/integrations/{rocket.uuid}/review/").press("Reopen integration").press("Reopen integration")
    assert Integration.objects.get().stage == "review"


def test_waiver(reviewer: Person, rocket: Integration) -> None:
    fulfilled = rocket.fulfillments.values_list("requirement_id", flat=True)
    requirement = next(r for r in rocket.edition.list_requirements() if r.id not in fulfilled)
    reviewer.go(f"/integrations/{rocket.uuid}/requirements/{requirement.id}/")
    reviewer.click(reviewer.page.locator("#waive summary"))
    until = timezone.localtime(timezone.now() + timedelta(days=30)).date().isoformat()
    reviewer.write("Expiration date", until).press("Grant waiver", nth=-1)
    reviewer.sees_value("Expiration date", until)
    expect(reviewer.page.locator("#error-summary:focus, #waive-reason:focus")).to_have_count(1)
    reviewer.write("Reason", "Agreed on the phone.").press("Grant waiver", nth=-1).sees("Waived")


def test_assignment_in_the_queue(reviewer: Person, rob: Any, rocket: Integration) -> None:
    reviewer.go("/queue/").tick("Select Rocket")
    reviewer.write("Reason or message", "After the release").press("Assign reviewer")
    expect_error(reviewer, "#id_reviewer", "Select a reviewer.")
    reviewer.sees_value("Reason or message", "After the release").choose("Reviewer", "Rob Roth").press(
        "Assign reviewer"
    )
    reviewer.sees("Assigned 1 item.")


def test_change_of_edition(reviewer: Person, acme: Partner, alice: Any) -> None:
    row = create_integration(acme, alice, "terraform-provider", timezone.now(), category="comms-messaging")
    reviewer.go(f"/integrations/{row.uuid}/review/").press("Change edition").press("Preview changes")
    reviewer.press("Change edition").sees("Rocket now uses edition 2026-06.")


def test_merge(visit: Visit, options: dict[str, Any], sam: Any, rocket: Integration) -> None:
    create_partner("Rockets", "rockets.example")
    staff = visit(sam, **options).go("/companies/rockets/").press("Merge into another partner")
    staff.write("Remaining partner", "nowhere").press("Preview merge")
    expect_error(staff, "#id_into", "Partner not found. Copy the last part of the URL of its page.")
    staff.sees_value("Remaining partner", "nowhere")
