"""Tests of tier decisions and their undo."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.selectors.context import list_integration_actions
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import perform_transition
from portal.audit.event_types import EVENT_TYPES_BY_TRANSITION
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.replay import replay_fixture

pytestmark = pytest.mark.any_database

PREMIER = "partner-premier"


@pytest.fixture
@replay_fixture
def premier_request(
    edition_2026: None, integration_at: Callable[..., Integration], alice: Any, now: datetime
) -> Integration:
    """Acme's listed provider, which fulfills Partner Premier and requested it."""
    row = integration_at("support", program="terraform-provider")
    now += timedelta(hours=1)
    for requirement in next(t for t in row.edition.tiers if t.key == PREMIER).requirements:
        answers.submit_answer(row, requirement.id, {"met": "in a test"}, actor=None, now=now)
    perform_transition(row, "request_tier", actor=alice, tier=PREMIER, now=now)
    return Integration.objects.get(pk=row.pk)


@pytest.fixture
def decided_at(now: datetime) -> datetime:
    return now + timedelta(hours=2)


def get_state(row: Integration) -> tuple[str, str, str, str]:
    row = Integration.objects.get(pk=row.pk)
    return row.stage, row.tier, row.tier_request, row.responsible_party


def list_email_states(transition: str) -> list[str]:
    event_type = EVENT_TYPES_BY_TRANSITION[transition].key
    return list(EmailMessage.objects.filter(event__event_type=event_type).values_list("state", flat=True))


@pytest.mark.parametrize(
    ("step", "expected"),
    [("grant_tier", ("support", PREMIER, "", "portal")), ("decline_tier", ("support", "partner", "", "portal"))],
)
def test_tier_decision_can_be_undone_for_ten_minutes(
    premier_request: Integration, rita: Any, decided_at: datetime, step: str, expected: tuple[str, ...]
) -> None:
    before = Integration.objects.get(pk=premier_request.pk)
    perform_transition(premier_request, step, actor=rita, note="Because.", now=decided_at)
    assert get_state(premier_request) == expected
    assert list_email_states(step) == ["held"]
    perform_transition(premier_request, "undo_decision", actor=rita, now=decided_at + timedelta(minutes=9))
    assert get_state(premier_request) == ("support", "partner", PREMIER, "program")
    assert Integration.objects.get(pk=premier_request.pk).action_due_at == before.action_due_at
    assert list_email_states(step) == ["canceled"]


def test_tier_decision_is_final_after_the_undo_period(
    premier_request: Integration, rita: Any, decided_at: datetime
) -> None:
    perform_transition(premier_request, "grant_tier", actor=rita, now=decided_at)
    with pytest.raises(ActionRefused, match="can't undo this decision"):
        perform_transition(premier_request, "undo_decision", actor=rita, now=decided_at + timedelta(minutes=10))
    assert get_state(premier_request)[1] == PREMIER


@pytest.mark.every_database
def test_declined_tier_can_be_requested_again_after_the_decision_is_final(
    premier_request: Integration, alice: Any, rita: Any, decided_at: datetime
) -> None:
    perform_transition(premier_request, "decline_tier", actor=rita, note="The list is empty.", now=decided_at)
    with pytest.raises(ActionRefused, match="can still be undone"):
        perform_transition(
            premier_request, "request_tier", actor=alice, tier=PREMIER, now=decided_at + timedelta(minutes=9)
        )
    perform_transition(
        premier_request, "request_tier", actor=alice, tier=PREMIER, now=decided_at + timedelta(minutes=10)
    )
    assert get_state(premier_request)[2] == PREMIER


def test_email_names_the_tier_that_was_declined(premier_request: Integration, rita: Any, decided_at: datetime) -> None:
    perform_transition(premier_request, "decline_tier", actor=rita, note="The list is empty.", now=decided_at)
    email = EmailMessage.objects.get(event__event_type="tier.declined")
    assert email.subject == "Tier declined: Rocket (Partner Premier)"
    assert "declined your request for the tier Partner Premier for Rocket" in email.text


@pytest.mark.every_database
def test_only_the_claim_holder_decides_on_the_tier(
    premier_request: Integration, rita: Any, rob: Any, decided_at: datetime
) -> None:
    claims.claim_review(premier_request, actor=rita, now=decided_at)
    with pytest.raises(ActionRefused, match="Rita Reyes claimed this review until"):
        perform_transition(premier_request, "grant_tier", actor=rob, now=decided_at)


@pytest.mark.every_database
def test_support_ends_after_the_decision_on_the_tier_is_final(
    premier_request: Integration, alice: Any, rita: Any, decided_at: datetime
) -> None:
    perform_transition(premier_request, "grant_tier", actor=rita, now=decided_at)
    with pytest.raises(ActionRefused, match="can still be undone"):
        perform_transition(
            premier_request, "archive", actor=alice, note="Replaced.", now=decided_at + timedelta(minutes=9)
        )
    perform_transition(
        premier_request, "archive", actor=alice, note="Replaced.", now=decided_at + timedelta(minutes=10)
    )
    assert list_email_states("grant_tier") == ["held"]


def test_requested_tier_waits_while_the_listing_is_on_notice(
    premier_request: Integration, rita: Any, decided_at: datetime
) -> None:
    perform_transition(premier_request, "issue_notice", actor=rita, note="Two breaches.", now=decided_at)
    row = Integration.objects.get(pk=premier_request.pk)
    assert [action.code for action in list_integration_actions(row, decided_at)] == ["respond_to_notice"]
    perform_transition(row, "withdraw_notice", actor=rita, note="A mistake.", now=decided_at)
    row = Integration.objects.get(pk=premier_request.pk)
    assert [action.code for action in list_integration_actions(row, decided_at)] == ["decide_on_tier"]


def test_review_page_offers_to_undo_the_decision(
    premier_request: Integration, rita: Any, decided_at: datetime, sign_in: Any, time_machine: Any
) -> None:
    time_machine.move_to(decided_at, tick=False)
    perform_transition(premier_request, "grant_tier", actor=rita, now=decided_at)
    page = sign_in(rita).get(f"/integrations/{premier_request.uuid}/review/").text
    assert "You granted the tier" in page
    assert f"/integrations/{premier_request.uuid}/transitions/undo_decision/" in page
