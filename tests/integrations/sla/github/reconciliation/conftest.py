"""A monitored repository, and its issues on GitHub."""

import pytest

from integrations.partners.models import Partner
from integrations.sla.models import (
    MonitoredRepository,
)
from tests.fakes.github.server import GitHub
from tests.fakes.github.tracker import Tracker
from tests.integrations.sla.watched import (
    create_listed_integration,
    tracker_of,
    watch_over,
)


@pytest.fixture
def watch(acme: Partner, github: GitHub) -> MonitoredRepository:
    return watch_over(create_listed_integration(acme))


@pytest.fixture
def tracker(watch: MonitoredRepository, github: GitHub) -> Tracker:
    return github.track(tracker_of(watch))
