"""Tests of the transition page."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.partners.models import Membership, Partner
from integrations.submissions.models import Integration, ReadMarker
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.integrations.page_text import text_of
from tests.integrations.reviews.conftest import fresh
from tests.integrations.reviews.transition_page import build_url, perform

pytestmark = pytest.mark.any_database

SignIn = Any


# -- success -------------------------------------------------------------------------------------------------


def test_decision_is_made_reported_and_can_be_undone(
    ready: Integration, alice: User, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    client = sign_in(rita)
    response = perform(client, ready, "approve", note="Well done.")
    assert response["Location"] == f"/integrations/{ready.uuid}/review/"
    text = text_of(client.get(response["Location"]))
    assert "You approved the integration You can undo this decision until Tue, Apr 14, 9:10 AM UTC ." in text
    assert (fresh(ready).stage, EmailMessage.objects.get(event__event_type="integration.approved").state) == (
        "release",
        "held",
    )
    undone = perform(client, ready, "undo_decision")
    assert "You undid the decision." in text_of(client.get(undone["Location"]))
    assert (fresh(ready).stage, EmailMessage.objects.get(event__event_type="integration.approved").state) == (
        "review",
        "canceled",
    )


def test_partner_performs_a_transition_and_returns_to_the_integration_page(
    rocket: Integration, alice: User, sign_in: SignIn, moment: datetime
) -> None:
    client = sign_in(alice)
    refused = perform(client, rocket, "withdraw", note="We need longer.", confirm_name="rocket")
    assert (refused.status_code, "Enter the name “Rocket” to confirm." in text_of(refused)) == (422, True)
    response = perform(client, rocket, "withdraw", note="We need longer.", confirm_name="Rocket")
    assert response["Location"] == f"/integrations/{rocket.uuid}/"
    assert "You withdrew the integration." in text_of(client.get(response["Location"]))
    event = rocket.events.get(event_type="integration.withdrawn")
    assert (fresh(rocket).stage, event.note, event.actor) == ("withdrawn", "We need longer.", "Alice Archer")


def test_transition_updates_read_marker(ready: Integration, rita: User, sign_in: SignIn) -> None:
    perform(sign_in(rita), ready, "decline", note="No.")
    marker = ReadMarker.objects.filter(integration=ready, user=rita).first()
    assert marker is not None
    assert marker.seq == ready.events.get(event_type="integration.declined").seq


@pytest.mark.parametrize("waits_for", ["third_party", "partner", "program"])
def test_hold_records_the_party_that_it_waits_for(
    ready: Integration, rita: User, sign_in: SignIn, waits_for: str
) -> None:
    perform(sign_in(rita), ready, "put_on_hold", note="The registry is closed.", waits_for=waits_for)
    row = fresh(ready)
    assert (row.on_hold_for, row.responsible_party, row.hold_reason) == (
        waits_for,
        waits_for,
        "The registry is closed.",
    )


def test_hold_for_an_unknown_party_is_shown_as_field_error(ready: Integration, rita: User, sign_in: SignIn) -> None:
    response = perform(sign_in(rita), ready, "put_on_hold", note="Why.", waits_for="the moon")
    assert response.status_code == 422
    assert "the moon is not one of the available choices" in text_of(response)
    assert "Why." in text_of(response, "textarea")
    assert fresh(ready).on_hold_for == ""


def test_tier_is_requested(edition_2026: None, at: Any, alice: User, sign_in: SignIn, moment: datetime) -> None:
    row = at("support", program="terraform-provider")
    tier = next(t for t in row.edition.tiers if t.on_request)
    response = sign_in(alice).get(build_url(row, "request_tier") + f"?tier={tier.key}")
    assert tier.name in text_of(response)
    perform(sign_in(alice), row, "request_tier", tier=tier.key)
    assert fresh(row).tier_request == tier.key


# -- refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("note", ["", "  \n "])
def test_missing_reason_is_shown_as_field_error(ready: Integration, rita: User, sign_in: SignIn, note: str) -> None:
    response = perform(sign_in(rita), ready, "decline", note=note)
    assert response.status_code == 422
    assert "Enter a reason. We record it with the decision." in text_of(response)
    assert fresh(ready).stage == "review"


def test_conflict_shows_last_change_and_retains_note(
    ready: Integration, rita: User, rob: User, sign_in: SignIn, moment: datetime
) -> None:
    perform_transition(ready, "put_on_hold", actor=rob, note="Wait.", waits_for="partner", now=moment)
    response = sign_in(rita).post(build_url(ready, "decline"), {"version": ready.version, "note": "Typed with care."})
    assert response.status_code == 409
    text = text_of(response)
    assert "Rob Roth put the integration on hold (" in text
    assert "Last change: Rob Roth put the integration on hold, Tue, Apr 14, 9:00 AM" in text
    assert "Typed with care." in text_of(response, "textarea")
    assert fresh(ready).stage == "review"


def test_note_is_kept_if_the_transition_is_no_longer_possible(
    ready: Integration, rita: User, rob: User, sign_in: SignIn, moment: datetime
) -> None:
    perform_transition(ready, "decline", actor=rob, note="No.", now=moment)
    response = sign_in(rita).post(build_url(ready, "approve"), {"version": ready.version, "note": "Typed with care."})
    assert response.status_code == 409
    assert "Rob Roth declined the integration (" in text_of(response)
    assert "Typed with care." in text_of(response)


def test_double_submission_performs_transition_once(ready: Integration, rita: User, sign_in: SignIn) -> None:
    client, body = sign_in(rita), {"version": ready.version, "note": "No."}
    assert client.post(build_url(ready, "decline"), body).status_code == 302
    assert client.post(build_url(ready, "decline"), body).status_code == 409
    assert ready.events.filter(event_type="integration.declined").count() == 1


def test_transition_that_is_not_ready_is_refused(at: Any, rita: User, sign_in: SignIn, moment: datetime) -> None:
    row = at("review")
    findings.raise_finding(row, row.edition.requirements()[0].id, "Sign it.", actor=rita, now=moment)
    response = perform(sign_in(rita), row, "approve")
    assert response.status_code == 422
    assert fresh(row).stage == "review"


def test_partner_cannot_perform_a_transition_of_reviewers(ready: Integration, alice: User, sign_in: SignIn) -> None:
    client = sign_in(alice)
    for response in (client.get(build_url(ready, "approve")), perform(client, ready, "approve")):
        assert response.status_code == 403
        assert "Only reviewers of the program can do this" in text_of(response)
    assert fresh(ready).stage == "review"


def test_reviewer_cannot_decide_on_their_own_partner(
    ready: Integration, acme: Partner, rita: User, sign_in: SignIn, moment: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rita, role="viewer", joined_at=moment)
    response = perform(sign_in(rita), ready, "approve")
    assert response.status_code == 403
    assert "Reviewers can't decide on their own company" in text_of(response)
    assert fresh(ready).stage == "review"


def test_transition_page_of_another_partner_is_not_found(ready: Integration, charlie: User, sign_in: SignIn) -> None:
    client = sign_in(charlie)
    assert client.get(build_url(ready, "withdraw")).status_code == 404
    assert perform(client, ready, "withdraw").status_code == 404
    assert fresh(ready).stage == "review"


@pytest.mark.parametrize("step", ["save", "verify", "delete", "zzz", "__init__"])
def test_unknown_transition_is_not_found(ready: Integration, rita: User, sign_in: SignIn, step: str) -> None:
    client = sign_in(rita)
    assert client.get(f"/integrations/{ready.uuid}/steps/{step}/").status_code == 404
    assert perform(client, ready, step).status_code == 404


@pytest.mark.parametrize("version", ["", "x", "-1", "9" * 30])
def test_invalid_version_is_refused(ready: Integration, rita: User, sign_in: SignIn, version: str) -> None:
    response = sign_in(rita).post(build_url(ready, "decline"), {"version": version, "note": "No."})
    assert response.status_code in (409, 422)
    assert fresh(ready).stage == "review"


def test_decision_is_final_after_the_undo_period(
    ready: Integration, rita: User, sign_in: SignIn, moment: datetime, time_machine: Any
) -> None:
    client = sign_in(rita)
    perform(client, ready, "approve")
    time_machine.move_to(moment + timedelta(minutes=10), tick=False)
    response = perform(client, ready, "undo_decision")
    assert response.status_code == 422
    assert "You can't undo this decision. We already sent the email." in text_of(response)


def test_note_survives_a_lost_session(ready: Integration, rita: User, client: Any, moment: datetime) -> None:
    response = client.post(build_url(ready, "decline"), {"version": ready.version, "note": "Typed for an hour."})
    assert response.status_code == 302
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    response = client.get(build_url(ready, "decline"))
    assert response.status_code == 200
    assert "Typed for an hour." in text_of(response, "textarea")
    assert fresh(ready).stage == "review"
