"""Tests with an independent emulator of GitHub: its webhooks and its lists give the same events."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread

import pytest
from django.test import Client

from integrations.partners.models import Partner
from integrations.sla.github import delivery_processing, reconciliation, webhook_intake
from integrations.sla.models import GitHubDelivery, MonitoredRepository, SlaClock, SupportIssue, SupportIssueEvent
from portal.jobs.execution import run_due_jobs
from tests.fakes.github.server import GitHub, Repo
from tests.integrations.sla.monitored_repository import SECRET, create_listed_integration, monitor_repository

pytestmark = pytest.mark.any_database

REPOSITORY = "acme/nomad-rocket"
DeliveryQueue = Queue[tuple[dict[str, str], bytes]]


@pytest.fixture
def webhook_receiver() -> Iterator[tuple[str, DeliveryQueue]]:
    """The URL of a server, and the requests that are posted to it."""
    queue: DeliveryQueue = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            queue.put((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(202)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", queue
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.fixture
def monitored_repository(acme: Partner, github: GitHub) -> MonitoredRepository:
    github.seed(Repo(REPOSITORY, releases=()))
    number = github.request("GET", f"/repos/{REPOSITORY}")["id"]
    row = monitor_repository(
        create_listed_integration(acme, repository_id=number), datetime.now(UTC) - timedelta(days=1)
    )
    webhook_intake.clear_cached_repository(row.uuid)
    return row


def create_issues(github: GitHub) -> None:
    issues = f"/repos/{REPOSITORY}/issues"
    for title in ("It crashes", "It hangs"):
        github.request("POST", issues, {"title": title})
    github.request("POST", f"{issues}/1/comments", {"body": "Which version do you use?"})
    github.request("PATCH", f"{issues}/2", {"state": "closed", "state_reason": "not_planned"})


def wait_for_deliveries(delivery_queue: DeliveryQueue) -> Iterator[tuple[dict[str, str], bytes]]:
    """Yield the deliveries of all issues, which can arrive late and in any order."""
    expected_actions = ["opened", "opened", "created", "closed"]
    while expected_actions:
        headers, body = delivery_queue.get(timeout=60)
        action = json.loads(body).get("action")
        if action in expected_actions:
            expected_actions.remove(action)
        yield headers, body


def list_issues() -> list[tuple[object, ...]]:
    return list(SupportIssue.objects.order_by("number").values_list("number", "title", "is_open", "author"))


def list_event_keys() -> set[str]:
    return set(SupportIssueEvent.objects.values_list("key", flat=True))


def test_listed_issues_are_read(monitored_repository, github):
    create_issues(github)
    MonitoredRepository.objects.update(poll_at=datetime.now(UTC))
    reconciliation.enqueue_due_repositories(datetime.now(UTC))
    assert run_due_jobs("network", datetime.now(UTC)) == {"sla.reconcile": 1}
    assert list_issues() == [(1, "It crashes", True, "keeper"), (2, "It hangs", False, "keeper")]


@pytest.mark.every_database
def test_webhooks_are_signed_and_read_and_the_lists_add_nothing(monitored_repository, github, webhook_receiver):
    address, delivery_queue = webhook_receiver
    hook = {"url": address, "content_type": "json", "secret": SECRET}
    github.request("POST", f"/repos/{REPOSITORY}/hooks", {"config": hook, "events": ["issues", "issue_comment"]})
    create_issues(github)
    for headers, body in wait_for_deliveries(delivery_queue):
        headers_sent = {name: value for name, value in headers.items() if name.lower().startswith("x-")}
        response = Client().post(
            f"/inbound/github/{monitored_repository.uuid}/", body, "application/json", headers=headers_sent
        )
        assert response.status_code == 202
    delivery_processing.process_due_deliveries(datetime.now(UTC))
    assert set(GitHubDelivery.objects.values_list("event", "outcome")) >= {
        ("issues", "read"),
        ("issue_comment", "read"),
    }
    before = (list_issues(), list_event_keys(), SlaClock.objects.count())
    MonitoredRepository.objects.update(poll_at=datetime.now(UTC))
    reconciliation.enqueue_due_repositories(datetime.now(UTC))
    assert run_due_jobs("network", datetime.now(UTC)) == {"sla.reconcile": 1}
    assert (list_issues(), list_event_keys(), SlaClock.objects.count()) == before
