"""Tests of the badges of clocks and issues."""

from collections.abc import Mapping
from enum import StrEnum

import pytest

from integrations.sla.engine.types import ClockStatus, IssueEventKind, Severity
from integrations.sla.presenters import EVENT_BADGES, SEVERITY_BADGES, STATE_BADGES, Badge


@pytest.mark.parametrize(
    ("badges", "values"),
    [(STATE_BADGES, ClockStatus), (SEVERITY_BADGES, Severity), (EVENT_BADGES, IssueEventKind)],
    ids=["states", "severities", "events"],
)
def test_each_value_has_a_badge(badges: Mapping[str, Badge], values: type[StrEnum]) -> None:
    assert set(badges) == {value.value for value in values}
