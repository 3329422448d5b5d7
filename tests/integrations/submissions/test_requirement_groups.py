"""Tests of groups of requirements of which some are enough."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest

from integrations.programs.registry import PROGRAMS
from integrations.submissions.models import Integration
from integrations.submissions.selectors.context import list_open_next
from integrations.submissions.services import requirements as answers
from integrations.submissions.workflow.states import count_open

pytestmark = pytest.mark.any_database

LOGS = "NO-7-LOGS"


def test_option_that_no_longer_applies_does_not_count(
    integration_at: Callable[..., Integration], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = integration_at("review", category="storage")
    answers.submit_answer(row, LOGS, {"documents": []}, actor=None, now=now)
    program = PROGRAMS["nomad"]
    old = program.editions[-1]
    steps = tuple(
        replace(
            step,
            requirements=tuple(
                replace(r, categories=("networking",)) if r.id == LOGS else r for r in step.requirements
            ),
        )
        for step in old.steps
    )
    monkeypatch.setitem(PROGRAMS, "nomad", replace(program, editions=(replace(old, steps=steps),)))
    row = Integration.objects.get(pk=row.pk)
    options = [item for item in list_open_next(row, now) if item.group]
    assert ([item.id for item in options], count_open(options)) == (["NO-7"], 1)
