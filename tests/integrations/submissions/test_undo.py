"""Tests that no one is asked for a step while a decision can be undone, and that both sides can undo theirs."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.submissions import digests
from integrations.submissions.models import Integration
from integrations.submissions.services.changes import refresh_due_integrations
from integrations.submissions.services.transitions import perform_transition
from portal.audit.services import record_event
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import fulfill_requirements
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.portal.api.client import create_api_client

pytestmark = pytest.mark.any_database

IntegrationAt = Callable[..., Integration]
PENDING = "The decision can be undone until Tue, Apr 14, 9:10 AM UTC"


def get_state(row: Integration) -> tuple[str, str, str]:
    return row.stage, row.responsible_party, row.next_action_label


@pytest.fixture
def approved_integration(
    integration_at: IntegrationAt, alice: Any, rita: Any, now: datetime, time_machine: Any
) -> Integration:
    """An integration whose approval can still be undone."""
    time_machine.move_to(now, tick=False)
    row = integration_at("review")
    fulfill_requirements(row, alice, now)
    perform_transition(row, "approve", actor=rita, now=now)
    return reload_row(row)


def test_next_action_after_a_decision_is_set_when_the_decision_is_final(
    approved_integration: Integration, now: datetime
) -> None:
    assert get_state(approved_integration) == ("release", "portal", PENDING)
    assert approved_integration.next_refresh_at == now + timedelta(minutes=10)
    assert refresh_due_integrations(now + timedelta(minutes=9)) == 0
    assert refresh_due_integrations(now + timedelta(minutes=10)) == 1
    final = reload_row(approved_integration)
    assert get_state(final) == ("release", "partner", "Sign “Technology Partner Agreement”")
    assert final.responsible_since == now + timedelta(minutes=10)


def test_undo_returns_the_responsibility_without_a_delay(
    approved_integration: Integration, rita: Any, now: datetime
) -> None:
    perform_transition(approved_integration, "undo_decision", actor=rita, now=now + timedelta(minutes=9))
    undone = reload_row(approved_integration)
    assert get_state(undone) == ("review", "program", "Review round 1")
    assert undone.responsible_since == now


def test_every_page_says_that_the_decision_is_pending(
    approved_integration: Integration, alice: Any, rita: Any, sign_in: Any
) -> None:
    page = f"/integrations/{approved_integration.uuid}/"
    home = sign_in(alice).get("/").text
    partner_page = sign_in(alice).get(page).text
    assert (PENDING in home, PENDING in partner_page, "Undo decision" in partner_page) == (True, True, False)
    review_page = sign_in(rita).get(f"{page}review/").text
    queue = sign_in(rita).get("/queue/").text
    assert (PENDING in review_page, "Undo decision" in review_page) == (True, True)
    assert "Action required" not in review_page
    assert str(approved_integration.uuid) not in queue
    assert "Undo decision" in sign_in(rita).get(page).text


def test_api_says_that_the_decision_is_pending(approved_integration: Integration, alice: Any) -> None:
    action = create_api_client(alice).get(f"/integrations/{approved_integration.uuid}").json()["next_action"]
    assert (action["responsible_party"], action["code"], action["action"]) == ("portal", "decision_pending", PENDING)


def test_email_of_a_decision_names_the_step_after_it(approved_integration: Integration) -> None:
    text = EmailMessage.objects.get(event__event_type="integration.approved", to="alice@acme.example").text
    assert text.startswith("Action required: Sign “Technology Partner Agreement”.")
    assert "can be undone" not in text


def test_other_emails_say_that_the_decision_is_pending(
    approved_integration: Integration, alice: Any, now: datetime
) -> None:
    record_event(approved_integration, "integration.edition_moved", actor=None, now=now, old_edition="", new_edition="")
    message = EmailMessage.objects.filter(event__event_type="integration.edition_moved").first()
    assert message is not None
    assert f"{PENDING}. No action needed." in message.text
    context = digests.build_context(alice, [message])
    assert (context["required_actions"], context["pending"]) == ([], [approved_integration])


def test_withdrawal_is_pending_and_can_be_undone_by_the_company(
    integration_at: IntegrationAt, alice: Any, rita: Any, now: datetime, sign_in: Any, time_machine: Any
) -> None:
    time_machine.move_to(now, tick=False)
    row = integration_at("develop")
    perform_transition(row, "put_on_hold", actor=rita, note="Legal reads it.", now=now)
    before = reload_row(row)
    perform_transition(row, "withdraw", actor=alice, now=now)
    assert get_state(reload_row(row)) == ("withdrawn", "", PENDING)
    page = sign_in(alice).get(f"/integrations/{row.uuid}/").text
    assert (PENDING in page, "Undo decision" in page) == (True, True)
    assert PENDING in sign_in(alice).get("/").text
    review_page = get_text(sign_in(rita).get(f"/integrations/{row.uuid}/review/"))
    assert "The partner can undo this decision until Tue, Apr 14, 9:10 AM UTC" in review_page
    with pytest.raises(ActionRefused, match="Only the side that decided"):
        perform_transition(row, "undo_decision", actor=rita, now=now)
    perform_transition(row, "undo_decision", actor=alice, now=now + timedelta(minutes=9))
    restored = reload_row(row)
    assert get_state(restored) == get_state(before)
    assert (restored.on_hold_for, restored.hold_reason, restored.ended_at) == ("third_party", "Legal reads it.", None)
    assert [email.state for email in EmailMessage.objects.filter(event__event_type="integration.withdrawn")] == [
        "canceled"
    ]


def test_withdrawal_is_final_after_the_undo_period(integration_at: IntegrationAt, alice: Any, now: datetime) -> None:
    row = integration_at("develop")
    perform_transition(row, "withdraw", actor=alice, now=now)
    refresh_due_integrations(now + timedelta(minutes=10))
    assert get_state(reload_row(row)) == ("withdrawn", "", "")
    with pytest.raises(ActionRefused, match="can't undo this decision"):
        perform_transition(row, "undo_decision", actor=alice, now=now + timedelta(minutes=10))


def test_end_of_support_is_undone_with_the_listing(
    integration_at: IntegrationAt, alice: Any, bob: Any, rita: Any, now: datetime, time_machine: Any
) -> None:
    time_machine.move_to(now, tick=False)
    row = integration_at("support", "terraform-provider")
    perform_transition(row, "issue_notice", actor=rita, note="Two breaches.", now=now)
    before = reload_row(row)
    perform_transition(row, "archive", actor=alice, note="Replaced.", now=now)
    assert (get_state(reload_row(row)), reload_row(row).listing_status) == (("archived", "", PENDING), "delisted")
    with pytest.raises(ActionRefused, match="Only the side that decided"):
        perform_transition(row, "undo_decision", actor=bob, now=now)
    perform_transition(row, "undo_decision", actor=alice, now=now + timedelta(minutes=9))
    restored = reload_row(row)
    names = ("stage", "listing_status", "tier", "compliance_deadline_at", "listing_status_since", "action_due_at")
    assert [getattr(restored, name) for name in names] == [getattr(before, name) for name in names]


@pytest.mark.parametrize("transition", ["withdraw", "decline"])
def test_pending_decision_blocks_a_withdrawal(
    approved_integration: Integration, alice: Any, now: datetime, transition: str
) -> None:
    with pytest.raises(ActionRefused):
        perform_transition(approved_integration, transition, actor=alice, now=now + timedelta(minutes=9))
    assert reload_row(approved_integration).decision == "approve"


def test_undo_on_the_integration_page_also_updates_its_details(
    integration_at: IntegrationAt, alice: Any, now: datetime, sign_in: Any, time_machine: Any
) -> None:
    time_machine.move_to(now, tick=False)
    row = integration_at("develop")
    perform_transition(row, "withdraw", actor=alice, now=now)
    fields = {"version": reload_row(row).version}
    url = f"/integrations/{row.uuid}/transitions/undo_decision/"
    page = sign_in(alice).post(url, fields, headers={"HX-Request": "true", "HX-Target": "workspace"})
    details = BeautifulSoup(page.text, "html.parser").select_one("#page-side[hx-swap-oob]")
    assert details is not None
    assert ("Edit details" in details.text, "Withdraw" in details.text, "Ended" in details.text) == (True, True, False)
