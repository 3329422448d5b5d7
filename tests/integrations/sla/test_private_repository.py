"""Tests that a private repository is not read with the portal's own token, and that everyone sees why."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from integrations.partners.models import Partner
from integrations.sla import tasks
from integrations.sla.github import delivery_processing, issue_sync, reconciliation
from integrations.sla.models import Alert, MonitoredRepository, SlaBreach, SlaClock
from tests.fakes.github.server import OWNER_TOKEN, GitHub
from tests.fakes.github.tracker import Tracker
from tests.integrations.sla.github.reconciliation.polling import poll
from tests.integrations.sla.github.test_delivery_processing import list_event_texts, list_state
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    PARTNER,
    REPORTER,
    build_tracker,
    create_listed_integration,
    deliver,
    monitor_repository,
)

SignIn = Callable[[Any], Any]
HOUR = timedelta(hours=1)
pytestmark = [pytest.mark.django_db, pytest.mark.github]


@pytest.fixture
def monitored_repository(acme: Partner, github: GitHub, settings: Any) -> MonitoredRepository:
    github.proxy.state.tokens.add(OWNER_TOKEN)
    settings.GITHUB_TOKEN = OWNER_TOKEN
    return monitor_repository(create_listed_integration(acme))


@pytest.fixture
def tracker(monitored_repository: MonitoredRepository, github: GitHub) -> Tracker:
    """One critical issue, read while the repository was public; then the repository turns private."""
    tracker = github.track(build_tracker(monitored_repository))
    tracker.open(REPORTER, "It crashes", OPENED_AT, labels=("crash",))
    assert poll(monitored_repository, OPENED_AT + HOUR) == 1
    tracker.private = True
    github.requests.clear()
    return tracker


def test_only_the_visibility_of_a_private_repository_is_read(
    monitored_repository: MonitoredRepository, tracker: Tracker, github: GitHub
) -> None:
    before = list_event_texts(monitored_repository), monitored_repository.cursors, monitored_repository.etags
    tracker.open(REPORTER, "A secret", OPENED_AT + HOUR)
    poll(monitored_repository, OPENED_AT + 3 * HOUR)
    assert github.requests == [f"GET /repos/{monitored_repository.repository}"]
    assert (list_event_texts(monitored_repository), monitored_repository.cursors, monitored_repository.etags) == before
    assert (monitored_repository.trouble, monitored_repository.is_hidden) == (issue_sync.PRIVATE, True)
    assert monitored_repository.data_up_to == OPENED_AT + HOUR
    assert monitored_repository.poll_at == OPENED_AT + 3 * HOUR + reconciliation.TROUBLE_RETRY_DELAY


def test_repository_that_was_never_public_is_not_read(
    acme: Partner, monitored_repository: MonitoredRepository, github: GitHub
) -> None:
    tracker = github.track(build_tracker(monitored_repository))
    tracker.private = True
    tracker.open(REPORTER, "A secret", OPENED_AT)
    poll(monitored_repository, OPENED_AT + HOUR)
    assert (list_event_texts(monitored_repository), monitored_repository.trouble) == ([], issue_sync.PRIVATE)


def test_clock_of_a_private_repository_has_incomplete_data_and_no_breach(
    monitored_repository: MonitoredRepository, tracker: Tracker
) -> None:
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    tasks.advance_due_clocks(OPENED_AT + timedelta(days=30))
    is_committed = SlaClock.objects.filter(monitored_repository=monitored_repository).exclude(due_at=None)
    assert set(is_committed.values_list("state", flat=True)) == {"data_incomplete"}
    assert (SlaBreach.objects.count(), Alert.objects.filter(kind="breached").count()) == (0, 0)


def test_repository_that_is_public_again_is_read(monitored_repository: MonitoredRepository, tracker: Tracker) -> None:
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    tracker.private = False
    tracker.comment(1, PARTNER, "It is fixed in 1.2.", OPENED_AT + 3 * HOUR)
    poll(monitored_repository, OPENED_AT + 4 * HOUR)
    assert (monitored_repository.trouble, monitored_repository.trouble_since) == ("", None)
    assert (monitored_repository.is_hidden, monitored_repository.data_up_to) == (False, OPENED_AT + 4 * HOUR)
    assert list_event_texts(monitored_repository)[-1][1:] == (PARTNER.login, "It is fixed in 1.2.")


@pytest.mark.any_database
def test_webhook_of_the_partner_is_still_read(
    monitored_repository: MonitoredRepository, tracker: Tracker, github: GitHub
) -> None:
    """The company sets up and signs the webhook, so the portal may read what it sends."""
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    tracker.webhooks.clear()
    tracker.comment(1, PARTNER, "It is fixed in 1.2.", OPENED_AT + 3 * HOUR)
    deliver(monitored_repository, tracker.webhooks)
    github.requests.clear()
    assert delivery_processing.process_due_deliveries(OPENED_AT + 4 * HOUR) == 1
    monitored_repository.refresh_from_db()
    assert (list_event_texts(monitored_repository)[-1][1], monitored_repository.data_up_to, github.requests) == (
        PARTNER.login,
        OPENED_AT + HOUR,
        [],
    )
    assert "met" not in {row[2] for row in list_state(monitored_repository)[1:]}


def test_anonymous_portal_sees_no_private_repository(
    monitored_repository: MonitoredRepository, tracker: Tracker, settings: Any
) -> None:
    settings.GITHUB_TOKEN = ""
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    assert (monitored_repository.trouble, monitored_repository.data_up_to) == (
        reconciliation.NOT_VISIBLE_MESSAGE,
        OPENED_AT + HOUR,
    )


@pytest.mark.any_database
@pytest.mark.parametrize("path", ["submissions:detail", "sla:monitoring"])
@pytest.mark.parametrize("reader", ["alice", "rita"])
def test_partner_and_reviewer_see_the_reason(
    monitored_repository: MonitoredRepository,
    tracker: Tracker,
    sign_in: SignIn,
    request: pytest.FixtureRequest,
    reader: str,
    path: str,
) -> None:
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    client = sign_in(request.getfixturevalue(reader))
    page = client.get(reverse(path, args=[monitored_repository.integration.uuid])).content.decode()
    assert page.count(f"{issue_sync.PRIVATE}.") == 1


@pytest.mark.parametrize("reader", ["alice", "rita"])
def test_dashboard_and_issue_page_show_the_reason(
    monitored_repository: MonitoredRepository,
    tracker: Tracker,
    sign_in: SignIn,
    request: pytest.FixtureRequest,
    reader: str,
) -> None:
    poll(monitored_repository, OPENED_AT + 2 * HOUR)
    client = sign_in(request.getfixturevalue(reader))
    issue = monitored_repository.issues.get()
    for address in (reverse("reports:sla_dashboard"), reverse("sla:issue", args=[issue.uuid])):
        assert client.get(address).content.decode().count(f"{issue_sync.PRIVATE}.") == 1
