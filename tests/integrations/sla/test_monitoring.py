"""Tests of the start and end of monitoring a repository."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from integrations.sla.github import event_store
from integrations.sla.github.event_mapping import map_issue
from integrations.sla.models import MonitoredRepository, SlaClock
from integrations.sla.services import monitoring
from integrations.sla.services.projection import rebuild_projections
from integrations.submissions.services import creation
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from tests.conftest import NOW
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    REPORTER,
    SECRET,
    build_tracker,
    create_listed_integration,
    monitor_repository,
)
from verification.sources.github.issue_models import GitHubIssue


@pytest.fixture
def monitored_repository(acme) -> MonitoredRepository:
    return monitor_repository(create_listed_integration(acme))


def test_monitoring_starts_at_the_release_and_ends_with_the_support(integration_at, alice):
    row = integration_at("support")
    monitored_repository = MonitoredRepository.objects.get(integration=row)
    assert (monitored_repository.repository, monitored_repository.repository_id) == (row.repository, row.repository_id)
    assert (monitored_repository.began_at, monitored_repository.poll_at, monitored_repository.data_up_to) == (
        row.released_at,
    ) * 3
    perform_transition(row, "archive", actor=alice, note="It is superseded.", now=NOW + timedelta(days=1))
    final_at = NOW + timedelta(days=1, minutes=10)
    assert monitoring.stop_ended_monitoring(final_at - timedelta(seconds=1)) == 0  # it can still be undone
    assert (monitoring.stop_ended_monitoring(final_at), monitoring.stop_ended_monitoring(final_at)) == (1, 0)
    monitored_repository.refresh_from_db()
    assert (monitored_repository.ended_at, monitored_repository.poll_at) == (NOW + timedelta(days=1), None)


def rotate(monitored_repository, actor=None):
    """Rotate the secret on a page that was opened when the secret was that of `monitored_repository`."""
    fingerprint = monitoring.get_secret_fingerprint(monitored_repository)
    return monitoring.rotate_secret(monitored_repository, actor=actor, now=NOW, expected_fingerprint=fingerprint)


def test_secret_rotated_twice_from_one_page_is_rotated_once(monitored_repository, alice):
    new_secret = rotate(monitored_repository, alice)
    with pytest.raises(ActionRefused, match="The secret was rotated after you opened this page"):
        rotate(monitored_repository, alice)
    monitored_repository.refresh_from_db()
    assert monitoring.decrypt_secrets(monitored_repository).get_valid_secrets(NOW) == (
        new_secret.value.encode(),
        SECRET.encode(),
    )
    assert monitored_repository.integration.events.filter(event_type="monitoring.secret_created").count() == 1


def test_integration_without_a_repository_is_not_monitored(acme):
    assert monitoring.start_monitoring(create_listed_integration(acme, repository=""), NOW) is None


def test_missing_monitoring_is_started_once(acme):
    row = create_listed_integration(acme)
    create_listed_integration(acme, "Bare", repository="")
    assert (monitoring.start_missing_monitoring(NOW), monitoring.start_missing_monitoring(NOW)) == (1, 0)
    assert MonitoredRepository.objects.get().integration == row


@pytest.mark.parametrize("listing_status", ["unlisted", "delisted"])
def test_integration_without_a_support_commitment_is_not_monitored(acme, listing_status):
    integration = create_listed_integration(acme, listing_status=listing_status)
    assert (monitoring.start_missing_monitoring(NOW), monitoring.start_monitoring(integration, NOW)) == (0, None)


def test_monitoring_ends_without_a_repository_and_continues_with_the_next_one(monitored_repository, alice):
    integration = monitored_repository.integration
    no_repository = {"repository": "", "repository_id": None, "repository_owner_id": None}
    creation.change_description(integration, no_repository, actor=alice, now=NOW)
    monitored_repository.refresh_from_db()
    assert (monitored_repository.ended_at, monitored_repository.poll_at) == (NOW, None)
    later = NOW + timedelta(days=1)
    facts = {"repository": "acme/nomad-other", "repository_id": 99, "repository_owner_id": 47}
    creation.change_description(integration, facts, actor=alice, now=later)
    monitored_repository.refresh_from_db()
    assert (monitored_repository.repository, monitored_repository.poll_at) == ("acme/nomad-other", later)
    assert (monitored_repository.began_at, monitored_repository.moved_at) == (OPENED_AT, later)
    assert monitored_repository.ended_at is None


@pytest.mark.parametrize("is_ended", [False, True])
@pytest.mark.parametrize("path", ["{page}", "{page}label-policy/", "/sla/?integration={uuid}"])
def test_pages_link_to_the_webhook_only_while_monitored(monitored_repository, alice, sign_in, path, is_ended):
    uuid = monitored_repository.integration.uuid
    if is_ended:
        monitoring.stop_monitoring(monitored_repository.integration, NOW)
    page = f"/integrations/{uuid}/"
    client = sign_in(alice)
    assert (f"{page}monitoring/" in client.get(path.format(page=page, uuid=uuid)).text) is not is_ended
    assert client.get(f"{page}monitoring/").status_code == (404 if is_ended else 200)


def test_payload_url_is_that_of_the_portal_whatever_the_host_of_the_request(
    monitored_repository, alice, sign_in, settings
):
    """GitHub may not reach an internal host by which people open the page."""
    page = f"/integrations/{monitored_repository.integration.uuid}/monitoring/"
    text = sign_in(alice).get(page, headers={"Host": "testserver:4444"}).text
    path = reverse("inbound:github_webhook", args=[monitored_repository.uuid])
    assert (f"{settings.SITE_URL}{path}" in text, "testserver" in text) == (True, False)


def test_new_secret_needs_a_recent_sign_in(monitored_repository, alice, sign_in):
    client = sign_in(alice)
    page = f"/integrations/{monitored_repository.integration.uuid}/monitoring/"
    fields = {"after": client.get(page).context["after"]}
    session = client.session
    records = session["account_authentication_methods"]
    session["account_authentication_methods"] = [record | {"at": record["at"] - 3600} for record in records]
    session.save()
    response = client.post(page, fields)
    before = bytes(monitored_repository.secret)
    monitored_repository.refresh_from_db()
    assert (response.status_code, response["Location"].partition("?")[0]) == (302, "/accounts/reauthenticate/")
    assert bytes(monitored_repository.secret) == before


def test_second_start_changes_nothing(monitored_repository):
    again = monitoring.start_monitoring(monitored_repository.integration, OPENED_AT + timedelta(days=3))
    assert again is not None
    assert (again.pk, again.began_at) == (monitored_repository.pk, OPENED_AT)


def test_ended_monitoring_can_be_restarted(monitored_repository):
    monitoring.stop_monitoring(monitored_repository.integration, OPENED_AT + timedelta(days=1))
    later = OPENED_AT + timedelta(days=9)
    again = monitoring.start_monitoring(monitored_repository.integration, later)
    assert again is not None
    assert (again.pk, again.began_at, again.ended_at, again.data_up_to) == (monitored_repository.pk, later, None, later)


def test_issue_opened_before_a_restart_without_a_repository_is_not_covered(monitored_repository, alice):
    integration = monitored_repository.integration
    moved_at = OPENED_AT + timedelta(days=1)
    MonitoredRepository.objects.update(moved_at=moved_at, ended_at=moved_at + timedelta(days=1))
    no_repository = {"repository": "", "repository_id": None, "repository_owner_id": None}
    creation.change_description(integration, no_repository, actor=alice, now=moved_at)
    integration.refresh_from_db()
    restarted_at = OPENED_AT + timedelta(days=9)
    assert monitoring.start_monitoring(integration, restarted_at) is None
    facts = {"repository": "acme/nomad-rocket", "repository_id": 4711, "repository_owner_id": 47}
    creation.change_description(integration, facts, actor=alice, now=restarted_at + timedelta(days=1))
    monitored_repository.refresh_from_db()
    assert (monitored_repository.began_at, monitored_repository.moved_at) == (restarted_at, None)


def test_letter_case_of_the_repository_changes_nothing(monitored_repository, alice):
    MonitoredRepository.objects.update(repository="Acme/Nomad-Rocket")
    facts = {"repository": "ACME/nomad-rocket", "repository_id": None, "repository_owner_id": None}
    creation.change_description(monitored_repository.integration, facts, actor=alice, now=NOW)
    monitored_repository.refresh_from_db()
    assert (monitored_repository.moved_at, monitored_repository.repository_id) == (None, 4711)


def test_clocks_have_no_next_check_after_the_end_of_support(monitored_repository):
    tracker = build_tracker(monitored_repository)
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    issue = map_issue(GitHubIssue.model_validate(tracker.issues[number]))
    assert issue is not None
    updates = event_store.store_updates(monitored_repository, [issue], "poll", OPENED_AT)
    rebuild_projections(updates, OPENED_AT)
    assert SlaClock.objects.exclude(next_at=None).count() == 1
    monitoring.stop_monitoring(monitored_repository.integration, OPENED_AT + timedelta(hours=1))
    assert SlaClock.objects.exclude(next_at=None).count() == 0
    rebuild_projections(updates, OPENED_AT + timedelta(hours=2))
    assert SlaClock.objects.exclude(next_at=None).count() == 0


def test_monitoring_follows_the_integration_to_another_repository(monitored_repository, alice):
    MonitoredRepository.objects.update(hook_id=77, last_delivery_at=NOW)
    facts = {"repository": "acme/nomad-other", "repository_id": 99, "repository_owner_id": 47}
    creation.change_description(monitored_repository.integration, facts, actor=alice, now=NOW)
    monitored_repository.refresh_from_db()
    assert (monitored_repository.repository, monitored_repository.repository_id, monitored_repository.poll_at) == (
        "acme/nomad-other",
        99,
        NOW,
    )
    assert (monitored_repository.hook_id, monitored_repository.last_delivery_at) == (None, None)
    assert monitoring.describe_trouble(monitored_repository).startswith("No webhook delivery yet")


def test_secrets_are_encrypted_with_the_newest_key(monitored_repository, settings, capsys):
    older = settings.ENCRYPTION_KEYS
    rotate(monitored_repository)
    settings.ENCRYPTION_KEYS = ["a newer key", *older]
    call_command("rotate_encryption_keys")
    call_command("rotate_encryption_keys")
    reports = [line for line in capsys.readouterr().out.splitlines() if "monitored repositor" in line]
    assert reports == [f"Re-encrypted monitored repositories: {count}." for count in (1, 0)]
    settings.ENCRYPTION_KEYS = ["a newer key"]
    monitored_repository.refresh_from_db()
    assert monitoring.decrypt_secrets(monitored_repository).old == SECRET.encode()
    settings.ENCRYPTION_KEYS = ["another key"]
    with pytest.raises(CommandError, match=monitored_repository.repository):
        call_command("rotate_encryption_keys")
