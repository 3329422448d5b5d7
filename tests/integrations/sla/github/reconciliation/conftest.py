"""A monitored repository, and its issues on GitHub."""

import pytest

from integrations.partners.models import Partner
from integrations.sla.models import (
    MonitoredRepository,
)
from tests.fakes.github.server import GitHub
from tests.fakes.github.tracker import Tracker
from tests.integrations.sla.monitored_repository import (
    build_tracker,
    create_listed_integration,
    monitor_repository,
)


@pytest.fixture
def monitored_repository(acme: Partner, github: GitHub) -> MonitoredRepository:
    return monitor_repository(create_listed_integration(acme))


@pytest.fixture
def tracker(monitored_repository: MonitoredRepository, github: GitHub) -> Tracker:
    return github.track(build_tracker(monitored_repository))
