"""Tests of permissions in the compliance procedure by state and role."""

from datetime import datetime
from typing import Any

import pytest
from django.db import transaction

from integrations.submissions.models import Integration
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import list_available_transitions, perform_transition
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused
from tests.conftest import create_user
from tests.integrations.compliance.transitions import ARGUMENTS_BY_TRANSITION, DAY, REASON
from tests.integrations.database_rows import reload_row

pytestmark = pytest.mark.any_database

TRANSITIONS = (
    "issue_notice",
    "dismiss_request",
    "resume_deadline",
    "suspend",
    "suspend_immediately",
    "delist",
    "uphold_appeal",
    "dismiss_appeal",
    "withdraw_notice",
    "reinstate",
    "appeal",
    "request_reinstatement",
    "downgrade_to_community",
    "suggest_notice",
    "pause_deadline",
)


@pytest.fixture
def rae(db: None) -> Any:
    """A third reviewer."""
    return create_user("rae@program.example", "Rae Ruiz", is_reviewer=True)


def pass_checks(row: Integration, now: datetime) -> None:
    """Record that all checks passed just now."""
    for requirement in row.edition.list_requirements():
        if requirement.responsible_party == "portal":
            answers.record_check_outcome(
                reload_row(row), requirement.id, outcome=Status.PASS, summary="Good.", detail=[], retry_at=None, now=now
            )


# state: (days after the start, {transition: people who can perform it}); everything else is refused
ALLOWED_TRANSITIONS: dict[str, tuple[int, dict[str, str]]] = {
    "listed": (1, {"issue_notice": "rita rob rae", "downgrade_to_community": "alice", "suggest_notice": "portal"}),
    "requested": (
        1,
        {"issue_notice": "rita rob rae", "dismiss_request": "rita rob rae", "downgrade_to_community": "alice"},
    ),
    "on_notice": (
        2,
        {
            "withdraw_notice": "rita rob rae",
            "appeal": "alice bob",
            "downgrade_to_community": "alice",
            "pause_deadline": "portal",
        },
    ),
    "period_ended": (
        31,
        {
            "withdraw_notice": "rita rob rae",
            "suspend": "rob rae",
            "appeal": "alice bob",
            "downgrade_to_community": "alice",
            "pause_deadline": "portal",
        },
    ),
    "deadline_paused": (
        40,
        {
            "withdraw_notice": "rita rob rae",
            "resume_deadline": "rita rob rae",
            "appeal": "alice bob",
            "downgrade_to_community": "alice",
        },
    ),
    "appealed": (40, {"uphold_appeal": "rob rae", "dismiss_appeal": "rob rae", "downgrade_to_community": "alice"}),
    "suspended": (
        31,
        {
            "reinstate": "rita rob rae",
            "appeal": "alice bob",
            "request_reinstatement": "alice bob",
            "downgrade_to_community": "alice",
            "pause_deadline": "portal",
        },
    ),
    "suspension_ended": (
        91,
        {
            "reinstate": "rita rob rae",
            "delist": "rita rae",
            "appeal": "alice bob",
            "request_reinstatement": "alice bob",
            "downgrade_to_community": "alice",
            "pause_deadline": "portal",
        },
    ),
    "delisted": (92, {"reinstate": "rita rob rae", "request_reinstatement": "alice bob"}),
    "unlisted": (1, {"reinstate": "rita rob rae", "request_reinstatement": "alice bob"}),
}


@pytest.mark.parametrize("state", ALLOWED_TRANSITIONS)
def test_each_role_can_perform_only_its_transitions_in_each_state(
    state: str,
    reach_state: Any,
    now: datetime,
    alice: Any,
    bob: Any,
    charlie: Any,
    rita: Any,
    rob: Any,
    rae: Any,
    sam: Any,
) -> None:
    days, expected_steps = ALLOWED_TRANSITIONS[state]
    row = reach_state(state)
    then = now + DAY * days
    pass_checks(row, then)
    people = {"alice": alice, "bob": bob, "charlie": charlie, "rita": rita, "rob": rob, "rae": rae, "sam": sam}
    ready_by_name = {name: list_ready_transitions(row, who, then) for name, who in people.items()}
    steps_by_name: dict[str, str] = {}
    for step in TRANSITIONS:
        may = [name for name, ready in ready_by_name.items() if step in ready]
        machine = ["portal"] if can_perform_automatically(row, step, then) else []
        if may or machine:
            steps_by_name[step] = " ".join([*may, *machine])
    assert steps_by_name == expected_steps


def list_ready_transitions(row: Integration, who: Any, now: datetime) -> set[str]:
    return {each.name for each in list_available_transitions(reload_row(row), who, now=now) if each.is_ready}


def can_perform_automatically(row: Integration, step: str, now: datetime) -> bool:
    try:
        with transaction.atomic():
            arguments = ARGUMENTS_BY_TRANSITION.get(step, {})
            perform_transition(reload_row(row), step, actor=None, note=REASON, now=now, **arguments)
            transaction.set_rollback(True)
    except ActionRefused:
        return False
    return True
