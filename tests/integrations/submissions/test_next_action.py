"""Tests that next actions and queue reasons are rendered in the reader's language."""

import pytest

from integrations.submissions.selectors import context
from integrations.submissions.selectors.queue_reasons import list_reasons
from integrations.submissions.workflow.next_action import COUNTED_SENTENCES, TEXTS, render_sentence
from integrations.submissions.workflow.states import (
    COMPLIANCE_ACTIONS,
    IDLE_ACTIONS,
    ComplianceStatus,
    IntegrationSnapshot,
    ListingStatus,
    OpenRequirement,
    ResponsibleParty,
    ReviewState,
    Stage,
    determine_next_action,
)
from tests.conftest import NOW
from tests.portal import pseudo

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


@pytest.mark.parametrize("code", [*TEXTS, *COUNTED_SENTENCES])
def test_sentence_is_translated(code: str) -> None:
    with pseudo.activate_pseudo_language():
        assert code == "requirement" or render_sentence(code, VALUES).startswith(pseudo.OPEN)


@pytest.mark.parametrize("snapshot", FACTS)
def test_next_action_is_rendered_in_the_readers_language(snapshot: IntegrationSnapshot) -> None:
    action = determine_next_action(snapshot)
    assert action is not None
    sentence = action.render()
    assert pseudo.OPEN not in sentence
    assert "%(" not in sentence
    with pseudo.activate_pseudo_language():
        assert action.render().startswith(pseudo.OPEN)
        assert all(render_sentence(**reason) for reason in list_reasons(snapshot))


def test_sentence_within_a_sentence_is_rendered() -> None:
    request = {"code": "sla_breaches", "params": {"count": 2, "days": 90}}
    sentence = "Decide on the compliance request: 2 SLA breaches within 90 days"
    assert render_sentence("decide_on_request", {"request": request}) == sentence


def test_every_requirement_action_has_a_label_and_a_sentence() -> None:
    used_codes = {*context.ACTIONS_BY_KIND.values(), *context.OTHER_PARTY_ACTIONS.values()}
    labeled_codes = {code for code, text in TEXTS.items() if text.label}
    assert used_codes | {"choose_time"} == labeled_codes


def test_no_code_has_no_sentence() -> None:
    assert render_sentence("", {}) == ""
