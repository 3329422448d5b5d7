"""Random walks over the transitions of integrations."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, event, given, settings, strategies as st

from integrations.programs.registry import PROGRAMS
from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Finding, Integration
from integrations.submissions.selectors import context
from integrations.submissions.services import creation, findings as reviewing, requirements as answers, waivers
from integrations.submissions.services.changes import refresh_due_integrations
from integrations.submissions.services.transitions import list_available_transitions, perform_transition
from integrations.submissions.workflow.states import FINAL_STAGES, ResponsibleParty
from portal.audit.verification import find_chain_faults
from portal.core.errors import ActionRefused
from portal.demo.consistency import check_next_action
from tests.conftest import FACTS, NOW, advance_to_stage, create_integration, fulfill_requirements

pytestmark = pytest.mark.any_database

TRANSITIONS = (
    "complete_step",
    "submit_for_review",
    "resubmit_for_review",
    "request_changes",
    "approve",
    "publish",
    "decline",
    "withdraw",
    "archive",
    "reopen",
    "put_on_hold",
    "resume",
    "undo_decision",
    "request_tier",
    "grant_tier",
    "decline_tier",
    "issue_notice",
    "dismiss_request",
    "withdraw_notice",
    "resume_deadline",
    "suspend",
    "suspend_immediately",
    "delist",
    "appeal",
    "uphold_appeal",
    "dismiss_appeal",
    "request_reinstatement",
    "reinstate",
    "downgrade_to_community",
)
SIDE_ACTIONS = [
    ("raise", "rita"),
    ("fix", "alice"),
    ("fix", "alice"),
    ("verify", "rita"),
    ("verify", "rita"),
    ("verify", "rita"),
    ("fail a check", "rita"),
    ("waive", "rita"),
]
UNRELATED_TRANSITIONS = (
    "archive",
    "put_on_hold",
    "resume",
    "request_tier",
    "grant_tier",
    "decline_tier",
    "undo_decision",
)
BACKWARD_TRANSITIONS = {"undo_decision"}

# one number per move: it selects a possible action, or at times a forbidden one
moves = st.lists(st.integers(0, 10_000), min_size=30, max_size=80)


def list_options(row: Integration, users: dict[str, Any], now: datetime) -> list[tuple[str, str]]:
    """Return the transitions and side actions that are possible now, useful ones several times."""
    ready = [
        (a.name, who)
        for who, user in users.items()
        for a in list_available_transitions(row, user, now=now)
        if a.is_ready
    ]
    ends = {"decline", "withdraw", "archive"}
    onwards = [step for step in ready if step[0] not in ends] * 6 + [step for step in ready if step[0] in ends]
    return onwards + [("fulfill", "alice")] * 8 + SIDE_ACTIONS


def perform_side_action(name: str, row: Integration, who: Any, now: datetime) -> None:
    """Perform an action of people or automation between transitions."""
    findings = list(Finding.objects.filter(integration=row))
    requirement = row.edition.list_requirements()[len(findings) % len(row.edition.list_requirements())].id
    if name == "fulfill" and row.is_open:
        fulfill_requirements(row, who, now)
    elif name == "raise":
        reviewing.raise_finding(row, requirement, "Change this.", actor=who, now=now)
    elif name == "fix" and findings:
        reviewing.answer_finding(findings[0], "Done.", actor=who, now=now)
    elif name == "verify" and findings:
        reviewing.verify_finding(findings[0], actor=who, now=now)
    elif name == "waive":
        waivers.waive_requirement(
            row, requirement, reason="Known.", expires_at=now + timedelta(days=1), actor=who, now=now
        )
    elif name == "fail a check":
        for machine in (r for r in row.edition.list_requirements() if r.responsible_party == "portal"):
            answers.record_check_outcome(
                row, machine.id, outcome="fail", summary="Gone.", detail=[], retry_at=None, now=now
            )


def check_invariants(row: Integration, before: int | None, step: str, now: datetime) -> None:
    """Check what must be true after every move."""
    assert list(check_next_action(row, now)) == []
    if row.stage in FINAL_STAGES:
        assert row.responsible_party == ""
        return
    check_compliance(row)
    assert row.responsible_party in set(ResponsibleParty)
    assert row.next_action_label
    place = row.edition.get_position(row.step, row.stage)  # raises if the path has no such position
    if before is not None and step not in BACKWARD_TRANSITIONS:
        skipped_all_met = step == "complete_step" and context.list_missing_at(row, place, now) == []
        assert place in (before, before + 1) or (place > before and skipped_all_met)


def check_compliance(row: Integration) -> None:
    """Check that a deadline either runs or is paused, and that two people decided on a suspension."""
    in_process = row.listing_status in ("on_notice", "suspended")
    assert bool(row.compliance_deadline_at) + bool(row.deadline_pause_reason) == in_process
    if row.listing_status == "suspended":
        assert row.enforced_by_id not in (None, row.notice_by_id)
    if row.listing_status in ("delisted", "unlisted"):
        assert row.tier in ("", "community")


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves=moves)
def test_random_walk_through_the_compliance_procedure_changes_no_listing_automatically(
    moves: list[int], acme: Any, alice: Any, rita: Any, rob: Any, charlie: Any
) -> None:
    users: dict[str, Any] = {"alice": alice, "rita": rita, "rob": rob, "charlie": charlie, "portal": None}
    arguments_by_step: dict[str, dict[str, Any]] = {
        "suggest_notice": {"request": "slow_issue", "params": {"factor": 3}, "reason": "Breaches."},
        "pause_deadline": {"activities": []},
    }
    now = NOW + timedelta(days=1)
    with transaction.atomic():
        row = advance_to_stage(
            create_integration(acme, alice, "terraform-provider"), "support", partner=alice, reviewer=rita
        )
        MonitoredRepository.objects.all().delete()
        for number in moves:
            now += timedelta(days=number % 23)
            row = Integration.objects.select_related("partner").get(pk=row.pk)
            steps = [
                (a.name, who)
                for who in users
                if who != "portal"
                for a in list_available_transitions(row, users[who], now=now)
            ]
            candidate_steps = [step for step in steps if step[0] not in UNRELATED_TRANSITIONS] + [
                (name, "portal") for name in arguments_by_step
            ]
            name, who = candidate_steps[number % len(candidate_steps)]
            before = row.listing_status
            try:
                perform_transition(
                    row, name, actor=users[who], note="Because.", now=now, **arguments_by_step.get(name, {})
                )
            except ActionRefused as refusal:
                assert str(refusal)  # noqa: PT017 - as above
            refresh_due_integrations(now)
            row = Integration.objects.get(pk=row.pk)
            event(f"status {row.listing_status}")
            assert who != "portal" or row.listing_status == before
            check_invariants(row, None, name, now)
        assert list(find_chain_faults(row.events.order_by("seq"))) == []
        transaction.set_rollback(True)


@pytest.mark.parametrize("program", sorted(PROGRAMS))
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves=moves)
def test_random_walk_never_leaves_the_path(
    program: str, moves: list[int], acme: Any, alice: Any, rita: Any, charlie: Any, sam: Any
) -> None:
    users = {"alice": alice, "rita": rita, "charlie": charlie, "sam": sam}
    now = NOW
    with transaction.atomic():
        row = creation.create_integration(acme, program, FACTS, actor=alice, now=now)
        for number in moves:
            now += timedelta(minutes=7)
            row = Integration.objects.select_related("partner").get(pk=row.pk)
            before = row.position if row.is_open else None
            possible = list_options(row, users, now)
            forbidden = (TRANSITIONS[number % len(TRANSITIONS)], list(users)[number % 4])
            name, who = forbidden if number % 20 == 0 else possible[number % len(possible)]
            try:
                if name in TRANSITIONS:
                    inputs = {"tier": "premier"} if name == "request_tier" else {}
                    perform_transition(row, name, actor=users[who], note="Because.", now=now, **inputs)
                else:
                    perform_side_action(name, row, users[who], now)
            except ActionRefused as refusal:
                assert str(refusal)  # noqa: PT017 - a refusal is an expected outcome here, and must have words
            refresh_due_integrations(now)
            row = Integration.objects.get(pk=row.pk)
            event(f"reached {row.stage}")
            check_invariants(row, before, name, now)
        assert list(find_chain_faults(row.events.order_by("seq"))) == []
        transaction.set_rollback(True)
