"""Tests that checks run once after a webhook that could change their results, and after no other."""

import json
from datetime import timedelta

import pytest

from integrations.sla.github import delivery_processing
from integrations.sla.models import GitHubDelivery, MonitoredRepository
from portal.jobs.execution import claim
from portal.jobs.models import Job
from tests.integrations.sla.monitored_repository import OPENED_AT, create_listed_integration, monitor_repository
from verification.checks.models import CheckRun
from verification.checks.services import runs

LATER = OPENED_AT + timedelta(minutes=5)


@pytest.fixture
def monitored_repository(acme):
    return monitor_repository(create_listed_integration(acme))


def deliver(monitored_repository, event, number=4711, **more):
    repository = {"id": number, "full_name": monitored_repository.repository, "default_branch": "main"}
    body = json.dumps({"repository": repository, **more}).encode()
    name = str(GitHubDelivery.objects.count())
    return GitHubDelivery.objects.create(
        monitored_repository=monitored_repository,
        delivery_id=name,
        event=event,
        digest=name,
        body=body,
        received_at=OPENED_AT,
    )


@pytest.mark.parametrize(
    ("event", "more", "reason"),
    [
        ("release", {"action": "published"}, "Release on GitHub"),
        ("create", {"ref_type": "branch"}, "New tag or branch on GitHub"),
        ("delete", {"ref_type": "tag"}, "Tag or branch deleted on GitHub"),
        ("repository", {"action": "transferred"}, "Repository changed on GitHub"),
        ("public", {}, "Repository made public"),
        ("push", {"ref": "refs/heads/main"}, "New commits on GitHub"),
        ("push", {"ref": "refs/tags/v1.0.0"}, "New commits on GitHub"),
        ("push", {"ref": "refs/heads/wip"}, None),
        ("push", {"ref": None}, None),
        ("star", {}, None),
        ("ping", {"hook_id": 1}, None),
    ],
)
def test_webhook_requests_a_check_run(monitored_repository, event, more, reason):
    deliver(monitored_repository, event, **more)
    assert delivery_processing.process_due_deliveries(LATER) == 1
    check_runs = list(CheckRun.objects.open().values_list("integration_id", "reason", "requested_by", "nightly"))
    assert check_runs == ([(monitored_repository.integration_id, reason, None, True)] if reason else [])
    assert GitHubDelivery.objects.get().outcome == ("checks_requested" if reason else "ignored")


@pytest.mark.parametrize(("event", "is_due"), [("public", True), ("repository", True), ("release", False)])
def test_issues_are_polled_at_once_if_the_visibility_can_have_changed(monitored_repository, event, is_due):
    MonitoredRepository.objects.filter(pk=monitored_repository.pk).update(poll_at=LATER + timedelta(hours=6))
    deliver(monitored_repository, event)
    delivery_processing.process_due_deliveries(LATER)
    assert MonitoredRepository.objects.filter(poll_at__lte=LATER).exists() is is_due


def test_several_webhooks_request_one_run(monitored_repository):
    for event in ("release", "create", "push"):
        deliver(monitored_repository, event, ref="refs/heads/main")
    delivery_processing.process_due_deliveries(LATER)
    deliver(monitored_repository, "release")
    delivery_processing.process_due_deliveries(LATER + timedelta(minutes=1))
    assert CheckRun.objects.count() == 1


def test_unrelated_or_repeated_webhook_requests_no_run(monitored_repository):
    deliver(monitored_repository, "release", number=9)
    first = deliver(monitored_repository, "release")
    delivery_processing.process_due_deliveries(LATER)
    CheckRun.objects.update(finished_at=LATER)
    again = deliver(monitored_repository, "release")
    GitHubDelivery.objects.filter(pk=again.pk).update(digest=first.digest)
    delivery_processing.process_due_deliveries(LATER)
    assert [row.outcome for row in GitHubDelivery.objects.order_by("pk")] == ["foreign", "checks_requested", "replay"]
    assert not CheckRun.objects.open().exists()


def test_run_requested_by_a_person_keeps_its_requester(monitored_repository, alice):
    runs.request_check_run(monitored_repository.integration, alice, OPENED_AT, "Asked for")
    Job.objects.update(run_after=LATER + timedelta(hours=1))
    deliver(monitored_repository, "release")
    delivery_processing.process_due_deliveries(LATER)
    run = CheckRun.objects.get()
    assert (run.requested_by, run.nightly, run.next_attempt_at, run.reason) == (alice, False, LATER, "Asked for")


def test_run_in_progress_is_repeated(monitored_repository):
    runs.request_background_check_run(monitored_repository.integration, OPENED_AT, "A push")
    claim(Job.objects.filter(kind="checks.run"), LATER)
    deliver(monitored_repository, "release")
    delivery_processing.process_due_deliveries(LATER)
    assert Job.objects.get(kind="checks.run").rerun_requested
