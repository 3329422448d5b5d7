"""Tests of the transition page."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.partners.models import Membership, Partner
from integrations.reviews.presence import WRITING, note_presence
from integrations.submissions.models import Integration, ReadMarker
from integrations.submissions.services import findings
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.integrations.reviews.transition_page import build_url, submit_transition

pytestmark = pytest.mark.any_database

SignIn = Any


def test_decision_is_made_reported_and_can_be_undone(
    ready_integration: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    response = submit_transition(client, ready_integration, "approve", note="Well done.")
    assert response["Location"] == f"/integrations/{ready_integration.uuid}/review/"
    text = get_text(client.get(response["Location"]))
    assert "You approved the integration You can undo this decision until Tue, Apr 14, 9:10 AM UTC ." in text
    assert (
        reload_row(ready_integration).stage,
        EmailMessage.objects.get(event__event_type="integration.approved").state,
    ) == (
        "release",
        "held",
    )
    undone = submit_transition(client, ready_integration, "undo_decision")
    assert "You undid the decision." in get_text(client.get(undone["Location"]))
    assert (
        reload_row(ready_integration).stage,
        EmailMessage.objects.get(event__event_type="integration.approved").state,
    ) == (
        "review",
        "canceled",
    )


def test_partner_performs_a_transition_and_returns_to_the_integration_page(
    rocket: Integration, alice: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(alice)
    refused = submit_transition(client, rocket, "withdraw", note="We need longer.", confirm_name="rocket")
    assert (refused.status_code, "Enter the name “Rocket” to confirm." in get_text(refused)) == (422, True)
    response = submit_transition(client, rocket, "withdraw", note="We need longer.", confirm_name="Rocket")
    assert response["Location"] == f"/integrations/{rocket.uuid}/"
    assert "You withdrew the integration." in get_text(client.get(response["Location"]))
    event = rocket.events.get(event_type="integration.withdrawn")
    assert (reload_row(rocket).stage, event.note, event.actor) == ("withdrawn", "We need longer.", "Alice Archer")


def test_transition_updates_read_marker(ready_integration: Integration, rita: User, sign_in: SignIn) -> None:
    submit_transition(sign_in(rita), ready_integration, "decline", note="No.")
    marker = ReadMarker.objects.filter(integration=ready_integration, user=rita).first()
    assert marker is not None
    assert marker.seq == ready_integration.events.get(event_type="integration.declined").seq


@pytest.mark.parametrize("waits_for", ["third_party", "partner", "program"])
def test_hold_records_the_party_that_it_waits_for(
    ready_integration: Integration, rita: User, sign_in: SignIn, waits_for: str
) -> None:
    submit_transition(
        sign_in(rita), ready_integration, "put_on_hold", note="The registry is closed.", waits_for=waits_for
    )
    row = reload_row(ready_integration)
    assert (row.on_hold_for, row.responsible_party, row.hold_reason) == (
        waits_for,
        waits_for,
        "The registry is closed.",
    )


@pytest.mark.parametrize(
    ("waits_for", "sentence"),
    [
        ("partner", "Action required: Resolve the hold “The registry is closed”."),
        (
            "program",
            "Waiting for the program: Resolve the hold “The registry is closed” by Tue, Apr 28, 9:00 AM UTC. "
            "No action needed.",
        ),
        ("third_party", "No action needed."),
    ],
)
def test_email_about_a_hold_says_who_must_act(
    ready_integration: Integration, rita: User, sign_in: SignIn, waits_for: str, sentence: str
) -> None:
    submit_transition(
        sign_in(rita), ready_integration, "put_on_hold", note="The registry is closed.", waits_for=waits_for
    )
    assert EmailMessage.objects.get(name="integration_on_hold").text.split("\n")[0] == sentence


def test_hold_for_an_unknown_party_is_shown_as_field_error(
    ready_integration: Integration, rita: User, sign_in: SignIn
) -> None:
    response = submit_transition(sign_in(rita), ready_integration, "put_on_hold", note="Why.", waits_for="the moon")
    assert response.status_code == 422
    assert "the moon is not one of the available choices" in get_text(response)
    assert "Why." in get_text(response, "textarea")
    assert reload_row(ready_integration).on_hold_for == ""


def test_tier_is_requested(
    edition_2026: None, integration_at: Any, alice: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = integration_at("support", program="terraform-provider")
    tier = next(t for t in row.edition.tiers if t.on_request)
    response = sign_in(alice).get(build_url(row, "request_tier") + f"?tier={tier.key}")
    assert tier.name in get_text(response)
    submit_transition(sign_in(alice), row, "request_tier", tier=tier.key)
    assert reload_row(row).tier_request == tier.key


@pytest.mark.parametrize("note", ["", "  \n "])
def test_missing_reason_is_shown_as_field_error(
    ready_integration: Integration, rita: User, sign_in: SignIn, note: str
) -> None:
    response = submit_transition(sign_in(rita), ready_integration, "decline", note=note)
    assert response.status_code == 422
    assert "Enter a reason. We record it with the decision." in get_text(response)
    assert reload_row(ready_integration).stage == "review"


def test_conflict_shows_last_change_once_and_retains_note(
    ready_integration: Integration, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    perform_transition(ready_integration, "put_on_hold", actor=rob, note="Wait.", waits_for="partner", now=frozen_now)
    response = sign_in(rita).post(
        build_url(ready_integration, "decline"), {"version": ready_integration.version, "note": "Typed with care."}
    )
    assert response.status_code == 409
    text = get_text(response)
    assert text.count("Rob Roth put the integration on hold") == 1
    assert "Rob Roth put the integration on hold (Tue, Apr 14, 2026, 9:00 AM UTC). Reload the page." in text
    assert "Typed with care." in get_text(response, "textarea")
    assert reload_row(ready_integration).stage == "review"


def test_note_is_kept_if_the_transition_is_no_longer_possible(
    ready_integration: Integration, rita: User, rob: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    perform_transition(ready_integration, "decline", actor=rob, note="No.", now=frozen_now)
    response = sign_in(rita).post(
        build_url(ready_integration, "approve"), {"version": ready_integration.version, "note": "Typed with care."}
    )
    assert response.status_code == 409
    assert "Rob Roth declined the integration (" in get_text(response)
    assert "Typed with care." in get_text(response)


def test_double_submission_performs_transition_once(
    ready_integration: Integration, rita: User, sign_in: SignIn
) -> None:
    client = sign_in(rita)
    body = {"version": ready_integration.version, "note": "No."}
    assert client.post(build_url(ready_integration, "decline"), body).status_code == 302
    assert client.post(build_url(ready_integration, "decline"), body).status_code == 409
    assert ready_integration.events.filter(event_type="integration.declined").count() == 1


def test_transition_that_is_not_ready_is_refused(
    integration_at: Any, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = integration_at("review")
    findings.raise_finding(row, row.edition.list_requirements()[0].id, "Sign it.", actor=rita, now=frozen_now)
    response = submit_transition(sign_in(rita), row, "approve")
    assert response.status_code == 422
    assert reload_row(row).stage == "review"


def test_partner_cannot_perform_a_transition_of_reviewers(
    ready_integration: Integration, alice: User, sign_in: SignIn
) -> None:
    client = sign_in(alice)
    for response in (
        client.get(build_url(ready_integration, "approve")),
        submit_transition(client, ready_integration, "approve"),
    ):
        assert response.status_code == 403
        assert "Only reviewers of the program can do this" in get_text(response)
    assert reload_row(ready_integration).stage == "review"


def test_reviewer_cannot_decide_on_their_own_partner(
    ready_integration: Integration, acme: Partner, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rita, role="viewer", joined_at=frozen_now)
    response = submit_transition(sign_in(rita), ready_integration, "approve")
    assert response.status_code == 403
    assert "Reviewers can't decide on their own company" in get_text(response)
    assert reload_row(ready_integration).stage == "review"


def test_transition_page_of_another_partner_is_not_found(
    ready_integration: Integration, charlie: User, sign_in: SignIn
) -> None:
    client = sign_in(charlie)
    assert client.get(build_url(ready_integration, "withdraw")).status_code == 404
    assert submit_transition(client, ready_integration, "withdraw").status_code == 404
    assert reload_row(ready_integration).stage == "review"


@pytest.mark.parametrize("name", ["save", "verify", "delete", "zzz", "__init__"])
def test_unknown_transition_is_not_found(
    ready_integration: Integration, rita: User, sign_in: SignIn, name: str
) -> None:
    client = sign_in(rita)
    assert client.get(f"/integrations/{ready_integration.uuid}/transitions/{name}/").status_code == 404
    assert submit_transition(client, ready_integration, name).status_code == 404


@pytest.mark.parametrize(("version", "status"), [("", 422), ("x", 422), ("-1", 422), ("9" * 30, 409)])
def test_invalid_version_is_refused(
    ready_integration: Integration, rita: User, sign_in: SignIn, version: str, status: int
) -> None:
    response = sign_in(rita).post(build_url(ready_integration, "decline"), {"version": version, "note": "No."})
    assert response.status_code == status
    assert reload_row(ready_integration).stage == "review"


@pytest.mark.parametrize("page", ["reopen", "undo_decision"])
@pytest.mark.parametrize(
    ("decision", "email", "label"),
    [
        ("withdraw", "alice@acme.example", "Note for the program"),
        ("decline", "rita@program.example", "Note for the partner"),
    ],
)
def test_note_is_for_the_other_side(
    ready_integration: Integration,
    rita: User,
    sign_in: SignIn,
    frozen_now: datetime,
    decision: str,
    email: str,
    label: str,
    page: str,
) -> None:
    actor = User.objects.get(email=email)
    perform_transition(ready_integration, decision, actor=actor, note="Not now.", now=frozen_now)
    assert label in get_text(sign_in(actor).get(build_url(ready_integration, page)))


def test_decision_is_final_after_the_undo_period(
    ready_integration: Integration, rita: User, sign_in: SignIn, frozen_now: datetime, time_machine: Any
) -> None:
    client = sign_in(rita)
    submit_transition(client, ready_integration, "approve")
    time_machine.move_to(frozen_now + timedelta(minutes=10), tick=False)
    response = submit_transition(client, ready_integration, "undo_decision")
    assert response.status_code == 422
    assert "You can't undo this decision. We already sent the email." in get_text(response)


def test_staff_of_the_company_stay_on_its_page(
    ready_integration: Integration, alice: User, rob: User, sign_in: Any
) -> None:
    User.objects.filter(pk=alice.pk).update(is_reviewer=True)
    note_presence(ready_integration, rob, WRITING)
    client = sign_in(alice)
    assert "Rob Roth" not in get_text(client.get(build_url(ready_integration, "withdraw")))
    response = submit_transition(client, ready_integration, "withdraw", confirm_name=ready_integration.name)
    assert response.headers["Location"] == f"/integrations/{ready_integration.uuid}/"


def test_note_survives_a_lost_session(
    ready_integration: Integration, rita: User, client: Any, frozen_now: datetime
) -> None:
    response = client.post(
        build_url(ready_integration, "decline"), {"version": ready_integration.version, "note": "Typed for an hour."}
    )
    assert response.status_code == 302
    client.force_login(rita, backend="django.contrib.auth.backends.ModelBackend")
    response = client.get(build_url(ready_integration, "decline"))
    assert response.status_code == 200
    assert "Typed for an hour." in get_text(response, "textarea")
    assert reload_row(ready_integration).stage == "review"


def test_long_reason_of_the_portal_for_a_hold_is_shortened(ready_integration: Integration) -> None:
    perform_transition(ready_integration, "put_on_hold", actor=None, note="x" * 600)
    assert reload_row(ready_integration).hold_reason == "x" * 500
