"""Tests that a statement is confirmed only while what it is about is fulfilled, and again after that changes."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.presenters import build_row
from integrations.submissions.selectors import context
from integrations.submissions.services import findings, requirements, waivers
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import get_url, submit_action
from tests.portal.api.client import create_api_client
from tests.replay import replay_fixture

pytestmark = pytest.mark.any_database

SIGNED = "TP-SIG"
RELEASE = "TP-REL"
BLOCKER = "Complete “Published release” first."


@pytest.fixture
@replay_fixture
def provider(acme: Partner, alice: Any, now: datetime) -> Integration:
    """A Terraform provider in the step in which its release is published."""
    row = create_integration(acme, alice, "terraform-provider", category="infrastructure")
    fulfill_requirements(row, alice, now)
    perform_transition(reload_row(row), "complete_step", actor=alice, now=now)
    return reload_row(row)


def check_release(row: Integration, now: datetime, outcome: str = "pass") -> None:
    requirements.record_check_outcome(row, RELEASE, outcome=outcome, summary="Read.", detail=[], retry_at=None, now=now)


def confirm(row: Integration, requirement_id: str, by: Any, now: datetime) -> None:
    requirements.submit_answer(row, requirement_id, {"confirmed": True}, actor=by, now=now)


def get_status(row: Integration, requirement_id: str) -> str:
    requirement = next(r for r in row.edition.list_requirements() if r.id == requirement_id)
    return build_row(reload_row(row), requirement, row.created_at).display_status


def test_statement_is_refused_before_its_subject_is_fulfilled(
    provider: Integration, alice: Any, now: datetime, sign_in: Callable[[Any], Client]
) -> None:
    client = sign_in(alice)
    assert BLOCKER in get_text(client.get(get_url(provider, SIGNED)))
    answer = submit_action(client, provider, SIGNED, "confirm", confirmed="on")
    assert (answer.status_code, BLOCKER in get_text(answer)) == (409, True)
    with pytest.raises(ActionRefused, match=re.escape(BLOCKER)):
        confirm(provider, SIGNED, alice, now)
    path = f"/integrations/{provider.uuid}/requirements/{SIGNED}"
    response = create_api_client(alice).post(f"{path}/confirm", {"confirmed": True})
    assert (response.status_code, response.json()["detail"]) == (409, BLOCKER)
    detail = create_api_client(alice).get(path).json()
    assert (detail["blocker"], "confirm" in detail["available_actions"]) == (BLOCKER, False)
    assert reload_row(provider).fulfillments.filter(requirement_id=SIGNED).count() == 0


@pytest.mark.every_database
@pytest.mark.parametrize(("shown", "status"), [("TP-DOC", 302), ("TP-DOC,TP-VERIFY", 422)])
def test_all_statements_that_a_page_shows_are_confirmed_at_once(
    provider: Integration, alice: Any, now: datetime, sign_in: Callable[[Any], Client], shown: str, status: int
) -> None:
    for requirement in (r for r in provider.edition.list_requirements() if r.responsible_party == "portal"):
        requirements.record_check_outcome(
            provider, requirement.id, outcome="pass", summary="Read.", detail=[], retry_at=None, now=now
        )
    client = sign_in(alice)
    button = BeautifulSoup(client.get(get_url(provider, SIGNED)).content, "html.parser").find("button", {"name": "all"})
    assert button
    assert button["value"] == "TP-DOC"
    response = submit_action(client, provider, SIGNED, "confirm", all=shown)
    assert response.status_code == status
    assert ("confirm one of these statements now. Reload the page." in response.text) == (status == 422)
    confirmed = reload_row(provider).fulfillments.filter(requirement_id__in=[SIGNED, "TP-DOC"], status="submitted")
    assert confirmed.count() == (2 if status == 302 else 0)


def test_statement_is_accepted_after_its_subject(provider: Integration, alice: Any, now: datetime) -> None:
    check_release(provider, now)
    confirm(provider, SIGNED, alice, now)
    assert get_status(provider, SIGNED) == Status.SUBMITTED


def test_waived_subject_counts(provider: Integration, alice: Any, rita: Any, now: datetime) -> None:
    expires_at = now + timedelta(days=9)
    waivers.waive_requirement(provider, RELEASE, reason="Later.", expires_at=expires_at, actor=rita, now=now)
    confirm(provider, SIGNED, alice, now)
    assert get_status(provider, SIGNED) == Status.SUBMITTED


def test_next_action_is_the_subject_before_the_statement(provider: Integration, now: datetime) -> None:
    check_release(provider, now, outcome="fail")
    assert reload_row(provider).next_action_target == f"requirement:{RELEASE}"
    partner_ids = [item.id for item in context.list_partner_requirements(reload_row(provider), now)]
    assert partner_ids == [RELEASE]
    check_release(provider, now)
    assert reload_row(provider).next_action_target == f"requirement:{SIGNED}"


@pytest.fixture
@replay_fixture
def first_round(acme: Partner, alice: Any, rita: Any, now: datetime) -> Integration:
    """A Nomad integration in its first review, with everything that it needs for the approval."""
    row = advance_to_stage(create_integration(acme, alice, "nomad"), "review", partner=alice, reviewer=rita)
    fulfill_requirements(row, alice, now)
    return reload_row(row)


def test_statement_about_findings_is_not_needed_without_any(
    first_round: Integration, alice: Any, rita: Any, now: datetime
) -> None:
    assert get_status(first_round, "NO-5") == Status.NOT_APPLICABLE
    assert context.list_missing_next(first_round, now) == []
    with pytest.raises(ActionRefused, match="Needed only after a reviewer requests changes"):
        confirm(first_round, "NO-5", alice, now)
    perform_transition(first_round, "approve", actor=rita, now=now)
    assert reload_row(first_round).stage == "release"


def test_statement_about_findings_is_not_suggested_meanwhile(
    first_round: Integration, alice: Any, sign_in: Callable[[Any], Client]
) -> None:
    page = get_text(sign_in(alice).get(f"/integrations/{first_round.uuid}/"))
    assert "Waiting for the program" in page
    assert "Meanwhile" not in page


@pytest.mark.every_database
def test_statement_about_findings_waits_for_the_responses(
    first_round: Integration, alice: Any, rita: Any, now: datetime
) -> None:
    finding = findings.raise_finding(first_round, "NO-3", "Add tests.", actor=rita, now=now)
    assert get_status(first_round, "NO-5") == Status.NOT_APPLICABLE  # the partner doesn't see the finding yet
    perform_transition(reload_row(first_round), "request_changes", actor=rita, now=now)
    assert get_status(first_round, "NO-5") == Status.OPEN
    with pytest.raises(ActionRefused, match="Respond to 1 open finding first"):
        confirm(first_round, "NO-5", alice, now)
    findings.answer_finding(finding, "Added.", actor=alice, now=now)
    confirm(first_round, "NO-5", alice, now)
    assert get_status(first_round, "NO-5") == Status.SUBMITTED


def record_release_check(row: Integration, now: datetime, release: str = "v1.0.0", **subjects: str) -> None:
    """Record a passed check of the release, with the revisions that it inspected."""
    inspected_revisions = {"repository": "acme/terraform-provider-rocket", "release": release} | subjects
    detail = [{"key": "repository.release", "summary": "Read.", "subjects": inspected_revisions}]
    requirements.record_check_outcome(
        row, RELEASE, outcome="pass", summary="Read.", detail=detail, retry_at=None, now=now
    )


@pytest.fixture
@replay_fixture
def signed_provider(provider: Integration, alice: Any, now: datetime) -> Integration:
    """A provider whose partner has confirmed that its release v1.0.0 is signed."""
    record_release_check(provider, now)
    confirm(provider, SIGNED, alice, now)
    return reload_row(provider)


VOIDED = "requirement.confirmation_voided"


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("subjects", "reason"),
    [
        ({"release": "v1.1.0"}, "The release changed from v1.0.0 to v1.1.0. Confirm again."),
        (
            {"repository": "acme/terraform-provider-missile", "release": "v0.1.0"},
            "The repository changed from acme/terraform-provider-rocket to acme/terraform-provider-missile. "
            "Confirm again.",
        ),
    ],
)
def test_statement_is_void_after_its_subject_changed(
    signed_provider: Integration,
    alice: Any,
    now: datetime,
    sign_in: Callable[[Any], Client],
    subjects: dict[str, str],
    reason: str,
) -> None:
    record_release_check(signed_provider, now, **subjects)
    assert get_status(signed_provider, SIGNED) == Status.OPEN
    assert reload_row(signed_provider).next_action_target == f"requirement:{SIGNED}"
    event = signed_provider.events.get(event_type=VOIDED)
    assert (event.summary, event.note) == ("The portal asked to confirm “Signed release” again", reason)
    assert event.emails.count() == 0
    client = sign_in(alice)
    assert reason in get_text(client.get(get_url(signed_provider, SIGNED)))
    assert (
        create_api_client(alice).get(f"/integrations/{signed_provider.uuid}/requirements/{SIGNED}").json()["summary"]
        == reason
    )
    submit_action(client, signed_provider, SIGNED, "confirm", confirmed="on")
    assert get_status(signed_provider, SIGNED) == Status.SUBMITTED
    assert "Confirmed by Alice Archer" in get_text(client.get(get_url(signed_provider, SIGNED)))
    assert signed_provider.fulfillments.get(requirement_id=SIGNED).void_reason == ""


@pytest.mark.parametrize(
    "subjects", [{}, {"commit": "0a1b2c"}, {"repository": "Acme/Terraform-Provider-Rocket"}, {"release": ""}]
)
def test_statement_stays_valid_while_its_subject_is_the_same(
    signed_provider: Integration, now: datetime, subjects: dict[str, str]
) -> None:
    record_release_check(signed_provider, now, **subjects)
    assert get_status(signed_provider, SIGNED) == Status.SUBMITTED
    assert signed_provider.events.filter(event_type=VOIDED).count() == 0


@pytest.mark.every_database
def test_outage_does_not_hide_a_change(signed_provider: Integration, now: datetime) -> None:
    check_release(signed_provider, now, outcome="error")
    detail = [{"key": "repository.release", "summary": "Unclear."}]
    requirements.record_check_outcome(
        signed_provider, RELEASE, outcome="not_run", summary="Unclear.", detail=detail, retry_at=None, now=now
    )
    assert get_status(signed_provider, SIGNED) == Status.SUBMITTED
    record_release_check(signed_provider, now, release="v1.1.0")
    assert get_status(signed_provider, SIGNED) == Status.OPEN


def test_statements_are_not_voided_in_support(acme: Partner, alice: Any, rita: Any, now: datetime) -> None:
    row = create_integration(acme, alice, "terraform-provider", category="infrastructure")
    row = advance_to_stage(row, "support", partner=alice, reviewer=rita, now=now)
    record_release_check(row, now)
    record_release_check(row, now, release="v1.1.0")
    assert get_status(row, SIGNED) == Status.SUBMITTED
    assert row.events.filter(event_type=VOIDED).count() == 0


@pytest.fixture
@replay_fixture
def second_round(first_round: Integration, alice: Any, rita: Any, now: datetime) -> Integration:
    """A second review: the partner has confirmed that the finding of the first one has a response."""
    finding = findings.raise_finding(first_round, "NO-3", "Add tests.", actor=rita, now=now)
    perform_transition(reload_row(first_round), "request_changes", actor=rita, now=now)
    findings.answer_finding(finding, "Added.", actor=alice, now=now)
    confirm(first_round, "NO-5", alice, now)
    perform_transition(reload_row(first_round), "resubmit_for_review", actor=alice, now=now + timedelta(minutes=11))
    findings.verify_finding(finding, actor=rita, now=now)
    return reload_row(first_round)


def test_new_finding_voids_the_statement_when_it_is_sent(second_round: Integration, rita: Any, now: datetime) -> None:
    findings.raise_finding(second_round, "NO-3", "Add docs.", actor=rita, now=now)
    assert get_status(second_round, "NO-5") == Status.SUBMITTED
    perform_transition(reload_row(second_round), "request_changes", actor=rita, now=now)
    assert get_status(second_round, "NO-5") == Status.OPEN
    reason = "The reviewer requested more changes. Respond to each finding, then confirm again."
    assert second_round.fulfillments.get(requirement_id="NO-5").void_reason == reason
    assert second_round.events.get(event_type=VOIDED).note == reason


def test_undone_request_for_changes_restores_the_statement(second_round: Integration, rita: Any, now: datetime) -> None:
    findings.raise_finding(second_round, "NO-3", "Add docs.", actor=rita, now=now)
    perform_transition(reload_row(second_round), "request_changes", actor=rita, now=now)
    perform_transition(reload_row(second_round), "undo_decision", actor=rita, now=now)
    assert get_status(second_round, "NO-5") == Status.SUBMITTED
    assert second_round.fulfillments.get(requirement_id="NO-5").void_reason == ""


def test_undone_request_for_changes_restores_no_statement_that_a_reopened_finding_voided(
    second_round: Integration, rita: Any, now: datetime
) -> None:
    findings.reopen_finding(second_round.findings.get(), actor=rita, now=now)
    perform_transition(reload_row(second_round), "request_changes", actor=rita, now=now)
    perform_transition(reload_row(second_round), "undo_decision", actor=rita, now=now)
    assert get_status(second_round, "NO-5") == Status.OPEN


@pytest.mark.every_database
def test_reopened_finding_voids_the_statement(second_round: Integration, rita: Any, now: datetime) -> None:
    findings.reopen_finding(second_round.findings.get(), actor=rita, now=now)
    assert get_status(second_round, "NO-5") == Status.OPEN
