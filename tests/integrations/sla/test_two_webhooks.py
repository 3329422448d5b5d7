"""Tests of the webhooks of an integration whose issue tracker is another repository than its code."""

import json
from datetime import timedelta
from typing import Any

import pytest

from integrations.partners.models import Partner
from integrations.sla.github import delivery_processing, webhook_intake
from integrations.sla.models import GitHubDelivery, MonitoredRepository, SupportIssue
from integrations.submissions.models import Integration
from tests.fakes.github.tracker import WebhookDelivery
from tests.integrations.page_text import get_text
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    REPORTER,
    build_tracker,
    create_listed_integration,
    monitor_repository,
    post_delivery,
)
from verification.checks.models import CheckRun

pytestmark = pytest.mark.any_database
LATER = OPENED_AT + timedelta(minutes=5)
CODE = {"id": 4711, "full_name": "acme/nomad-rocket", "default_branch": "main"}
ISSUES = {"id": 77, "full_name": "acme/support", "default_branch": "main"}
OTHER = {"id": 99, "full_name": "acme/other", "default_branch": "main"}


@pytest.fixture
def monitored_repository(acme: Partner) -> MonitoredRepository:
    row = monitor_repository(create_listed_integration(acme))
    row.repository = ISSUES["full_name"]
    row.repository_id = ISSUES["id"]
    row.poll_at = LATER + timedelta(hours=1)
    row.save()
    return row


def post(row: MonitoredRepository, event: str, repository: dict[str, Any], **headers: str) -> int:
    """Deliver an event of a repository and process it. Return the status code of the delivery."""
    body = json.dumps({"action": event, "repository": repository, "ref": "refs/heads/main"}).encode()
    status = post_delivery(row, WebhookDelivery(event, event, body), **headers)
    delivery_processing.process_due_deliveries(LATER)
    return status


def list_effects(row: MonitoredRepository) -> list[str]:
    """Return what a delivery started."""
    row.refresh_from_db()
    effects = {"checks": CheckRun.objects.exists(), "poll": row.poll_at == LATER, "hook": bool(row.last_delivery_at)}
    return [name for name, has_started in effects.items() if has_started]


@pytest.mark.parametrize(
    ("event", "repository", "status", "outcome", "effects"),
    [
        ("release", CODE, 202, "code_changed", ["checks"]),
        ("push", CODE, 202, "code_changed", ["checks"]),
        ("repository", CODE, 202, "code_changed", ["checks"]),
        ("star", CODE, 202, "foreign", []),
        ("star", ISSUES, 202, "ignored", ["hook"]),
        ("release", ISSUES, 202, "ignored", ["hook"]),
        ("push", ISSUES, 202, "ignored", ["hook"]),
        ("repository", ISSUES, 202, "poll_requested", ["poll", "hook"]),
        ("release", OTHER, 403, None, []),
    ],
)
def test_each_repository_starts_only_what_it_may(
    monitored_repository: MonitoredRepository,
    event: str,
    repository: dict[str, Any],
    status: int,
    outcome: str | None,
    effects: list[str],
) -> None:
    assert post(monitored_repository, event, repository) == status
    assert list(GitHubDelivery.objects.values_list("outcome", flat=True)) == ([outcome] if outcome else [])
    assert list_effects(monitored_repository) == effects


@pytest.mark.parametrize(("repository", "titles"), [(ISSUES, ["It hangs"]), (CODE, [])])
def test_only_issues_of_the_tracker_are_read(
    monitored_repository: MonitoredRepository, repository: dict[str, Any], titles: list[str]
) -> None:
    tracker = build_tracker(monitored_repository)
    tracker.open(REPORTER, "It hangs", OPENED_AT)
    delivery = tracker.webhooks[0]
    body = json.dumps(json.loads(delivery.body) | {"repository": repository}).encode()
    assert post_delivery(monitored_repository, WebhookDelivery("issue", delivery.event, body)) == 202
    delivery_processing.process_due_deliveries(LATER)
    assert list(SupportIssue.objects.values_list("title", flat=True)) == titles


@pytest.mark.parametrize(("repository", "hook_id"), [(ISSUES, 5), (CODE, None)])
def test_missed_deliveries_are_looked_up_only_for_the_tracker(
    monitored_repository: MonitoredRepository, repository: dict[str, Any], hook_id: int | None
) -> None:
    post(monitored_repository, "release", repository, **{"X-GitHub-Hook-ID": "5"})
    monitored_repository.refresh_from_db()
    assert monitored_repository.hook_id == hook_id


def test_changed_code_repository_starts_nothing_for_the_former_one(monitored_repository: MonitoredRepository) -> None:
    assert post(monitored_repository, "star", CODE) == 202  # the intake now has the repository in its cache
    Integration.objects.update(repository=OTHER["full_name"], repository_id=OTHER["id"])
    # Until the cache expires, the intake accepts the former repository, but the processing reads the current one.
    assert post(monitored_repository, "release", CODE) == 202
    assert GitHubDelivery.objects.get(event="release").outcome == "foreign"
    assert post(monitored_repository, "push", OTHER) == 403
    assert list_effects(monitored_repository) == []
    webhook_intake.clear_cached_repository(monitored_repository.uuid)
    assert post(monitored_repository, "create", CODE) == 403
    assert post(monitored_repository, "delete", OTHER) == 202
    assert list_effects(monitored_repository) == ["checks"]


def test_setup_describes_both_webhooks(monitored_repository: MonitoredRepository, alice: Any, sign_in: Any) -> None:
    uuid = monitored_repository.integration.uuid
    text = get_text(sign_in(alice).get(f"/integrations/{uuid}/monitoring/"))
    assert "In the settings of acme/support, open “Webhooks”" in text
    assert "add a webhook with the same URL and secret to acme/nomad-rocket" in text
