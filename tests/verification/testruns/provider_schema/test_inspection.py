"""Tests of schema inspections in the portal."""

import json
import os
import socketserver
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from integrations.submissions.models import Integration
from portal.core.errors import ActionRefused
from portal.jobs.execution import run_due_jobs
from portal.jobs.models import Job
from tests.conftest import create_integration
from tests.fakes import signed_releases
from tests.fakes.registry import Provider, Registry
from verification.checks.models import CheckRun
from verification.checks.rules.provider_schema import OBSERVATION_KEY
from verification.checks.services import observations
from verification.sandbox import environment
from verification.schemas.models import ProviderSchema
from verification.testruns.kinds.provider_schema.kind import RETRY_DELAY
from verification.testruns.models import TestRun
from verification.testruns.services import start_test_run
from verification.testruns.terraform_cli import get_platform

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]
NOW = datetime.now(UTC)
PLATFORM = get_platform()
BLOCK = {"attributes": {"api_token": {"type": "string", "description": "A token.", "description_kind": "plain"}}}
SCHEMA = {
    "format_version": "1.0",
    "provider_schemas": {
        "registry.terraform.io/acme/rocket": {
            "provider": {"version": 0, "block": BLOCK},
            "resource_schemas": {"rocket_pad": {"version": 1, "block": BLOCK}},
        }
    },
}
READING = {"read": True, "key": "", "problem": "", "seconds": 0.5, "peak": 90_000_000, "output": "a\x00b"}
GOOD = {
    "readings": [READING | {"via": "direct", "protocol": 5}, READING | {"via": "terraform", "protocol": 0}],
    "schema": SCHEMA,
    "differences": [],
    "terraform": True,
}


