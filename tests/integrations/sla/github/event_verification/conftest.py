"""The first issue on GitHub, which webhooks reported."""

import pytest

from integrations.sla.github import delivery_processing
from integrations.sla.models import MonitoredRepository
from tests.fakes.github.server import GitHub
from tests.fakes.github.tracker import Tracker
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    REPORTER,
    build_tracker,
    deliver,
)


@pytest.fixture
def tracker(monitored_repository: MonitoredRepository, github: GitHub) -> Tracker:
    """Issues on GitHub: one critical issue, which webhooks reported."""
    tracker = github.track(build_tracker(monitored_repository))
    tracker.open(REPORTER, "It crashes", OPENED_AT, labels=("crash",))
    deliver(monitored_repository, tracker.webhooks)
    delivery_processing.process_due_deliveries(OPENED_AT)
    return tracker
