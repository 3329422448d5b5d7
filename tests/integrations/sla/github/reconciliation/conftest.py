"""Issues of the monitored repository on GitHub."""

import pytest

from integrations.sla.models import (
    MonitoredRepository,
)
from tests.fakes.github.server import GitHub
from tests.fakes.github.tracker import Tracker
from tests.integrations.sla.monitored_repository import (
    build_tracker,
)


@pytest.fixture
def tracker(monitored_repository: MonitoredRepository, github: GitHub) -> Tracker:
    return github.track(build_tracker(monitored_repository))
