"""Is a tier granted and declined like anything else that is decided, with a while to undo it?"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import perform
from portal.core.errors import NotAllowed
from portal.notifications.models import Email

PREMIER = "partner-premier"


@pytest.fixture
def asked(at: Callable[..., Integration], alice: Any, now: datetime) -> Integration:
    """Acme's listed provider, for which everything of Partner Premier is there and asked for."""
    row = at("support", program="terraform-provider")
    now += timedelta(hours=1)
    for requirement in next(t for t in row.edition.tiers if t.key == PREMIER).requirements:
        answers.answer(row, requirement.id, {"met": "in a test"}, by=alice, now=now)
    perform(row, "request_tier", by=alice, tier=PREMIER, now=now)
    return Integration.objects.get(pk=row.pk)


@pytest.fixture
def then(now: datetime) -> datetime:
    return now + timedelta(hours=2)


def standing(row: Integration) -> tuple[str, str, str, str]:
    row = Integration.objects.get(pk=row.pk)
    return row.stage, row.tier, row.tier_request, row.turn_holder


def mails(verb: str) -> list[str]:
    return list(Email.objects.filter(event__verb=verb).values_list("state", flat=True))


@pytest.mark.parametrize(
    ("step", "decided"),
    [("grant_tier", ("support", PREMIER, "", "machine")), ("decline_tier", ("support", "partner", "", "machine"))],
)
def test_what_was_decided_on_a_tier_can_be_undone_for_ten_minutes(
    asked: Integration, rita: Any, then: datetime, step: str, decided: tuple[str, ...]
) -> None:
    before = Integration.objects.get(pk=asked.pk)
    perform(asked, step, by=rita, note="Because.", now=then)
    assert standing(asked) == decided
    assert mails(step) == ["held"]
    perform(asked, "undo_decision", by=rita, now=then + timedelta(minutes=9))
    assert standing(asked) == ("support", "partner", PREMIER, "program")
    assert Integration.objects.get(pk=asked.pk).turn_due_at == before.turn_due_at
    assert mails(step) == ["cancelled"]


def test_after_the_window_the_tier_stands(asked: Integration, rita: Any, then: datetime) -> None:
    perform(asked, "grant_tier", by=rita, now=then)
    with pytest.raises(NotAllowed, match="final"):
        perform(asked, "undo_decision", by=rita, now=then + timedelta(minutes=10))
    assert standing(asked)[1] == PREMIER


def test_a_declined_tier_is_asked_for_again_once_that_is_final(
    asked: Integration, alice: Any, rita: Any, then: datetime
) -> None:
    perform(asked, "decline_tier", by=rita, note="The list is empty.", now=then)
    with pytest.raises(NotAllowed, match="can still be undone"):
        perform(asked, "request_tier", by=alice, tier=PREMIER, now=then + timedelta(minutes=9))
    perform(asked, "request_tier", by=alice, tier=PREMIER, now=then + timedelta(minutes=10))
    assert standing(asked)[2] == PREMIER


def test_the_mail_names_the_tier_that_was_declined(asked: Integration, rita: Any, then: datetime) -> None:
    perform(asked, "decline_tier", by=rita, note="The list is empty.", now=then)
    told = Email.objects.get(event__verb="decline_tier")
    assert told.subject == "Partner Premier declined: Rocket"
    assert "declined the tier Partner Premier that you asked for Rocket" in told.text


def test_while_a_claim_runs_the_tier_is_its_holders_to_decide(
    asked: Integration, rita: Any, rob: Any, then: datetime
) -> None:
    claims.claim(asked, by=rita, now=then)
    with pytest.raises(NotAllowed, match="Rita Reyes has it until"):
        perform(asked, "grant_tier", by=rob, now=then)


def test_who_stops_supporting_it_meanwhile_gets_no_mail_of_the_tier(
    asked: Integration, alice: Any, rita: Any, then: datetime
) -> None:
    perform(asked, "grant_tier", by=rita, now=then)
    perform(asked, "archive", by=alice, note="Replaced.", now=then + timedelta(minutes=1))
    assert mails("grant_tier") == ["cancelled"]


def test_the_review_page_offers_the_way_back(
    asked: Integration, rita: Any, then: datetime, sign_in: Any, time_machine: Any
) -> None:
    time_machine.move_to(then, tick=False)
    perform(asked, "grant_tier", by=rita, now=then)
    page = sign_in(rita).get(f"/integrations/{asked.uuid}/review/").text
    assert "You granted the tier" in page
    assert f"/integrations/{asked.uuid}/steps/undo_decision/" in page
