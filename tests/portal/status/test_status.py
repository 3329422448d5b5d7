"""Tests of the status page, also during outages. It never reports an unknown state as operational."""

import socket
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from integrations.sla.models import GitHubDelivery, MonitoredRepository
from portal.core.figures import MAX_UNCACHED_ROWS
from portal.jobs.dispatcher import RUN_JOBS
from portal.jobs.models import Job, PeriodicRun
from portal.jobs.registry import JOBS, QUEUES
from portal.jobs.services import enqueue
from portal.notifications.tasks import send_email
from portal.status import probes
from tests.servers.base import reserve_closed_port
from verification.checks.models import CheckResult
from verification.checks.services.runs import run_checks
from verification.outcomes import Outcome
from verification.sources.models import GitHubRateLimit
from verification.testruns.models import TestRun
from verification.testruns.services import JOBS as TEST_RUN_JOBS

pytestmark = pytest.mark.any_database

NOW = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)


@pytest.fixture
def heartbeats(db: None) -> None:
    now = timezone.now()
    for name in (RUN_JOBS, *(job.name for job in JOBS)):
        PeriodicRun.objects.create(name=name, started_at=now, finished_at=now)


def get_component(name: str, now: datetime = NOW) -> probes.StatusLine:
    groups = [*probes.measure_all(now), probes.measure_for_staff(now)]
    return next(each for _, lines in groups for each in lines if each.name == name)


def test_page_is_public_without_figures(client: Client, heartbeats: None) -> None:
    answer = client.get("/status/")
    assert "no-store" in answer["Cache-Control"]
    assert "All systems operational." in answer.text
    assert "status-details" not in answer.text


def test_program_staff_see_the_figures(sign_in: Any, rita: Any, heartbeats: None) -> None:
    GitHubRateLimit.objects.create(
        name="anonymous", limit=60, remaining=12, window_started_at=timezone.now(), request_count=5
    )
    page = sign_in(rita).get("/status/").text
    assert "12 of 60" in page
    assert "every 30 s" in page


def test_partner_sees_no_figures(sign_in: Any, alice: Any, heartbeats: None) -> None:
    assert "status-details" not in sign_in(alice).get("/status/").text


def test_page_sets_no_cookies_for_visitors(client: Client, heartbeats: None) -> None:
    assert client.get("/status/").cookies.output() == ""


def test_json_has_the_same_states_without_figures(client: Client, heartbeats: None) -> None:
    data = client.get("/status.json").json()
    assert (data["tone"], data["summary"]) == ("good", "All systems operational.")
    assert {tuple(sorted(each)) for each in data["lines"]} == {("at", "name", "state", "summary")}


def test_run_jobs_that_never_ran_or_stopped_is_not_operational(db: None) -> None:
    assert get_component("Background jobs").state == "down"
    at = NOW - timedelta(minutes=1)
    run = PeriodicRun.objects.create(name=RUN_JOBS, started_at=at, finished_at=at)
    background = get_component("Background jobs")
    assert (background.state, background.summary) == ("ok", "Background jobs last ran 1 min ago.")
    PeriodicRun.objects.filter(pk=run.pk).update(finished_at=NOW - timedelta(minutes=3))
    assert (get_component("Background jobs").state, get_component("Background jobs").hint) == (
        "late",
        probes.BACKGROUND_DOWN_HINT,
    )


@pytest.mark.every_database
def test_late_job_of_the_first_queue_is_named(heartbeats: None) -> None:
    PeriodicRun.objects.filter(name="sla.advance_clocks").update(finished_at=timezone.now() - timedelta(minutes=5))
    assert (
        get_component("Background jobs", timezone.now()).state,
        get_component("Background jobs", timezone.now()).hint,
    ) == (
        "late",
        "Delayed: sla.advance_clocks.",
    )


def test_queue_with_a_late_job_is_late(heartbeats: None) -> None:
    PeriodicRun.objects.filter(name="reports.generate").update(finished_at=timezone.now() - timedelta(hours=1))
    assert (get_component("Email queue", timezone.now()).state, get_component("Email queue", timezone.now()).hint) == (
        "late",
        "Delayed: reports.generate.",
    )
    assert probes.summarize(probes.measure_all(timezone.now())) == ("warn", "Delayed: Email queue.")


