"""Tests of the review that opens after a decision."""

from typing import Any

import pytest

from integrations.reviews.assignment import suggest_reviewers
from integrations.reviews.selectors.queue import find_next_review
from integrations.submissions.models import Integration
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.accounts import roles
from portal.accounts.models import User
from tests.conftest import NOW
from tests.integrations.page_text import get_text
from tests.integrations.reviews.queue_page import get_row_text
from tests.integrations.reviews.transition_page import submit_transition
from tests.portal.accounts.sign_in import SignIn

pytestmark = pytest.mark.any_database


def test_next_item_opens_after_a_decision_with_the_undo_button(three_reviews: None, rita: User, client: Any) -> None:
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    scan, rocket = (Integration.objects.get(name=name) for name in ("Scan", "Rocket"))
    response = submit_transition(client, scan, "decline", note="Not for us.")
    assert response["Location"] == f"/integrations/{rocket.uuid}/review/?decided={scan.uuid}"
    text = get_text(client.get(response["Location"]))
    assert ("Declined: Scan You can undo this decision until" in text, "Undo decision" in text) == (True, True)


def test_next_item_opens_after_a_hold_with_a_message_that_names_the_held_one(
    three_reviews: None, rita: User, sign_in: SignIn
) -> None:
    client = sign_in(rita)
    scan, rocket = (Integration.objects.get(name=name) for name in ("Scan", "Rocket"))
    response = submit_transition(client, scan, "put_on_hold", note="The registry is closed.", waits_for="third_party")
    assert response["Location"] == f"/integrations/{rocket.uuid}/review/?decided={scan.uuid}"
    page = client.get(response["Location"])
    assert [str(message) for message in page.context["messages"]] == ["On hold: Scan. The next review is open."]


def test_integration_page_stays_open_after_a_hold_with_a_message_without_the_name(
    three_reviews: None, rita: User, sign_in: SignIn
) -> None:
    scan = Integration.objects.get(name="Scan")
    fields = {"note": "The registry is closed.", "waits_for": "third_party", "version": scan.version}
    url = f"/integrations/{scan.uuid}/transitions/put_on_hold/"
    page = sign_in(rita).post(url, fields, headers={"HX-Request": "true", "HX-Target": "workspace"})
    assert [str(message) for message in page.context["messages"]] == ["You put the integration on hold."]


def test_last_item_of_the_queue_stays_open_after_a_decision(
    ready_integration: Integration, rita: User, client: Any
) -> None:
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    response = submit_transition(client, ready_integration, "approve")
    assert response["Location"] == f"/integrations/{ready_integration.uuid}/review/"


def test_reviewer_of_a_program_is_offered_only_its_reviews(
    three_reviews: None, rita: User, sam: User, sign_in: SignIn
) -> None:
    scan, rocket, vaulted = (Integration.objects.get(name=name) for name in ("Scan", "Rocket", "Vaulted"))
    assert find_next_review(scan, rita, NOW) == rocket.uuid
    roles.change_roles(rita, grant=["reviewer:vault"], actor=sam, now=NOW, reason="Changes teams")
    rita = User.objects.get(pk=rita.pk)
    assert find_next_review(scan, rita, NOW) == vaulted.uuid
    suggestions = [[each.reviewer for each in suggest_reviewers(row, NOW)] for row in (rocket, vaulted)]
    assert suggestions == [[], [rita]]
    page = sign_in(rita).get("/queue/")
    assert ["Claim" in get_row_text(page, name) for name in ("Rocket", "Vaulted")] == [False, True]


def test_every_decision_of_the_program_has_a_result_for_the_message() -> None:
    partner_decisions = {"withdraw", "archive"}
    decisions = {name for name, options in TRANSITION_OPTIONS.items() if options.is_decision} - partner_decisions
    assert {name for name, options in TRANSITION_OPTIONS.items() if options.result} == {
        *decisions,
        "approve_first",
        "put_on_hold",
    }
