"""Fixtures."""

from datetime import datetime
from typing import Any

import pytest

from integrations.submissions.models import Integration


@pytest.fixture
def moment(time_machine: Any, now: datetime) -> datetime:
    time_machine.move_to(now, tick=False)
    return now


@pytest.fixture
def rocket(at: Any, moment: datetime) -> Integration:
    """Acme's integration in its first review round."""
    return at("review")
