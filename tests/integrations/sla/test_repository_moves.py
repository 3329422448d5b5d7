"""Tests that a move to another repository ends clocks only in view of the program."""

from datetime import timedelta
from typing import Any

import pytest

from integrations.sla.filters import build_state_condition
from integrations.sla.metrics import GLOBAL_SCOPE, list_breaches
from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock
from integrations.submissions.models import Integration
from integrations.submissions.services import creation
from portal.accounts.models import User
from tests.conftest import NOW
from tests.integrations.sla.monitored_repository import create_listed_integration
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row

pytestmark = pytest.mark.any_database
DAY = timedelta(days=1)
OTHER_REPOSITORY = {"repository": "acme/nomad-other", "repository_id": 99, "repository_owner_id": 47}
NO_REPOSITORY = {"repository": "", "repository_id": None, "repository_owner_id": None}


@pytest.fixture
def integration(acme: Any) -> Integration:
    """Integration with a running, a paused, an overdue, and a stopped clock, and one breach."""
    monitored_repository = create_repository_row(create_listed_integration(acme), NOW)
    for number, state in enumerate(("running", "paused", "overdue", "met"), 1):
        create_clock_row(create_issue_row(monitored_repository, number, NOW - 3 * DAY), NOW - DAY, state=state)
    clock = SlaClock.objects.get(state="overdue")
    SlaBreach.objects.create(
        clock=clock,
        issue=clock.issue,
        integration=monitored_repository.integration,
        target_type="resolve",
        severity="critical",
        due_at=NOW - DAY,
        found_at=NOW,
    )
    return monitored_repository.integration


def list_unmonitored(integration: Integration) -> list[str]:
    clocks = integration.clocks.filter(build_state_condition("unmonitored", NOW))
    return sorted(clocks.values_list("state", flat=True))


@pytest.mark.parametrize(
    ("facts", "new", "label"),
    [(OTHER_REPOSITORY, "acme/nomad-other", "acme/nomad-other"), (NO_REPOSITORY, "", "none")],
    ids=["moved", "removed"],
)
def test_history_says_who_left_a_repository_with_how_many_open_clocks(
    integration: Integration, alice: User, facts: dict[str, Any], new: str, label: str
) -> None:
    assert list_unmonitored(integration) == []
    creation.change_description(integration, facts, actor=alice, now=NOW)
    event = integration.events.get(event_type="monitoring.repository_left")
    assert (event.actor, event.data["new"], event.action) == (
        str(alice),
        new,
        f"ended issue monitoring of acme/nomad-rocket (open clocks: 3, overdue: 1). Now monitored: {label}",
    )
    assert list_unmonitored(integration) == ["overdue", "paused", "running"]
    assert list_breaches(GLOBAL_SCOPE).count() == 1


def test_history_says_that_no_clock_ended_with_the_move(acme: Any, alice: User) -> None:
    integration = create_repository_row(create_listed_integration(acme), NOW).integration
    creation.change_description(integration, OTHER_REPOSITORY, actor=alice, now=NOW)
    assert integration.events.get(event_type="monitoring.repository_left").data == {
        "old": "acme/nomad-rocket",
        "new": "acme/nomad-other",
        "open": 0,
        "overdue": 0,
    }


@pytest.mark.parametrize("change", [{"repository": "Acme/Nomad-Rocket"}, {"name": "Rocket 2"}])
def test_same_repository_is_not_left(integration: Integration, alice: User, change: dict[str, str]) -> None:
    creation.change_description(integration, change, actor=alice, now=NOW)
    assert integration.events.filter(event_type="monitoring.repository_left").count() == 0
    assert list_unmonitored(integration) == []


def test_return_to_the_repository_is_a_move_as_well(integration: Integration, alice: User) -> None:
    first = {"repository": "acme/nomad-rocket", "repository_id": 4711}
    creation.change_description(integration, OTHER_REPOSITORY, actor=alice, now=NOW)
    creation.change_description(integration, first, actor=alice, now=NOW + DAY)
    events = integration.events.filter(event_type="monitoring.repository_left").order_by("seq")
    assert [event.data["new"] for event in events] == ["acme/nomad-other", "acme/nomad-rocket"]
    assert MonitoredRepository.objects.get().repository == "acme/nomad-rocket"
