"""Tests that next actions and queue reasons are rendered in the reader's language."""

from collections.abc import Callable
from datetime import datetime

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse

from integrations.partners.models import VerificationState
from integrations.programs.requirements import KINDS
from integrations.submissions.models import Integration
from integrations.submissions.selectors import context
from integrations.submissions.services.changes import refresh_due_integrations
from integrations.submissions.services.findings import raise_finding
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.actions import (
    COMPLIANCE_ACTIONS,
    IDLE_ACTIONS,
    SIGNATURE_ACTIONS,
    determine_next_action,
    list_actions,
    list_reasons,
)
from integrations.submissions.workflow.next_action import COUNTED_TEXTS, TEXTS, render_action_text
from integrations.submissions.workflow.states import (
    ComplianceStatus,
    IntegrationSnapshot,
    ListingStatus,
    OpenRequirement,
    ResponsibleParty,
    ReviewState,
    Stage,
)
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.conftest import NOW
from tests.portal import pseudo_language
from tests.portal.api.client import create_api_client

VALUES = {
    name: "7" for name in ("title", "step", "round", "reason", "tier", "request", "days", "factor", "old", "new")
} | {"count": 7, "until": NOW.isoformat()}
ITEM = (OpenRequirement("X-1", "Logs", ResponsibleParty.PARTNER, "upload"),)
REVIEW = {"stage": Stage.REVIEW, "step": "Review"}
SUPPORT = {"stage": Stage.SUPPORT, "step": "Support"}
FACTS = (
    IntegrationSnapshot(Stage.ENGAGE, "Engage"),
    IntegrationSnapshot(Stage.RELEASE, "Release", undo_until=NOW),
    IntegrationSnapshot(Stage.ENGAGE, "Engage", next_stage=Stage.REVIEW),
    IntegrationSnapshot(Stage.ENGAGE, "Engage", on_hold_for=ResponsibleParty.PROGRAM, hold_reason="Legal reviews it."),
    IntegrationSnapshot(Stage.RELEASE, "Release"),
    IntegrationSnapshot(Stage.DEVELOP, "Develop", missing=ITEM),
    IntegrationSnapshot(**REVIEW, review=ReviewState.WAITING, round=2),
    IntegrationSnapshot(**REVIEW, review=ReviewState.CHANGES),
    IntegrationSnapshot(**REVIEW, review=ReviewState.CHANGES, open_findings=1),
    IntegrationSnapshot(**REVIEW, review=ReviewState.CHANGES, open_findings=3),
    IntegrationSnapshot(**SUPPORT, listing_status=ListingStatus.LISTED),
    IntegrationSnapshot(**SUPPORT, listing_status=ListingStatus.LISTED, tier_request="Premier"),
    IntegrationSnapshot(
        **SUPPORT,
        listing_status=ListingStatus.LISTED,
        process=ComplianceStatus.REQUESTED,
        compliance_request="sla_breaches",
        compliance_request_params={"count": 2, "days": 90},
    ),
    *(
        IntegrationSnapshot(**SUPPORT, listing_status=listing_status, process=process)
        for listing_status, process in COMPLIANCE_ACTIONS
    ),
    *(IntegrationSnapshot(**SUPPORT, listing_status=listing_status) for listing_status in IDLE_ACTIONS),
)


@pytest.mark.parametrize("code", [*TEXTS, *COUNTED_TEXTS])
def test_action_text_is_translated(code: str) -> None:
    with pseudo_language.activate_pseudo_language():
        assert code == "requirement" or render_action_text(code, VALUES).startswith(pseudo_language.OPEN)


@pytest.mark.parametrize("snapshot", FACTS)
def test_next_action_is_rendered_in_the_readers_language(snapshot: IntegrationSnapshot) -> None:
    action = determine_next_action(snapshot)
    assert action is not None
    text = action.render()
    assert pseudo_language.OPEN not in text
    assert "%(" not in text
    with pseudo_language.activate_pseudo_language():
        assert action.render().startswith(pseudo_language.OPEN)
        assert all(render_action_text(**reason) for reason in list_reasons(snapshot))


def test_action_text_within_another_is_rendered() -> None:
    request = {"code": "sla_breaches", "params": {"count": 2, "days": 90}}
    text = "Decide on the compliance request “2 SLA breaches within 90 days”"
    assert render_action_text("decide_on_request", {"request": request}) == text


