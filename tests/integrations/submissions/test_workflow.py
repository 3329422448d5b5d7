"""Tests of workflow transitions."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from integrations.partners.models import Partner
from integrations.reviews.services import claims
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors.context import build_snapshot
from integrations.submissions.services import findings, requirements as answers, waivers
from integrations.submissions.services.changes import refresh_due_integrations
from integrations.submissions.services.transitions import list_available_transitions, perform_transition
from integrations.submissions.workflow.actions import determine_next_action
from portal.core.errors import ActionRefused
from tests.conftest import create_integration, fulfill_requirements
from tests.integrations.database_rows import reload_row


def list_event_types(row: Integration) -> list[str]:
    return list(row.events.order_by("seq").values_list("event_type", flat=True))


def test_new_integration_is_at_the_first_step_and_waits_for_the_partner(rocket: Integration) -> None:
    assert (rocket.stage, rocket.step, rocket.responsible_party) == ("engage", "engage", "partner")
    assert list_event_types(rocket) == ["integration.created"]


def test_step_is_refused_while_a_requirement_is_open(rocket: Integration, alice: Any, now: datetime) -> None:
    with pytest.raises(ActionRefused, match="Open requirements: ") as refusal:
        perform_transition(rocket, "complete_step", actor=alice, now=now)
    assert refusal.value.kind == "requirements-not-met"
    assert reload_row(rocket).step == "engage"
    assert list_event_types(rocket) == ["integration.created"]


def test_nomad_integration_completes_all_steps(integration_at: Any) -> None:
    row = integration_at("support")
    assert (row.stage, row.step, row.listing_status, row.tier) == (
        "support",
        "support",
        "listed",
        row.edition.release_tier.key,
    )
    assert (row.responsible_party, row.next_action_label) == (
        "portal",
        "No action needed. We monitor this integration.",
    )
    event_types = [v for v in list_event_types(row) if v not in ("requirement.answered", "requirement.checked")]
    assert event_types == [
        "integration.created",
        "integration.advanced",  # past Enable, in which nothing is required
        "review.requested",
        "integration.approved",
        "integration.listed",
    ]


@pytest.mark.parametrize("who", ["charlie", "rita", "sam"])
def test_only_the_company_performs_the_transitions_of_the_partner(
    rocket: Integration, who: str, request: Any, now: datetime
) -> None:
    user = request.getfixturevalue(who)
    with pytest.raises(ActionRefused, match="Only owners and editors") as refusal:
        perform_transition(rocket, "complete_step", actor=user, now=now)
    assert refusal.value.kind == "forbidden"


def test_reviewer_cannot_decide_on_an_integration_of_their_own_company(
    integration_at: Any, rita: Any, acme: Partner, now: datetime
) -> None:
    row = integration_at("review")
    acme.memberships.create(user=rita, role="viewer", joined_at=now)
    with pytest.raises(ActionRefused, match="on their own"):
        perform_transition(row, "decline", actor=rita, note="No.", now=now)


def test_changes_are_requested_answered_and_verified(integration_at: Any, alice: Any, rita: Any, now: datetime) -> None:
    row = integration_at("review")
    fulfill_requirements(row, alice, now)
    with pytest.raises(ActionRefused, match="at least one finding"):
        perform_transition(row, "request_changes", actor=rita, now=now)
    finding = findings.raise_finding(row, "NO-3", "Add acceptance tests.", actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, note="Nearly there.", now=now)
    refresh_due_integrations(now + timedelta(minutes=10))
    row = reload_row(row)
    assert (row.stage, row.review_state, row.responsible_party, row.next_action_label) == (
        "review",
        "changes",
        "partner",
        "Respond to 1 finding",
    )
    with pytest.raises(ActionRefused, match="Respond to 1 open finding first"):
        perform_transition(row, "resubmit_for_review", actor=alice, now=now)
    findings.answer_finding(finding, "Added in v1.1.0.", actor=alice, now=now)
    fulfill_requirements(row, alice, now)  # the partner confirms that each finding has a response
    with pytest.raises(ActionRefused, match="can still be undone"):
        perform_transition(row, "resubmit_for_review", actor=alice, now=now + timedelta(minutes=9))
    now += timedelta(minutes=10)
    perform_transition(row, "resubmit_for_review", actor=alice, now=now)
    row = reload_row(row)
    assert (row.review_round, row.responsible_party) == (2, "program")
    assert row.reasons == [
        {"code": "repeated_review", "params": {"round": 2}},
        {"code": "resolved_findings", "params": {"count": 1}},
    ]
    fulfill_requirements(row, alice, now)
    with pytest.raises(ActionRefused, match="Verify all findings first"):
        perform_transition(row, "approve", actor=rita, now=now)
    findings.verify_finding(Finding.objects.get(), actor=rita, now=now)
    perform_transition(row, "approve", actor=rita, now=now)
    assert reload_row(row).stage == "release"


def test_decision_can_be_undone_for_ten_minutes(integration_at: Any, rita: Any, alice: Any, now: datetime) -> None:
    row = integration_at("review")
    fulfill_requirements(row, alice, now)
    perform_transition(row, "approve", actor=rita, now=now)
    perform_transition(row, "undo_decision", actor=rita, now=now + timedelta(minutes=9))
    row = reload_row(row)
    assert (row.stage, row.step, row.review_state) == ("review", "review", "waiting")
    perform_transition(row, "approve", actor=rita, now=now)
    with pytest.raises(ActionRefused, match="can't undo this decision"):
        perform_transition(row, "undo_decision", actor=rita, now=now + timedelta(minutes=10))


def test_undone_decision_keeps_the_due_date(integration_at: Any, rita: Any, alice: Any, now: datetime) -> None:
    row = integration_at("review")
    fulfill_requirements(row, alice, now)
    before = reload_row(row)
    perform_transition(row, "approve", actor=rita, now=now + timedelta(minutes=1))
    perform_transition(row, "undo_decision", actor=rita, now=now + timedelta(minutes=5))
    after = reload_row(row)
    assert (after.responsible_since, after.action_due_at) == (before.responsible_since, before.action_due_at)


def test_only_the_claim_holder_decides(integration_at: Any, rita: Any, rob: Any, alice: Any, now: datetime) -> None:
    row = integration_at("review")
    fulfill_requirements(row, alice, now)
    claims.claim_review(row, actor=rita, now=now)
    with pytest.raises(ActionRefused, match="Rita Reyes claimed this review until 9:30 AM UTC"):
        perform_transition(row, "decline", actor=rob, note="No.", now=now)
    perform_transition(row, "decline", actor=rob, note="No.", now=now + timedelta(minutes=30))
    assert reload_row(row).stage == "declined"


def test_shared_summary_is_opened_again_when_an_integration_is_added(acme: Partner, alice: Any, now: datetime) -> None:
    first = create_integration(acme, alice, "terraform-run-task", name="One")
    summary = next(r for r in first.edition.list_requirements() if any(f.max_lines for f in r.fields))
    answers.submit_answer(first, summary.id, {"summary": "One does this."}, actor=alice, now=now)
    second = create_integration(acme, alice, "terraform-run-task", name="Two")
    state = second.fulfillments.get(requirement_id=summary.id)
    assert (state.status, state.data) == ("open", {"summary": "One does this."})


def test_declining_needs_a_reason_and_can_be_undone(rocket: Integration, rita: Any, now: datetime) -> None:
    with pytest.raises(ActionRefused, match="Enter a reason"):
        perform_transition(rocket, "decline", actor=rita, note="  ", now=now)
    perform_transition(rocket, "decline", actor=rita, note="Not a fit for Nomad.", now=now)
    assert (reload_row(rocket).stage, reload_row(rocket).responsible_party) == ("declined", "")
    perform_transition(rocket, "undo_decision", actor=rita, now=now)
    assert (reload_row(rocket).stage, reload_row(rocket).responsible_party) == ("engage", "partner")


def test_withdrawn_integration_is_reopened_at_its_step(
    rocket: Integration, alice: Any, rita: Any, now: datetime
) -> None:
    perform_transition(rocket, "withdraw", actor=alice, now=now)
    with pytest.raises(ActionRefused, match="can reopen a"):
        perform_transition(rocket, "reopen", actor=rita, now=now)
    with pytest.raises(ActionRefused, match="can still be undone"):
        perform_transition(rocket, "reopen", actor=alice, now=now)
    perform_transition(rocket, "reopen", actor=alice, now=now + timedelta(minutes=10))
    assert (reload_row(rocket).stage, reload_row(rocket).step) == ("engage", "engage")


def test_hold_names_the_party_it_waits_for_and_blocks_the_next_step(
    rocket: Integration, alice: Any, rita: Any, now: datetime
) -> None:
    perform_transition(
        rocket, "put_on_hold", actor=rita, note="Legal reads the agreement.", waits_for="third_party", now=now
    )
    row = reload_row(rocket)
    assert (row.responsible_party, row.next_action_label) == (
        "third_party",
        "Resolve the hold “Legal reads the agreement”",
    )
    fulfill_requirements(row, alice, now)
    with pytest.raises(ActionRefused, match=r"^On hold: Legal reads the agreement\.$"):
        perform_transition(row, "complete_step", actor=alice, now=now)
    perform_transition(row, "resume", actor=rita, now=now)
    assert reload_row(row).responsible_party == "partner"


def test_transition_from_an_outdated_page_names_the_earlier_decision(
    integration_at: Any, rita: Any, rob: Any, alice: Any, now: datetime
) -> None:
    row = integration_at("review")
    perform_transition(row, "decline", actor=rita, note="No longer needed.", now=now)
    with pytest.raises(ActionRefused, match=r"Rita Reyes declined the integration \(") as refusal:
        perform_transition(row, "approve", actor=rob, version=row.version, now=now)
    assert refusal.value.kind == "conflict"


def test_missing_permission_is_reported_before_other_problems(integration_at: Any, alice: Any, rita: Any) -> None:
    """This holds for outdated pages and for transitions that are no longer available."""
    row = integration_at("review")
    refusal_kinds = []
    for step, by in (
        ("publish", alice),
        ("complete_step", rita),
        ("approve", alice),
        ("publish", rita),
        ("complete_step", alice),
    ):
        with pytest.raises(ActionRefused) as refusal:
            perform_transition(row, step, actor=by, version=None if step != "approve" else 0)
        refusal_kinds.append(refusal.value.kind)
    assert refusal_kinds == ["forbidden", "forbidden", "forbidden", "invalid-transition", "invalid-transition"]


def test_unknown_transition_is_refused(rocket: Integration, alice: Any, now: datetime) -> None:
    with pytest.raises(ActionRefused):
        perform_transition(rocket, "__init__", actor=alice, now=now)


def test_automatic_transitions_cannot_be_performed_by_hand(
    integration_at: Any, rita: Any, sam: Any, now: datetime
) -> None:
    row = integration_at("support")
    for user in (rita, sam, None):
        with pytest.raises(ActionRefused, match="happens automatically"):
            perform_transition(row, "unlist", actor=user, now=now)


def test_available_transitions_say_whether_they_are_ready(rocket: Integration, alice: Any, rita: Any) -> None:
    mine = {a.name: a.is_ready for a in list_available_transitions(rocket, alice)}
    theirs = {a.name: a.is_ready for a in list_available_transitions(rocket, rita)}
    assert mine == {"complete_step": False, "submit_for_review": False, "withdraw": True}
    assert theirs == {"decline": True, "put_on_hold": True, "resume": False}


def test_waiver_counts_until_it_ends(rocket: Integration, rita: Any, now: datetime) -> None:
    blocking_requirements = [
        m for m in rocket.edition.list_requirements() if rocket.edition.get_deadline(m) == 1 and not m.optional
    ]
    for requirement in blocking_requirements:
        waivers.waive_requirement(
            rocket,
            requirement.id,
            reason="Known from before.",
            expires_at=now + timedelta(days=30),
            actor=rita,
            now=now,
        )
    row = reload_row(rocket)
    assert (row.next_action_label, row.next_refresh_at) == ("Complete step “Engage”", now + timedelta(days=30))
    assert refresh_due_integrations(now + timedelta(days=29)) == 0
    assert refresh_due_integrations(now + timedelta(days=30)) == 1
    assert reload_row(rocket).next_action_label != "Complete step “Engage”"
    assert refresh_due_integrations(now + timedelta(days=31)) == 0


def test_history_cannot_be_changed(rocket: Integration) -> None:
    event = rocket.events.get()
    with pytest.raises(TypeError, match="append-only"):
        event.save()
    with pytest.raises(TypeError, match="append-only"):
        rocket.events.all().update(note="x")
    statements = ["UPDATE audit_auditevent SET note = 'x'"]
    if connection.vendor == "postgresql":  # on SQLite, rows can be deleted: see portal/core/append_only.py
        statements.append("DELETE FROM audit_auditevent")
    for statement in statements:
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert rocket.events.get().note == event.note


def test_shared_answer_applies_to_the_other_integrations_of_the_partner(
    acme: Partner, alice: Any, now: datetime
) -> None:
    first = create_integration(acme, alice)
    second = create_integration(acme, alice, "vault", name="Rocket secrets")
    shared = next(r for r in first.edition.list_requirements() if r.agreement == "tpa")
    tpa = next(r for r in second.edition.list_requirements() if r.agreement == "tpa")
    answers.submit_answer(first, shared.id, {"version": "2026"}, actor=alice, now=now)
    third = create_integration(acme, alice, "nomad", name="Rocket storage")
    assert second.fulfillments.get(requirement_id=tpa.id).data == {"version": "2026"}
    assert third.fulfillments.get(requirement_id=shared.id).status == "submitted"


def test_stored_next_action_equals_the_computed_one(integration_at: Any, now: datetime) -> None:
    for stage in ("engage", "develop", "review", "release", "support"):
        row = integration_at(stage, name=f"Rocket {stage}")
        action = determine_next_action(build_snapshot(row, now))
        assert action is not None
        assert (row.responsible_party, row.next_action_label) == (action.responsible_party, action.render())
