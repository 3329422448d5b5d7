"""Frozen clock and sample jobs of the tests."""

from datetime import datetime

import pytest
from time_machine import TimeMachineFixture

from tests.portal.jobs import sample_jobs

NOW = datetime.fromisoformat("2026-04-14T09:00:00Z")


@pytest.fixture
def frozen_time(time_machine: TimeMachineFixture) -> TimeMachineFixture:
    time_machine.move_to(NOW, tick=False)
    return time_machine


@pytest.fixture(autouse=True)
def _reset_sample_jobs() -> None:
    sample_jobs.calls.clear()
    sample_jobs.steps.clear()
    sample_jobs.failures.clear()
