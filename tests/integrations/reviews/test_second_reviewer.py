"""Tests of editions that ask for a second reviewer."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import FulfillingParty
from integrations.programs.schema import Edition, ReviewPolicy
from integrations.reviews.assignment import suggest_reviewers
from integrations.reviews.services import claims, conflicts, rebalancing
from integrations.submissions.models import Integration
from integrations.submissions.services import creation, findings, requirements
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.accounts.roles import change_roles, deactivate
from tests.conftest import fulfill_requirements
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.integrations.partners.memberships import get_refusal
from tests.integrations.reviews.transition_page import build_url, submit_transition

pytestmark = pytest.mark.any_database
WAITING = "Waiting for a second reviewer"
SECOND = "A second reviewer must approve."
FIRST = "Two reviewers must approve. Approve as the first reviewer."
WITHDRAWN = "First approval withdrawn"


def require_two_reviewers(edition: Edition) -> Edition:
    """Return the edition with two reviewers in its review."""
    steps = (replace(s, review=ReviewPolicy(second_reviewer="review" in s.stages)) for s in edition.steps)
    return replace(edition, steps=tuple(steps))


@pytest.fixture(autouse=True)
def two_reviewers(monkeypatch: pytest.MonkeyPatch) -> None:
    nomad = PROGRAMS["nomad"]
    monkeypatch.setitem(PROGRAMS, "nomad", replace(nomad, editions=tuple(map(require_two_reviewers, nomad.editions))))


def test_first_approval_waits_for_another_reviewer_and_partner_sees_in_review(
    ready_integration: Integration, alice: User, rita: User, rob: User, sign_in: Any, frozen_now: datetime
) -> None:
    before = get_text(sign_in(alice).get(f"/integrations/{ready_integration.uuid}/"))
    client = sign_in(rita)
    claims.claim_review(ready_integration, actor=rita, now=frozen_now)
    assert client.get(build_url(ready_integration, "approve"))["Location"] == build_url(
        ready_integration, "approve_first"
    )
    assert rob.email in get_text(client.get(build_url(ready_integration, "approve_first")))
    submit_transition(client, ready_integration, "approve_first", note="Tests pass.")
    row = reload_row(ready_integration)
    assert (row.stage, row.responsible_party, row.first_approver, row.reviewer) == ("review", "program", rita, None)
    event = row.events.get(event_type="review.first_approved")
    (email,) = event.emails.all()
    assert (event.internal, email.to, email.subject[:23]) == (True, rob.email, "Second review requested")
    assert "Rita Reyes approved round 1 of Rocket in Nomad as first reviewer." in email.text
    page = get_text(sign_in(rob).get(f"/integrations/{ready_integration.uuid}/review/"))
    assert f"{WAITING} Rita Reyes approved this round." in page
    assert "The partner sees “In review”. Tests pass. " in page
    assert "waiting for a second reviewer" in get_text(client.get("/queue/"))
    partner_page = get_text(sign_in(alice).get(f"/integrations/{ready_integration.uuid}/"))
    assert (partner_page, WAITING in partner_page) == (before, False)


def test_second_approval_must_come_from_another_person_without_conflict(
    ready_integration: Integration, acme: Partner, rita: User, rob: User, frozen_now: datetime
) -> None:
    assert get_refusal(perform_transition, ready_integration, "approve", actor=rob, now=frozen_now) == FIRST
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    assert get_refusal(perform_transition, ready_integration, "approve", actor=rita, now=frozen_now) == SECOND
    again = "A first approval isn't needed or was already given."
    assert get_refusal(perform_transition, ready_integration, "approve_first", actor=rob, now=frozen_now) == again
    conflicts.record_conflict(acme, rob, "I worked there.", actor=rob, now=frozen_now)
    third = User.objects.create(email="uma@program.example", name="Uma", is_reviewer=True)
    assert "Conflict of interest" in get_refusal(
        perform_transition, ready_integration, "approve", actor=rob, now=frozen_now
    )
    perform_transition(ready_integration, "approve", actor=third, now=frozen_now)
    assert reload_row(ready_integration).stage == "release"


def test_first_approver_cannot_take_the_review_again(
    ready_integration: Integration, rita: User, rob: User, sam: User, sign_in: Any, frozen_now: datetime
) -> None:
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    row = reload_row(ready_integration)
    client = sign_in(rita)
    assert get_refusal(claims.claim_review, row, actor=rita, now=frozen_now) == SECOND
    assert get_refusal(claims.assign_reviewer, row, rita, actor=sam, now=frozen_now) == SECOND
    assert [each.reviewer for each in suggest_reviewers(row, frozen_now)] == [rob]
    plan = rebalancing.plan_assignments("round_robin", "all", actor=sam, now=frozen_now)
    assert [each.reviewer for each in plan] == [rob]
    pages = ("/queue/", "/queue/?tab=free", f"/integrations/{row.uuid}/review/")
    button = f'/{row.uuid}/claim/"'
    assert [button in client.get(page).content.decode() for page in pages] == [False] * 3
    assert "Rocket" not in get_text(client.get("/queue/?tab=free"))
    client = sign_in(rob)
    assert [button in client.get(page).content.decode() for page in pages] == [True] * 3
    assert claims.claim_review(row, actor=rob, now=frozen_now).reviewer == rob


def test_integration_page_requires_an_action_of_the_second_reviewer_only(
    ready_integration: Integration, rita: User, rob: User, sign_in: Any, frozen_now: datetime
) -> None:
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    pages = [get_text(sign_in(user).get(f"/integrations/{ready_integration.uuid}/")) for user in (rita, rob)]
    assert ["Action required: Review round 1" in page for page in pages] == [False, True]
    assert "Waiting for the program: Review round 1" in pages[0]


@pytest.mark.parametrize("who", ["rita", "rob"])
def test_either_reviewer_can_return_it_and_the_next_round_needs_two_again(
    ready_integration: Integration, alice: User, rita: User, rob: User, frozen_now: datetime, who: str
) -> None:
    reviewer = {"rita": rita, "rob": rob}[who]
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    finding = findings.raise_finding(ready_integration, "NO-3", "Add tests.", actor=reviewer, now=frozen_now)
    perform_transition(ready_integration, "request_changes", actor=reviewer, now=frozen_now)
    row = reload_row(ready_integration)
    assert (row.responsible_party, row.is_awaiting_second_reviewer) == ("portal", False)
    later = frozen_now + timedelta(minutes=11)
    findings.answer_finding(finding, answer="Done.", actor=alice, now=later)
    fulfill_requirements(reload_row(ready_integration), None, later)
    perform_transition(ready_integration, "resubmit_for_review", actor=alice, now=later)
    row = reload_row(ready_integration)
    assert (row.review_round, row.first_approver, row.is_awaiting_second_reviewer) == (2, None, False)


def test_first_approval_ends_with_a_conflict(
    ready_integration: Integration, acme: Partner, rita: User, rob: User, frozen_now: datetime
) -> None:
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    conflicts.record_conflict(acme, rita, "I worked there.", actor=rita, now=frozen_now)
    row = reload_row(ready_integration)
    assert (row.first_approver, row.is_awaiting_second_reviewer) == (None, False)
    event = row.events.get(event_type="review.first_approval_withdrawn")
    assert (event.actor, event.internal, event.data["reviewer"]) == ("", True, "Rita Reyes")
    assert get_refusal(perform_transition, ready_integration, "approve", actor=rob, now=frozen_now) == FIRST
    assert (
        perform_transition(ready_integration, "approve_first", actor=rob, now=frozen_now).event_type
        == "review.first_approved"
    )


@pytest.mark.parametrize("change", [partial(change_roles, revoke=["reviewer"]), deactivate])
def test_first_approval_of_a_former_reviewer_is_withdrawn(
    ready_integration: Integration, rita: User, rob: User, sign_in: Any, frozen_now: datetime, change: Any
) -> None:
    User.objects.create(email="root@program.example", is_superuser=True)
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    change(rita, actor=None, reason="Another team", now=frozen_now)
    row = reload_row(ready_integration)
    assert (row.first_approver, [reason["code"] for reason in row.reasons]) == (None, ["new_review"])
    page = get_text(sign_in(rob).get(f"/integrations/{row.uuid}/review/"))
    assert f"{WITHDRAWN} Rita Reyes approved this round but can't review this integration anymore." in page
    assert get_refusal(perform_transition, ready_integration, "approve", actor=rob, now=frozen_now) == FIRST
    perform_transition(ready_integration, "approve_first", actor=rob, now=frozen_now)
    assert reload_row(ready_integration).first_approver == rob


def test_changed_answer_of_the_partner_withdraws_the_first_approval(
    ready_integration: Integration, alice: User, rita: User, rob: User, sign_in: Any, frozen_now: datetime
) -> None:
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    requirement = next(
        r for r in ready_integration.edition.list_requirements() if r.responsible_party == FulfillingParty.PARTNER
    )
    requirements.submit_answer(ready_integration, requirement.id, {"met": "differently"}, actor=alice, now=frozen_now)
    row = reload_row(ready_integration)
    assert (row.first_approver, row.next_action_code == "second_review") == (None, False)
    page = get_text(sign_in(rob).get(f"/integrations/{row.uuid}/review/"))
    assert f"{WITHDRAWN} The integration changed after Rita Reyes approved this round." in page
    (event,) = row.events.filter(event_type="review.first_approval_withdrawn")
    # The first reviewer has to look again, and the others learn what they're asked for now.
    assert {(email.to, email.subject) for email in event.emails.all()} == {
        (person.email, "First approval withdrawn: Rocket by Acme") for person in (rita, rob)
    }
    assert get_refusal(perform_transition, ready_integration, "approve", actor=rob, now=frozen_now) == FIRST


def test_changed_details_withdraw_the_first_approval(
    ready_integration: Integration, alice: User, rita: User, rob: User, frozen_now: datetime
) -> None:
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    unchanged = {"name": ready_integration.name}
    creation.change_description(ready_integration, unchanged, actor=alice, now=frozen_now)
    assert reload_row(ready_integration).first_approver == rita
    creation.change_description(ready_integration, {"repository": "acme/other"}, actor=alice, now=frozen_now)
    assert reload_row(ready_integration).first_approver is None
    assert get_refusal(perform_transition, ready_integration, "approve", actor=rob, now=frozen_now) == FIRST


def test_undo_of_the_second_approval_keeps_the_first(
    ready_integration: Integration, rita: User, rob: User, frozen_now: datetime
) -> None:
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    perform_transition(ready_integration, "approve", actor=rob, now=frozen_now)
    assert reload_row(ready_integration).is_awaiting_second_reviewer is False
    perform_transition(ready_integration, "undo_decision", actor=rob, now=frozen_now)
    row = reload_row(ready_integration)
    assert (row.stage, row.first_approver, row.is_awaiting_second_reviewer) == ("review", rita, True)


def test_change_before_the_undo_of_the_second_approval_withdraws_the_first(
    ready_integration: Integration, alice: User, rita: User, rob: User, frozen_now: datetime
) -> None:
    """The first reviewer has not seen what the partner changed while the approval could be undone."""
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    perform_transition(ready_integration, "approve", actor=rob, now=frozen_now)
    creation.change_description(ready_integration, {"repository": "acme/other"}, actor=alice, now=frozen_now)
    perform_transition(ready_integration, "undo_decision", actor=rob, now=frozen_now)
    assert reload_row(ready_integration).first_approver is None
    assert get_refusal(perform_transition, ready_integration, "approve", actor=rob, now=frozen_now) == FIRST


@pytest.mark.parametrize("cause", ["role", "conflict"])
def test_first_reviewer_lost_before_the_undo_of_the_second_approval_withdraws_the_first(
    ready_integration: Integration, acme: Partner, rita: User, rob: User, frozen_now: datetime, cause: str
) -> None:
    User.objects.create(email="root@program.example", is_superuser=True)
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    perform_transition(ready_integration, "approve", actor=rob, now=frozen_now)
    if cause == "role":
        change_roles(rita, actor=None, reason="Another team", now=frozen_now, revoke=["reviewer"])
    else:
        conflicts.record_conflict(acme, rita, "I worked there.", actor=rita, now=frozen_now)
    perform_transition(ready_integration, "undo_decision", actor=rob, now=frozen_now)
    row = reload_row(ready_integration)
    (event,) = row.events.filter(event_type="review.first_approval_withdrawn")
    # No one was asked for a second approval while the decision could be undone.
    assert (row.first_approver, event.emails.count()) == (None, 0)


def test_first_approver_undoes_the_approval_until_the_second_reviewer_decides(
    ready_integration: Integration, alice: User, rita: User, rob: User, sign_in: Any, frozen_now: datetime
) -> None:
    claims.claim_review(ready_integration, actor=rita, now=frozen_now)
    partner_page = get_text(sign_in(alice).get(f"/integrations/{ready_integration.uuid}/"))
    client = sign_in(rita)
    page = f"/integrations/{ready_integration.uuid}/review/"
    confirmation = client.get(build_url(ready_integration, "approve_first"))
    assert "You can undo this until the second reviewer decides." in get_text(confirmation)
    assert confirmation.content.decode().count("js/decision.js") == 1
    submit_transition(client, ready_integration, "approve_first")
    undo = "You approved the integration as first reviewer You can undo this until the second reviewer decides."
    assert undo in get_text(client.get(page))
    assert undo not in get_text(sign_in(rob).get(page))
    submit_transition(sign_in(rita), ready_integration, "undo_first_approval")
    row = reload_row(ready_integration)
    assert (row.first_approver, row.reviewer, row.is_awaiting_second_reviewer) == (None, rita, False)
    event = row.events.get(event_type="review.first_approval_undone")
    (email,) = event.emails.all()
    assert (event.actor, event.internal, email.to) == ("Rita Reyes", True, rob.email)
    assert email.subject == "First approval undone: Rocket by Acme"
    assert "Waiting for Rita Reyes: Review Rocket. No action needed." in email.text
    assert get_text(sign_in(alice).get(f"/integrations/{ready_integration.uuid}/")) == partner_page
    assert get_refusal(perform_transition, ready_integration, "approve", actor=rob, now=frozen_now) == FIRST


def test_conflict_names_the_undo_of_the_first_approval_to_reviewers_only(
    ready_integration: Integration, alice: User, rita: User, rob: User, sign_in: Any, frozen_now: datetime
) -> None:
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    seen = {"version": reload_row(ready_integration).version}
    perform_transition(ready_integration, "undo_first_approval", actor=rita, now=frozen_now)
    claims.claim_review(ready_integration, actor=rob, now=frozen_now)  # which changes nothing that others see
    page = get_text(sign_in(rob).post(build_url(ready_integration, "approve"), {**seen, "note": ""}))
    assert page.count("Rita Reyes undid the approval as first reviewer (Tue, Apr 14, 2026, 9:00 AM UTC).") == 1
    refusal = get_refusal(perform_transition, ready_integration, "withdraw", actor=alice, now=frozen_now, **seen)
    assert refusal == "The portal answered “Test logs” (Tue, Apr 14, 2026, 9:00 AM UTC). Reload the page."


def test_first_approval_is_undone_only_by_its_reviewer_and_before_the_decision(
    ready_integration: Integration, rita: User, rob: User, frozen_now: datetime
) -> None:
    message = "You didn't approve this round, or the second reviewer has decided."
    perform_transition(ready_integration, "approve_first", actor=rita, now=frozen_now)
    assert (
        get_refusal(perform_transition, ready_integration, "undo_first_approval", actor=rob, now=frozen_now) == message
    )
    claims.claim_review(reload_row(ready_integration), actor=rob, now=frozen_now)
    perform_transition(ready_integration, "undo_first_approval", actor=rita, now=frozen_now)
    row = reload_row(ready_integration)
    (email,) = row.events.get(event_type="review.first_approval_undone").emails.all()
    assert (row.reviewer, email.to, "Action required: Review round 1" in email.text) == (rob, rob.email, True)
    perform_transition(ready_integration, "approve_first", actor=rob, now=frozen_now)
    perform_transition(ready_integration, "approve", actor=rita, now=frozen_now)
    assert "isn't available" in get_refusal(
        perform_transition, ready_integration, "undo_first_approval", actor=rob, now=frozen_now
    )
