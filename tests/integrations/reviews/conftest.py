"""Fixtures of the review tests: integrations in review at a fixed time."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.conftest import begin, drive, meet
from tests.replay import replay_fixture


@pytest.fixture
def moment(time_machine: Any, now: datetime) -> datetime:
    """The fixed time. Pages read the clock themselves."""
    time_machine.move_to(now, tick=False)
    return now


def create_integration_in_review(
    partner: Partner, by: User, reviewer: User, now: datetime, program: str = "nomad", **facts: Any
) -> Any:
    return drive(begin(partner, by, program, now, **facts), "review", partner=by, reviewer=reviewer, now=now)


@pytest.fixture
@replay_fixture
def three_reviews(acme: Partner, globex: Partner, alice: User, charlie: User, rita: User, moment: datetime) -> None:
    """Three reviews: Scan has waited longest, then Rocket. Vaulted was requested today."""
    create_integration_in_review(acme, alice, rita, moment - timedelta(days=3), name="Rocket")
    create_integration_in_review(globex, charlie, rita, moment - timedelta(days=6), name="Scan")
    create_integration_in_review(globex, charlie, rita, moment, "vault", name="Vaulted")


@pytest.fixture
@replay_fixture
def ready(at: Any, moment: datetime) -> Integration:
    """An integration in review that can be approved."""
    row = at("review")
    meet(row, None, moment)
    return fresh(row)


def fresh(row: Integration) -> Integration:
    return Integration.objects.get(pk=row.pk)
