"""A random walk over the machine: whatever people do in whatever order, the house stands."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from integrations.actions import answers, reviewing
from integrations.history import broken_links
from integrations.models import Finding, Integration
from integrations.programs import PROGRAMS
from integrations.states import ENDS, Holder
from integrations.workflow import NotAllowed, perform
from tests.conftest import FACTS, NOW, meet

STEPS = (
    "advance", "request_review", "request_again", "request_changes", "approve", "release", "decline", "withdraw",
    "archive", "reopen", "put_on_hold", "resume", "undo_decision", "request_tier", "grant_tier", "decline_tier",
)  # fmt: skip
DEEDS = ("meet", "raise", "fix", "verify", "fail a check", "waive", "wait")
BACKWARDS = {"undo_decision"}

moves = st.lists(
    st.tuples(st.sampled_from(STEPS + DEEDS * 2), st.sampled_from(["alice", "rita", "charlie", "sam"])), max_size=25
)


def deed(name: str, row: Integration, who: Any, now: datetime) -> None:
    """Something that people or machines do between steps."""
    findings = list(Finding.objects.filter(integration=row))
    requirement = row.edition.requirements()[len(findings) % len(row.edition.requirements())].id
    if name == "meet" and row.is_open:
        meet(row, who, now)
    elif name == "raise":
        reviewing.raise_finding(row, requirement, "Change this.", by=who, now=now)
    elif name == "fix" and findings:
        reviewing.fix_finding(findings[0], "Done.", by=who, now=now)
    elif name == "verify" and findings:
        reviewing.verify_finding(findings[0], by=who, now=now)
    elif name == "waive":
        answers.waive(row, requirement, reason="Known.", until=now + timedelta(days=1), by=who, now=now)
    elif name == "fail a check":
        for machine in (r for r in row.edition.requirements() if r.who == "machine"):
            answers.record_checks(row, machine.id, outcome="fail", summary="Gone.", detail=[], retry_at=None, now=now)


def check(row: Integration, before: int | None, step: str) -> None:
    """What must be true after every move."""
    if row.stage in ENDS:
        assert row.turn_holder == ""
        return
    assert row.turn_holder in set(Holder)
    assert row.turn_action
    place = row.edition.position(row.step, row.stage)  # raises where the path has no such place
    if before is not None and step not in BACKWARDS:
        assert place in (before, before + 1)


@pytest.mark.parametrize("program", sorted(PROGRAMS))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=moves)
def test_a_random_walk_never_leaves_the_path(
    program: str, moves: list[tuple[str, str]], acme: Any, alice: Any, rita: Any, charlie: Any, sam: Any
) -> None:
    from integrations.actions import create  # noqa: PLC0415

    cast, now = {"alice": alice, "rita": rita, "charlie": charlie, "sam": sam}, NOW
    with transaction.atomic():
        row = create.create(acme, program, FACTS, by=alice, now=now)
        for name, who in moves:
            now += timedelta(minutes=7)
            row = Integration.objects.select_related("partner").get(pk=row.pk)
            before = row.position if row.is_open else None
            try:
                if name in STEPS:
                    inputs = {"tier": "premier"} if name == "request_tier" else {}
                    perform(row, name, by=cast[who], note="Because.", now=now, **inputs)
                else:
                    deed(name, row, cast[who], now)
            except NotAllowed as refusal:
                assert str(refusal)
            check(Integration.objects.get(pk=row.pk), before, name)
        assert list(broken_links(row.events.order_by("seq"))) == []
        transaction.set_rollback(True)
