"""Who may do what when in the due process of a standing, and what is told, frozen and held?"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from integrations.actions import answers
from integrations.models import Integration
from integrations.states import Status
from integrations.workflow import NotAllowed, actions, perform
from tests.conftest import person
from verification.models import Watch

DAY = timedelta(days=1)
WHY = "The promise was not kept."
STEPS = (
    "give_notice", "set_aside", "go_on", "suspend", "suspend_at_once", "remove", "uphold_appeal", "dismiss_appeal",
    "take_notice_back", "reinstate", "appeal", "ask_reinstatement", "step_down", "suggest_notice", "hold_process",
)  # fmt: skip


@pytest.fixture
def listed(at: Callable[..., Integration], now: datetime) -> Integration:
    row = at("support", program="terraform-provider")
    Watch.objects.filter(integration=row).update(data_up_to=now + 3650 * DAY)
    return row


@pytest.fixture
def rae(db: None) -> Any:
    """A third reviewer."""
    return person("rae@program.example", "Rae Ruiz", is_reviewer=True)


def fresh(row: Integration) -> Integration:
    return Integration.objects.select_related("partner").get(pk=row.pk)


def take(row: Integration, step: str, by: Any, now: datetime, **inputs: Any) -> Integration:
    perform(fresh(row), step, by=by, note=WHY, now=now, **inputs)
    return fresh(row)


def refusal(row: Integration, step: str, by: Any, now: datetime) -> str:
    with pytest.raises(NotAllowed) as said:
        perform(fresh(row), step, by=by, note=WHY, now=now)
    return str(said.value)


def turn(row: Integration) -> tuple[str, str, str]:
    row = fresh(row)
    return row.standing, row.turn_holder, row.turn_action


def keep_fresh(row: Integration, now: datetime) -> None:
    """The machine looked again: what it looks at is in order now."""
    for requirement in row.edition.requirements():
        if requirement.who == "machine":
            answers.record_checks(
                fresh(row), requirement.id, outcome=Status.PASS, summary="Good.", detail=[], retry_at=None, now=now
            )


@pytest.fixture
def states(listed: Integration, rita: Any, rob: Any, alice: Any, now: datetime) -> Callable[[str], Integration]:
    """The integration in a state of the process, taken there through the door; rita began, rob went on."""
    path = {
        "verified": [],
        "asked": [("suggest_notice", None, 0)],
        "notice": [("give_notice", rita, 0)],
        "ended": [("give_notice", rita, 0), ("", None, 30)],
        "acted": [("give_notice", rita, 0), ("hold_process", None, 1)],
        "appealed": [("give_notice", rita, 0), ("appeal", alice, 1)],
        "suspended": [("give_notice", rita, 0), ("suspend", rob, 30)],
        "over": [("give_notice", rita, 0), ("suspend", rob, 30), ("", None, 60)],
        "removed": [("give_notice", rita, 0), ("suspend", rob, 30), ("remove", rita, 90)],
        "none": [("step_down", alice, 0)],
    }  # fmt: skip

    def reach(name: str) -> Integration:
        row = listed
        for step, by, after in path[name]:
            inputs = {"suggest_notice": {"why": "2 breaches"}, "hold_process": {"acts": []}}.get(step, {})
            row = take(row, step, by, now + DAY * after, **inputs) if step else row
        return fresh(row)

    return reach


# state: (days after the beginning, {step: those who may}); everybody else may not, everything else is refused
ALLOWED: dict[str, tuple[int, dict[str, str]]] = {
    "verified": (1, {"give_notice": "rita rob rae", "step_down": "alice", "suggest_notice": "machine"}),
    "asked": (1, {"give_notice": "rita rob rae", "set_aside": "rita rob rae", "step_down": "alice"}),
    "notice": (
        2,
        {
            "take_notice_back": "rita rob rae",
            "appeal": "alice bob",
            "step_down": "alice",
            "hold_process": "machine",
        },
    ),
    "ended": (
        31,
        {
            "take_notice_back": "rita rob rae",
            "suspend": "rob rae",
            "appeal": "alice bob",
            "step_down": "alice",
            "hold_process": "machine",
        },
    ),
    "acted": (
        40,
        {"take_notice_back": "rita rob rae", "go_on": "rita rob rae", "appeal": "alice bob", "step_down": "alice"},
    ),
    "appealed": (40, {"uphold_appeal": "rob rae", "dismiss_appeal": "rob rae", "step_down": "alice"}),
    "suspended": (
        31,
        {
            "reinstate": "rita rob rae",
            "appeal": "alice bob",
            "ask_reinstatement": "alice bob",
            "step_down": "alice",
            "hold_process": "machine",
        },
    ),
    "over": (
        91,
        {
            "reinstate": "rita rob rae",
            "remove": "rita rae",
            "appeal": "alice bob",
            "ask_reinstatement": "alice bob",
            "step_down": "alice",
            "hold_process": "machine",
        },
    ),
    "removed": (92, {"reinstate": "rita rob rae", "ask_reinstatement": "alice bob"}),
    "none": (1, {"reinstate": "rita rob rae", "ask_reinstatement": "alice bob"}),
}


@pytest.mark.parametrize("state", ALLOWED)
def test_who_may_do_what_when(
    state: str, states: Any, now: datetime, alice: Any, bob: Any, charlie: Any, rita: Any, rob: Any, rae: Any, sam: Any
) -> None:
    days, allowed = ALLOWED[state]
    row, then = states(state), now + DAY * days
    keep_fresh(row, then)
    people = {"alice": alice, "bob": bob, "charlie": charlie, "rita": rita, "rob": rob, "rae": rae, "sam": sam}
    found: dict[str, str] = {}
    for step in STEPS:
        may = [name for name, who in people.items() if can(row, step, who, then)]
        machine = ["machine"] if can_machine(row, step, then) else []
        if may or machine:
            found[step] = " ".join([*may, *machine])
    assert found == allowed


def can(row: Integration, step: str, who: Any, now: datetime) -> bool:
    return any(a.name == step and a.is_ready for a in actions(fresh(row), who, now=now))


def can_machine(row: Integration, step: str, now: datetime) -> bool:
    try:
        with transaction.atomic():
            perform(fresh(row), step, by=None, note=WHY, now=now, why="x", acts=[])
            transaction.set_rollback(True)
    except NotAllowed:
        return False
    return True