def test_queue_without_a_finished_round_is_late_if_its_jobs_are(db: None) -> None:
    begin = NOW - timedelta(minutes=5)
    PeriodicRun.objects.create(name=RUN_JOBS, started_at=begin, finished_at=NOW)
    assert (get_component("Email queue").state, get_component("Email queue").hint) == ("idle", "")
    later = begin + timedelta(minutes=31)
    assert (get_component("Email queue", later).state, get_component("Email queue", later).hint) == (
        "late",
        "Delayed: reports.generate, submissions.send_digests, notifications.queue_stored_emails.",
    )


def test_unavailable_redis_is_shown_on_the_page(client: Client, settings: Any, heartbeats: None) -> None:
    with reserve_closed_port() as port:
        settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
        page = client.get("/status/")
    assert page.status_code == 200
    assert "Redis is down." in page.text
    assert "Down: Redis." in page.text


def test_sandbox_state_follows_its_socket(settings: Any, tmp_path: Any, db: None) -> None:
    assert get_component("Sandbox").state == "absent"
    settings.SANDBOX_SOCKET = str(tmp_path / "s")
    assert get_component("Sandbox").state == "down"
    with socket.socket(socket.AF_UNIX) as there:
        there.bind(settings.SANDBOX_SOCKET)
        there.listen(1)
        assert get_component("Sandbox").state == "ok"


@pytest.mark.every_database
def test_github_is_shown_in_each_state(db: None) -> None:
    assert get_component("GitHub").state == "idle"
    row = GitHubRateLimit.objects.create(name="anonymous", limit=60, window_started_at=NOW)
    assert get_component("GitHub").state == "ok"
    GitHubRateLimit.objects.filter(pk=row.pk).update(blocked_until=NOW + timedelta(minutes=5))
    assert get_component("GitHub").summary.endswith("continue at Tue, Apr 14, 9:05 AM UTC.")
    GitHubRateLimit.objects.filter(pk=row.pk).update(disabled_at=NOW, disabled_reason="401")
    assert get_component("GitHub").state == "down"


def test_github_is_down_while_the_last_check_could_not_read_a_repository(rocket: Any) -> None:
    GitHubRateLimit.objects.create(name="anonymous", limit=60, window_started_at=NOW)
    states = []
    for hours, outcome in ((30, Outcome.ERROR), (3, Outcome.PASS), (2, Outcome.ERROR), (1, Outcome.PASS)):
        at = NOW - timedelta(hours=hours)
        CheckResult.objects.create(
            integration=rocket, key="repository.license", version=1, outcome=outcome, summary="x", at=at
        )
        states.append(get_component("GitHub").state)
    assert states == ["ok", "ok", "down", "ok"]


def test_many_results_of_checks_are_not_read_at_each_request(rocket: Any, django_assert_num_queries: Any) -> None:
    GitHubRateLimit.objects.create(name="anonymous", limit=60, window_started_at=NOW)
    result = CheckResult(
        integration=rocket, key="repository.license", version=1, outcome=Outcome.PASS, summary="x", at=NOW
    )
    CheckResult.objects.bulk_create([copy(result) for _ in range(MAX_UNCACHED_ROWS + 1)])
    assert get_component("GitHub").state == "ok"
    with django_assert_num_queries(2):  # for the rate limits and the last response
        assert probes.measure_github(NOW).state == "ok"


def test_issue_monitoring_is_as_old_as_the_oldest_repository(integration_at: Any) -> None:
    assert get_component("Issues").state == "idle"
    row = integration_at("support", program="terraform-provider")
    MonitoredRepository.objects.filter(integration=row).update(data_up_to=NOW - timedelta(minutes=5))
    assert get_component("Issues").state == "ok"
    MonitoredRepository.objects.filter(integration=row).update(data_up_to=NOW - timedelta(hours=3))
    assert (get_component("Issues").state, get_component("Issues").summary[-11:]) == ("late", "to 3 h ago.")


