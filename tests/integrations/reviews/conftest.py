"""Fixtures of the review tests: integrations in review at a fixed time."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements
from tests.integrations.database_rows import reload_row
from tests.replay import replay_fixture


@pytest.fixture
def frozen_now(time_machine: Any, now: datetime) -> datetime:
    """The fixed time. Pages read the clock themselves."""
    time_machine.move_to(now, tick=False)
    return now


def create_integration_in_review(
    partner: Partner, by: User, reviewer: User, now: datetime, program: str = "nomad", **facts: Any
) -> Any:
    return advance_to_stage(
        create_integration(partner, by, program, now, **facts), "review", partner=by, reviewer=reviewer, now=now
    )


@pytest.fixture
@replay_fixture
def three_reviews(acme: Partner, globex: Partner, alice: User, charlie: User, rita: User, frozen_now: datetime) -> None:
    """Three reviews: Scan has waited longest, then Rocket. Vaulted was requested today."""
    create_integration_in_review(acme, alice, rita, frozen_now - timedelta(days=3), name="Rocket")
    create_integration_in_review(globex, charlie, rita, frozen_now - timedelta(days=6), name="Scan")
    create_integration_in_review(globex, charlie, rita, frozen_now, "vault", name="Vaulted")


@pytest.fixture
@replay_fixture
def ready_integration(integration_at: Any, frozen_now: datetime) -> Integration:
    """An integration in review that can be approved."""
    row = integration_at("review")
    fulfill_requirements(row, None, frozen_now)
    return reload_row(row)