class Service:
    """Fake sandbox service that records jobs and sends the response of the test."""

    def __init__(self, path: Path) -> None:
        self.jobs: list[dict[str, Any]] = []
        self.received = b""
        self.response = {"answer": GOOD}
        service = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                job = json.loads(self.rfile.readline())
                service.received = self.rfile.read(job["size"])
                service.jobs.append(job)
                for line in ({"progress": {"message": "Reading the schema from the provider"}}, service.response):
                    self.wfile.write(json.dumps(line).encode() + b"\n")

        self.server = socketserver.ThreadingUnixStreamServer(str(path), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()


@pytest.fixture
def service(tmp_path: Path, settings: Any) -> Iterator[Service]:
    path = tmp_path / "sandbox"
    sandbox_service = Service(path)
    settings.SANDBOX_SOCKET = str(path)
    yield sandbox_service
    sandbox_service.server.shutdown()
    sandbox_service.server.server_close()


@pytest.fixture
def rocket(acme: Any, alice: Any) -> Integration:
    return create_integration(
        acme, alice, name="Rocket", repository="acme/terraform-provider-rocket", repository_id=77, now=NOW
    )


@pytest.fixture
def publish_provider(registry: Registry, settings: Any) -> Callable[..., signed_releases.SignedRelease]:
    """Return a function that publishes acme/rocket 1.0.0 with a program."""
    settings.GITHUB_API_URL = registry.url

    def publish(
        program: bytes = b"", change: Callable[[signed_releases.SignedRelease], None] = lambda _: None
    ) -> signed_releases.SignedRelease:
        release = signed_releases.build_release(
            "rocket", "1.0.0", **({"programs": {PLATFORM: program}} if program else {})
        )
        change(release)
        registry.publish(Provider("acme/rocket", versions=("1.0.0",), releases={"1.0.0": release}))
        return release

    return publish


def inspect(integration: Integration, by: Any) -> TestRun:
    row = start_test_run("provider_schema", integration, {}, actor=by, now=NOW)
    assert run_due_jobs("sandbox", timezone.now()) == {"testruns.provider_schema": 1}
    return TestRun.objects.get(pk=row.pk)


@pytest.mark.every_database
def test_schema_of_an_authentic_release_is_stored(
    rocket: Integration, alice: Any, service: Service, publish_provider: Callable[..., Any]
) -> None:
    publish_provider()
    row = inspect(rocket, alice)
    assert (row.outcome, row.version) == ("pass", "1.0.0"), row.records
    assert service.jobs[0]["arguments"]["source"] == "acme/rocket"
    assert service.received[:4] == b"\x7fELF"
    stored_schema = ProviderSchema.objects.get(integration=rocket)
    assert (stored_schema.version, stored_schema.resources, stored_schema.submitted_by) == ("1.0.0", 1, None)
    outcome_by_id = {one["id"]: one["outcome"] for one in row.results}
    assert outcome_by_id == {
        "schema.read": "pass",
        "schema.protocol": "pass",
        "schema.features": "not_run",
        "schema.prefix": "pass",
        "schema.sensitive": "warn",
        "schema.deprecated": "pass",
        "schema.descriptions": "warn",
        "schema.pages": "fail",
    }
    assert observations.get_known_values(rocket)[OBSERVATION_KEY]["readings"][0]["output"] == "ab"
    assert CheckRun.objects.open().filter(integration=rocket).exists()


def test_release_that_is_not_authentic_is_never_started(
    rocket: Integration, alice: Any, service: Service, publish_provider: Callable[..., Any]
) -> None:
    def replace_signature(release: signed_releases.SignedRelease) -> None:
        release.files[f"{release.prefix}_SHA256SUMS.sig"] = b"no signature"

    publish_provider(change=replace_signature)
    row = inspect(rocket, alice)
    assert row.outcome == "not_run"
    assert row.records["not_run"].startswith("The release didn't pass “")
    assert service.jobs == []


@pytest.mark.parametrize(
    ("response", "outcome", "summary"),
    [
        ({"not_run": "No sandbox on this worker: x."}, "not_run", "No sandbox on this worker: x."),
        ({"refused": "It is not called so."}, "not_run", "It is not called so."),
        (
            {"answer": GOOD | {"differences": ["provider.block"]}},
            "fail",
            "The provider and Terraform return different schemas.",
        ),
    ],
)
def test_response_of_the_sandbox_is_reported(
    response: Any, outcome: str, summary: str, rocket: Integration, alice: Any, service: Service, publish_provider: Any
) -> None:
    publish_provider()
    service.response = response
    row = inspect(rocket, alice)
    assert (row.results[0]["outcome"], row.results[0]["summary"]) == (outcome, summary)


@pytest.mark.every_database
def test_internal_error_is_retried_and_given_up(
    rocket: Integration, alice: Any, service: Service, publish_provider: Callable[..., Any]
) -> None:
    publish_provider()
    service.response = {"error": "it broke"}
    row = inspect(rocket, alice)
    job = Job.objects.get(queue="sandbox")
    assert (row.finished_at, job.state, job.attempts, row.records["progress"]) == (
        None,
        "pending",
        1,
        "Retrying soon: An error on our side stopped the sandbox.",
    )
    assert job.run_after >= NOW + RETRY_DELAY
    for _ in range(2):
        Job.objects.filter(queue="sandbox").update(run_after=timezone.now())
        assert run_due_jobs("sandbox", timezone.now()) == {"testruns.provider_schema": 1}
    row.refresh_from_db()
    assert row.records["not_run"] == "We couldn't read the schema: An error on our side stopped the sandbox."


@pytest.mark.django_db
def test_outage_of_the_registry_is_retried(
    rocket: Integration,
    alice: Any,
    service: Service,
    publish_provider: Callable[..., Any],
    registry: Registry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    publish_provider()
    registry.fail(503)
    row = inspect(rocket, alice)
    address = registry.url.removeprefix("http://")
    reason = f"We couldn't complete this check: {address} returned 503 Service Unavailable for versions."
    assert (row.finished_at, row.records["progress"]) == (None, f"Retrying soon: {reason}")
    assert [(record.getMessage(), record.exc_info) for record in caplog.records] == [
        (f"Test run {row.pk} is retried soon: {reason}", None)
    ]


@pytest.mark.every_database
def test_inspection_ends_after_three_dead_processes(rocket: Integration, alice: Any) -> None:
    row = start_test_run("provider_schema", rocket, {}, actor=alice, now=NOW)
    Job.objects.filter(queue="sandbox").update(
        state="running", attempts=3, started_at=NOW, lease_token=uuid4(), lease_expires_at=NOW
    )
    assert run_due_jobs("sandbox", timezone.now()) == {}
    row.refresh_from_db()
    assert (
        row.records["not_run"] == "We couldn't read the schema: The process that ran the job ended before the job did."
    )
    assert (row.outcome, Job.objects.get(queue="sandbox").state) == ("not_run", "failed")


@pytest.mark.every_database
def test_inspection_without_the_service_is_not_run(
    rocket: Integration, alice: Any, settings: Any, publish_provider: Callable[..., Any]
) -> None:
    publish_provider()
    settings.SANDBOX_SOCKET = "/nowhere/sandbox"
    row = inspect(rocket, alice)
    assert row.records["not_run"].startswith("No sandbox on this worker: its service does not answer")
    assert ProviderSchema.objects.count() == 0


@pytest.mark.skipif(PLATFORM != "linux_amd64", reason="the program of this test is for x86_64")
def test_program_that_is_not_a_provider_is_reported(
    rocket: Integration, alice: Any, publish_provider: Callable[..., Any]
) -> None:
    if reason := environment.find_obstacle():
        pytest.skip(reason)
    publish_provider(Path(os.path.realpath("/bin/true")).read_bytes())
    row = inspect(rocket, alice)
    assert (row.outcome, row.results[0]["summary"]) == (
        "fail",
        "The plugin exited before its handshake, with exit code 0.",
    )


def test_only_members_start_an_inspection_and_only_one_is_open(rocket: Integration, alice: Any, charlie: Any) -> None:
    with pytest.raises(ActionRefused) as refusal:
        start_test_run("provider_schema", rocket, {}, actor=charlie, now=NOW)
    assert refusal.value.kind == "forbidden"
    start_test_run("provider_schema", rocket, {}, actor=alice, now=NOW)
    with pytest.raises(ActionRefused, match="A test run is in progress"):
        start_test_run("provider_schema", rocket, {}, actor=alice, now=NOW)


def test_page_shows_progress_and_result(
    rocket: Integration, alice: Any, service: Service, publish_provider: Callable[..., Any]
) -> None:
    publish_provider()
    client = Client()
    page = reverse("schemas:list", args=[rocket.uuid])
    client.force_login(alice)
    assert "Inspect provider schema" in client.get(page).content.decode()
    panel = reverse("testruns:inspect_schema", args=[rocket.uuid])
    answer = client.post(panel, follow=True)
    assert "when a worker is available" in answer.content.decode()
    live = client.get(panel, headers={"HX-Request": "true"})
    assert (live.status_code, b"<html" in live.content) == (200, False)
    assert run_due_jobs("sandbox", timezone.now()) == {"testruns.provider_schema": 1}
    assert client.get(panel, headers={"HX-Request": "true"}).status_code == 286
    text = client.get(page).content.decode()
    assert "1 resource and 0 data sources over protocol 5, the same through Terraform." in text
    assert "Inspect again" in text