def test_every_requirement_action_has_a_label_and_a_text() -> None:
    used_codes = {*(kind.action for kind in KINDS.values()), *context.OTHER_PARTY_ACTIONS.values()}
    used_codes |= set(SIGNATURE_ACTIONS.values())
    labeled_codes = {code for code, text in TEXTS.items() if text.label}
    assert used_codes | {"choose_time", "connect_github"} == labeled_codes


def test_empty_code_has_no_text() -> None:
    assert render_action_text("", {}) == ""


TEST = OpenRequirement("X-2", "Test", ResponsibleParty.PORTAL, "run_check")
CALL = OpenRequirement("X-3", "Call", ResponsibleParty.PARTNER, "choose_time")
SIGNATURE = OpenRequirement("X-5", "TPA", ResponsibleParty.PROGRAM, "sign_for_program")
CONFIRMATION = OpenRequirement("X-6", "Demo", ResponsibleParty.PROGRAM, "complete")
STATEMENT = OpenRequirement("X-4", "Tested", ResponsibleParty.PARTNER, "confirm", is_blocked=True)


@pytest.mark.parametrize(
    ("snapshot", "actions"),
    [
        (IntegrationSnapshot(Stage.WITHDRAWN, "Engage"), []),
        (
            IntegrationSnapshot(
                Stage.DEVELOP, "Develop", missing=(TEST, *ITEM, STATEMENT), on_hold_for=ResponsibleParty.PROGRAM
            ),
            ["program on_hold", "partner upload", "portal run_check"],
        ),
        (
            IntegrationSnapshot(Stage.DEVELOP, "Develop", missing=(SIGNATURE, CONFIRMATION)),
            ["program complete", "program sign_for_program"],
        ),
        (
            IntegrationSnapshot(Stage.RELEASE, "Release", missing=ITEM, company=VerificationState.UNVERIFIED),
            ["partner upload", "partner verify_partner"],
        ),
        (
            IntegrationSnapshot(
                **REVIEW, review=ReviewState.WAITING, missing=(*ITEM, CALL, STATEMENT), partner_requests=(CALL,)
            ),
            ["partner choose_time", "program review", "partner upload"],
        ),
        (
            IntegrationSnapshot(
                **REVIEW,
                review=ReviewState.CHANGES,
                open_findings=2,
                missing=(TEST, *ITEM),
                company=VerificationState.REJECTED,
            ),
            ["partner respond_to_findings", "partner upload", "partner rename_partner"],
        ),
        (
            IntegrationSnapshot(
                **SUPPORT,
                listing_status=ListingStatus.ON_NOTICE,
                process=ComplianceStatus.RUNNING,
                missing=(TEST, *ITEM),
                tier_request="Premier",
            ),
            ["partner respond_to_notice", "partner upload", "portal run_check", "program decide_on_tier"],
        ),
    ],
)
def test_actions_are_listed_most_urgent_first(snapshot: IntegrationSnapshot, actions: list[str]) -> None:
    assert [f"{action.responsible_party} {action.code}" for action in list_actions(snapshot)] == actions


def test_page_email_and_api_show_the_same_actions(
    integration_at: Callable[..., Integration], client: Client, alice: User, rita: User, now: datetime
) -> None:
    row = integration_at("review")
    raise_finding(row, row.edition.list_requirements()[0].id, "Describe the limits.", actor=rita, now=now)
    client.force_login(rita)
    review = BeautifulSoup(client.get(reverse("reviews:review", args=[row.uuid])).content, "html.parser")
    perform_transition(row, "request_changes", actor=rita, now=now)
    message = EmailMessage.objects.get(event__event_type="review.changes_requested")
    row = Integration.objects.get(pk=row.pk)
    assert row.undo_until is not None
    refresh_due_integrations(row.undo_until)
    row.refresh_from_db()
    actions = create_api_client(alice).get(f"/integrations/{row.uuid}").json()["actions"]
    client.force_login(alice)
    page = client.get(reverse("submissions:detail", args=[row.uuid])).content.decode()
    assert actions[0]["action"] == row.next_action_label == "Respond to 1 finding"
    assert "Respond to 1 finding" in page
    assert message.text.startswith("Action required: Respond to 1 finding.")
    requirements = [row.edition.get_requirement(action["requirement"]).title for action in actions[1:]]
    listed = [line.split(": ")[1].split(" (")[0] for line in message.text.splitlines() if line.startswith("- ")]
    assert (
        requirements
        == listed
        == [link.get_text(strip=True) for link in review.select("#actions ul:first-of-type li > a")]
    )
