"""Tests that the SLA clocks measure the issue tracker that the partner entered."""

from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.utils import timezone

from integrations.partners.models import Partner
from integrations.sla.clock_records import list_records
from integrations.sla.models import MonitoredRepository, SlaClock, SupportIssue
from integrations.sla.selectors.issue_states import find_issue
from integrations.sla.services import monitoring
from integrations.submissions.models import Integration
from integrations.submissions.services import creation
from integrations.submissions.services.requirements import submit_answer
from portal.accounts.models import User
from portal.directory.support_metrics import get_support_metrics
from tests.conftest import NOW
from tests.integrations.page_text import get_text
from tests.integrations.sla.monitored_repository import OPENED_AT, create_listed_integration
from tests.integrations.sla.rows import create_clock_row, create_issue_row

pytestmark = pytest.mark.any_database
OTHER_TRACKER = "https://acme.atlassian.net/browse/ROCKET"


def enter_tracker(integration: Integration, tracker: str, actor: User) -> None:
    submit_answer(integration, "NO-9", {"tracker": tracker}, actor=actor, now=NOW)


def get_monitored_repository(integration: Integration) -> tuple[str, int | None]:
    row = MonitoredRepository.objects.get(integration=integration)
    return row.repository, row.repository_id


@pytest.mark.parametrize(
    ("tracker", "monitored_repository"),
    [
        ("https://github.com/acme/support/issues", ("acme/support", None)),
        ("https://github.com/acme/support", ("acme/support", None)),
        ("https://github.com/Acme/Nomad-Rocket/issues", ("acme/nomad-rocket", 4711)),
        ("https://github.com/acme/support/discussions", ("acme/nomad-rocket", 4711)),
        ("https://github.com/orgs/acme/projects/3", ("acme/nomad-rocket", 4711)),
        ("https://github.com/torvalds/linux/issues", ("acme/nomad-rocket", 4711)),
        (OTHER_TRACKER, ("acme/nomad-rocket", 4711)),
    ],
)
def test_monitoring_starts_with_the_repository_of_the_tracker(
    acme: Partner, alice: User, tracker: str, monitored_repository: tuple[str, int | None]
) -> None:
    integration = create_listed_integration(acme, listing_status="unlisted")
    enter_tracker(integration, tracker, alice)
    Integration.objects.update(listing_status="listed")
    assert monitoring.start_missing_monitoring(NOW) == 1
    assert get_monitored_repository(integration) == monitored_repository


def test_tracker_is_monitored_without_another_repository(acme: Partner, alice: User) -> None:
    integration = create_listed_integration(acme, repository="", repository_id=None, listing_status="unlisted")
    enter_tracker(integration, "https://github.com/acme/support/issues", alice)
    Integration.objects.update(listing_status="listed")
    assert monitoring.start_missing_monitoring(NOW) == 1
    assert get_monitored_repository(integration) == ("acme/support", None)


def test_monitoring_follows_a_changed_tracker(acme: Partner, alice: User) -> None:
    integration = create_listed_integration(acme)
    monitoring.start_monitoring(integration, OPENED_AT)
    enter_tracker(integration, "https://github.com/acme/support/issues", alice)
    row = MonitoredRepository.objects.get()
    assert (row.repository, row.repository_id, row.moved_at) == ("acme/support", None, NOW)
    # The first poll records the name as GitHub writes it, and the ID.
    MonitoredRepository.objects.update(repository="Acme/Support", repository_id=77)
    enter_tracker(integration, "https://github.com/acme/support/issues", alice)
    assert get_monitored_repository(integration) == ("Acme/Support", 77)
    enter_tracker(integration, OTHER_TRACKER, alice)
    assert get_monitored_repository(integration) == ("acme/nomad-rocket", 4711)


def test_renamed_tracker_is_monitored_after_another_answer(acme: Partner, alice: User) -> None:
    """An answer states the former name of the repository until the partner edits it."""
    integration = create_listed_integration(acme)
    enter_tracker(integration, "https://github.com/acme/support/issues", alice)
    monitoring.start_monitoring(integration, OPENED_AT)
    MonitoredRepository.objects.update(repository="acme/help", repository_id=77)  # by a poll
    submit_answer(integration, "NO-1", {}, actor=alice, now=NOW)
    row = MonitoredRepository.objects.get()
    assert (row.repository, row.repository_id, row.moved_at) == ("acme/help", 77, None)