@pytest.mark.every_database
def test_inbound_webhooks_report_the_last_received_delivery(integration_at: Any) -> None:
    repository = MonitoredRepository.objects.get(integration=integration_at("support", program="terraform-provider"))
    name = "Inbound webhooks"
    idle_message = "No webhooks yet. Without webhooks, we poll every few minutes."
    assert get_component(name) == probes.StatusLine("idle", idle_message, name=name)
    for hours in (2, 1):
        received_at = NOW - timedelta(hours=hours)
        delivery = {"delivery_id": str(hours), "received_at": received_at, "read_at": received_at, "body": b"{}"}
        GitHubDelivery.objects.create(monitored_repository=repository, **delivery)
        message = f"The last webhook came {hours} h ago. The queue is empty."
        assert get_component(name) == probes.StatusLine("ok", message, name=name)


@pytest.mark.every_database
def test_queues_show_their_oldest_job(rocket: Any, settings: Any) -> None:
    settings.EMAIL_STORED_ONLY = False
    Job.objects.all().delete()
    assert get_component("Checks").summary == "The queue is empty."
    enqueue(run_checks, integration_id=rocket.pk, run_after=NOW - timedelta(minutes=31))
    enqueue(send_email, email_id=1, run_after=NOW)
    assert (get_component("Checks").state, get_component("Checks").details) == ("late", (("waiting", "1"),))
    assert get_component("Emails").state == "ok"
    assert get_component("Emails", NOW + timedelta(minutes=6)).state == "late"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Run task tests", TestRun.Kind.RUN_TASK),
        ("Provider acceptance tests", TestRun.Kind.PROVIDER_LIFECYCLE),
        ("Nomad plugin tests", TestRun.Kind.NOMAD_PLUGIN),
        ("Provider schema inspections", TestRun.Kind.PROVIDER_SCHEMA),
    ],
)
def test_each_kind_of_test_run_reports_its_last_run_and_its_queue(rocket: Any, name: str, kind: TestRun.Kind) -> None:
    assert (get_component(name).state, get_component(name).summary) == ("idle", "No tests have been requested yet.")
    run_fields = {"integration": rocket, "kind": kind, "requested_at": NOW}
    TestRun.objects.create(**run_fields)
    assert get_component(name).summary == "The queue is empty."
    TestRun.objects.create(finished_at=NOW - timedelta(hours=2), outcome="fail", **run_fields)
    assert (get_component(name).state, get_component(name).summary) == (
        "ok",
        "The last one finished 2 h ago. The queue is empty.",
    )
    enqueue(TEST_RUN_JOBS[kind], run_after=NOW - timedelta(minutes=31), test_run_id=1)
    assert get_component(name).summary == "The last one finished 2 h ago. The oldest entry was due 31 min ago."
    assert (get_component(name).state, get_component(name).details) == ("late", (("waiting", "1"),))
    Job.objects.all().delete()
    TestRun.objects.create(finished_at=NOW - timedelta(hours=1), outcome="not_run", **run_fields)
    assert get_component(name).summary == "The last one finished 1 h ago with the result Not run. The queue is empty."


def test_every_queue_has_a_label_and_a_description(heartbeats: None) -> None:
    assert set(probes.QUEUE_NAMES) == set(QUEUES[1:])
    assert get_component("Sandbox queue", timezone.now()).summary == (
        "This queue reads provider schemas and runs provider acceptance tests and Nomad plugin tests. "
        "The last job finished just now."
    )


def test_unmeasurable_component_is_unknown(monkeypatch: Any, heartbeats: None) -> None:
    def raise_error(_now: datetime) -> probes.StatusLine:
        raise RuntimeError("out of order")

    status_line = probes.measure_line("GitHub", raise_error, NOW)
    assert (status_line.state, probes.summarize([("", [status_line])])[0]) == ("unknown", "warn")


@pytest.mark.every_database
def test_unavailable_database_is_shown(client: Client, monkeypatch: Any) -> None:
    def raise_outage(_now: datetime) -> Any:
        raise OperationalError("gone")

    monkeypatch.setattr(probes, "measure_all", raise_outage)
    assert client.get("/status/").status_code == 503
    assert "The portal is temporarily unavailable" in client.get("/status/").text
    assert client.get("/status.json").status_code == 503


def test_version_is_shown_to_signed_in_users(
    client: Client, sign_in: Any, alice: Any, heartbeats: None, settings: Any
) -> None:
    settings.PORTAL_VERSION = "v1.2-3-gabc"
    pages = [client.get("/status/").text, sign_in(alice).get("/status/").text]
    assert ["Version of the portal: v1.2-3-gabc" in page for page in pages] == [False, True]
