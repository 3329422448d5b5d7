"""Tests of tier decisions and their undo."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import perform_transition
from portal.audit.catalog import EVENT_TYPES_BY_TRANSITION
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.replay import replay_fixture

pytestmark = pytest.mark.any_database

PREMIER = "partner-premier"


@pytest.fixture
@replay_fixture
def premier_request(edition_2026: None, at: Callable[..., Integration], alice: Any, now: datetime) -> Integration:
    """Acme's listed provider, for which everything of Partner Premier is there and asked for."""
    row = at("support", program="terraform-provider")
    now += timedelta(hours=1)
    for requirement in next(t for t in row.edition.tiers if t.key == PREMIER).requirements:
        answers.submit_answer(row, requirement.id, {"met": "in a test"}, actor=None, now=now)
    perform_transition(row, "request_tier", actor=alice, tier=PREMIER, now=now)
    return Integration.objects.get(pk=row.pk)


@pytest.fixture
def then(now: datetime) -> datetime:
    return now + timedelta(hours=2)


def listing_status(row: Integration) -> tuple[str, str, str, str]:
    row = Integration.objects.get(pk=row.pk)
    return row.stage, row.tier, row.tier_request, row.responsible_party


def mails(transition: str) -> list[str]:
    event_type = EVENT_TYPES_BY_TRANSITION[transition].key
    return list(EmailMessage.objects.filter(event__event_type=event_type).values_list("state", flat=True))


@pytest.mark.parametrize(
    ("step", "expected"),
    [("grant_tier", ("support", PREMIER, "", "machine")), ("decline_tier", ("support", "partner", "", "machine"))],
)
def test_what_was_decided_on_a_tier_can_be_undone_for_ten_minutes(
    premier_request: Integration, rita: Any, then: datetime, step: str, expected: tuple[str, ...]
) -> None:
    before = Integration.objects.get(pk=premier_request.pk)
    perform_transition(premier_request, step, actor=rita, note="Because.", now=then)
    assert listing_status(premier_request) == expected
    assert mails(step) == ["held"]
    perform_transition(premier_request, "undo_decision", actor=rita, now=then + timedelta(minutes=9))
    assert listing_status(premier_request) == ("support", "partner", PREMIER, "program")
    assert Integration.objects.get(pk=premier_request.pk).action_due_at == before.action_due_at
    assert mails(step) == ["canceled"]


def test_after_the_window_the_tier_stands(premier_request: Integration, rita: Any, then: datetime) -> None:
    perform_transition(premier_request, "grant_tier", actor=rita, now=then)
    with pytest.raises(ActionRefused, match="can't undo this decision"):
        perform_transition(premier_request, "undo_decision", actor=rita, now=then + timedelta(minutes=10))
    assert listing_status(premier_request)[1] == PREMIER


@pytest.mark.every_database
def test_declined_tier_is_asked_for_again_once_that_is_final(
    premier_request: Integration, alice: Any, rita: Any, then: datetime
) -> None:
    perform_transition(premier_request, "decline_tier", actor=rita, note="The list is empty.", now=then)
    with pytest.raises(ActionRefused, match="can still be undone"):
        perform_transition(premier_request, "request_tier", actor=alice, tier=PREMIER, now=then + timedelta(minutes=9))
    perform_transition(premier_request, "request_tier", actor=alice, tier=PREMIER, now=then + timedelta(minutes=10))
    assert listing_status(premier_request)[2] == PREMIER


def test_email_names_the_tier_that_was_declined(premier_request: Integration, rita: Any, then: datetime) -> None:
    perform_transition(premier_request, "decline_tier", actor=rita, note="The list is empty.", now=then)
    email = EmailMessage.objects.get(event__event_type="tier.declined")
    assert email.subject == "Tier declined: Rocket (Partner Premier)"
    assert "declined your request for the tier Partner Premier for Rocket" in email.text


@pytest.mark.every_database
def test_while_a_claim_runs_the_tier_is_its_holders_to_decide(
    premier_request: Integration, rita: Any, rob: Any, then: datetime
) -> None:
    claims.claim_review(premier_request, actor=rita, now=then)
    with pytest.raises(ActionRefused, match="Rita Reyes claimed this review until"):
        perform_transition(premier_request, "grant_tier", actor=rob, now=then)


@pytest.mark.every_database
def test_support_ends_after_the_decision_on_the_tier_is_final(
    premier_request: Integration, alice: Any, rita: Any, then: datetime
) -> None:
    perform_transition(premier_request, "grant_tier", actor=rita, now=then)
    with pytest.raises(ActionRefused, match="can still be undone"):
        perform_transition(premier_request, "archive", actor=alice, note="Replaced.", now=then + timedelta(minutes=9))
    perform_transition(premier_request, "archive", actor=alice, note="Replaced.", now=then + timedelta(minutes=10))
    assert mails("grant_tier") == ["held"]


def test_review_page_offers_the_way_back(
    premier_request: Integration, rita: Any, then: datetime, sign_in: Any, time_machine: Any
) -> None:
    time_machine.move_to(then, tick=False)
    perform_transition(premier_request, "grant_tier", actor=rita, now=then)
    page = sign_in(rita).get(f"/integrations/{premier_request.uuid}/review/").text
    assert "You granted the tier" in page
    assert f"/integrations/{premier_request.uuid}/steps/undo_decision/" in page