def test_tracker_with_the_former_name_of_the_repository_is_not_another_one(acme: Partner, alice: User) -> None:
    integration = create_listed_integration(acme)
    enter_tracker(integration, "https://github.com/acme/nomad-rocket/issues", alice)
    monitoring.start_monitoring(integration, OPENED_AT)
    MonitoredRepository.objects.update(repository="acme/nomad-comet")  # by a poll
    creation.change_description(integration, {"repository": "acme/nomad-comet"}, actor=alice, now=NOW)
    row = MonitoredRepository.objects.get()
    assert (row.repository, row.repository_id, row.moved_at) == ("acme/nomad-comet", 4711, None)


@pytest.mark.parametrize("tracker", [OTHER_TRACKER, "https://github.com/torvalds/linux/issues"])
def test_pages_and_listing_say_that_another_tracker_is_not_measured(
    acme: Partner, alice: Any, sign_in: Any, tracker: str
) -> None:
    integration = create_listed_integration(acme)
    monitoring.start_monitoring(integration, OPENED_AT)
    enter_tracker(integration, tracker, alice)
    Integration.objects.update(responsible_party="portal", next_action_code="none_monitored")
    now = timezone.now()
    MonitoredRepository.objects.update(data_up_to=now)
    client = sign_in(alice)
    sentence = f"issues on {tracker} aren't measured."
    page = f"/integrations/{integration.uuid}/"
    texts = [get_text(client.get(path)) for path in (page, f"{page}monitoring/")]
    assert [sentence in text for text in texts] == [True, True]
    metrics = get_support_metrics([integration.pk], now + timedelta(minutes=1))
    assert metrics[integration.pk]["measured_target"] == ""
    enter_tracker(integration, "https://github.com/acme/nomad-rocket/issues", alice)
    metrics = get_support_metrics([integration.pk], now + timedelta(minutes=1))
    assert metrics[integration.pk]["measured_target"] == integration.edition.sla.summary
    texts = [get_text(client.get(path)) for path in (page, f"{page}monitoring/")]
    assert ["aren't measured" in text for text in texts] == [False, False]


def test_setup_asks_for_events_of_checks_only_in_the_repository_of_the_code(
    acme: Partner, alice: Any, sign_in: Any
) -> None:
    integration = create_listed_integration(acme)
    monitoring.start_monitoring(integration, OPENED_AT)
    client = sign_in(alice)
    page = f"/integrations/{integration.uuid}/monitoring/"
    sentence = "To run checks immediately after a change, also select “Releases”"
    assert sentence in get_text(client.get(page))
    enter_tracker(integration, "https://github.com/acme/support/issues", alice)
    text = get_text(client.get(page))
    assert ("In the settings of acme/support" in text, sentence in text) == (True, False)


def test_setup_of_a_renamed_repository_describes_one_webhook(acme: Partner, alice: Any, sign_in: Any) -> None:
    integration = create_listed_integration(acme)
    monitoring.start_monitoring(integration, OPENED_AT)
    MonitoredRepository.objects.update(repository="acme/nomad-rockets")
    text = get_text(sign_in(alice).get(f"/integrations/{integration.uuid}/monitoring/"))
    assert "In the settings of acme/nomad-rockets" in text
    assert ("also select “Releases”" in text, "webhook with the same URL" in text) == (True, False)


def test_pages_of_an_integration_without_a_repository_show_the_monitored_tracker(
    acme: Partner, alice: Any, sign_in: Any
) -> None:
    integration = create_listed_integration(acme, repository="", repository_id=None)
    enter_tracker(integration, "https://github.com/acme/support/issues", alice)
    Integration.objects.update(responsible_party="portal", next_action_code="none_monitored")
    page = f"/integrations/{integration.uuid}/"
    document = BeautifulSoup(sign_in(alice).get(page).text, "html.parser")
    assert len(document.select(f'main a[href="{page}monitoring/"]')) == 1
    assert document.select(".next-action a") == []


def test_issue_of_an_earlier_tracker_keeps_its_name(acme: Partner, alice: Any, sign_in: Any) -> None:
    integration = create_listed_integration(acme)
    monitored_repository = monitoring.start_monitoring(integration, OPENED_AT)
    assert monitored_repository
    issue = create_issue_row(monitored_repository, 7, OPENED_AT)
    create_clock_row(issue, NOW, state="late", stopped_at=NOW)
    enter_tracker(integration, "https://github.com/acme/support/issues", alice)
    issue = SupportIssue.objects.get()
    assert (str(issue), find_issue("acme/nomad-rocket#7")) == ("acme/nomad-rocket#7", issue)
    (record,) = list_records(SlaClock.objects.all(), NOW)
    assert record.name == "acme/nomad-rocket#7"
    page = sign_in(alice).get(f"/issues/{issue.uuid}/").text
    assert ("acme/nomad-rocket#7" in page, "acme/support#7" in page) == (True, False)
