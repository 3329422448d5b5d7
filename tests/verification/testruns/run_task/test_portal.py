"""Tests of run task tests in the portal."""

import json
import re
import secrets
import urllib.request
from datetime import timedelta
from typing import Any
from urllib.error import HTTPError

import pytest
from django.db.models.signals import post_save
from django.urls import reverse
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services import meetings
from portal.core.crypto import hash_token
from portal.core.errors import ActionRefused
from portal.jobs.execution import run_job
from portal.jobs.models import Job
from tests.conftest import advance_to_stage, create_integration
from tests.integrations.page_text import get_text
from tests.verification.testruns.endpoints import KEY, DeferredEndpoint, serve_endpoint
from tests.verification.testruns.run_task.results import DOCUMENT, FORM_DATA, build_callback, create_pending_request
from verification.checks.models import CheckRun
from verification.checks.rules.latest_test_run import (
    RUN_TASK_CHECK_KEY as KEY_OF_CHECK,
    RUN_TASK_OBSERVATION_KEY as OBSERVATION_KEY,
)
from verification.checks.services import observations
from verification.checks.services.runner import run_integration_checks
from verification.testruns import services
from verification.testruns.kinds.run_task import database_store, kind
from verification.testruns.kinds.run_task.enforcement import build_effects
from verification.testruns.models import RunTaskCallback, RunTaskRequest, TestRun


def run_test_job() -> None:
    """Run the job of the open test run, although it may wait for results."""
    job = Job.objects.unfinished().get(kind="testruns.run_task")
    Job.objects.filter(pk=job.pk).update(run_after=timezone.now())
    assert run_job(job.pk)


@pytest.fixture
def run_test(live_server: Any, settings: Any, monkeypatch: Any, run_task: Integration, alice: Any) -> Any:
    """Return a function that runs a complete test of an endpoint in two slices."""
    settings.SITE_URL = live_server.url
    settings.ALLOW_LOOPBACK_HTTP = True

    def run(how: str = "", **fields: Any) -> TestRun:
        with serve_endpoint(how, kind=DeferredEndpoint) as server:
            row = services.start_test_run(
                "run_task", run_task, FORM_DATA | {"url": server.url, **fields}, actor=alice, now=timezone.now()
            )
            with monkeypatch.context() as patch:
                patch.setattr(kind, "RESULT_WAIT_SECONDS", 0)
                run_test_job()
            server.evaluate_runs()
            run_test_job()
        return TestRun.objects.get(pk=row.pk)

    return run


@pytest.mark.django_db(transaction=True)
def test_good_endpoint_passes_and_its_key_is_deleted(run_test: Any, run_task: Integration) -> None:
    row = run_test()
    assert (row.outcome, bytes(row.encrypted_secrets), row.inputs["is_signed"]) == ("pass", b"", True)
    assert {each["outcome"] for each in row.results} == {"pass"}
    stored_text = str([each.exchange for each in row.requests.all()]) + str([*RunTaskCallback.objects.values("record")])
    assert KEY not in stored_text
    assert CheckRun.objects.open().filter(integration=run_task).exists()
    run_integration_checks(run_task, ["RT-TEST"], now=timezone.now())
    result = run_task.check_results.get()
    assert (result.outcome, result.summary) == ("pass", "The run task passed its test run (Post-plan).")


@pytest.mark.django_db(transaction=True)
def test_page_and_json_show_the_same_verdicts(run_test: Any, run_task: Integration, alice: Any, client: Any) -> None:
    client.force_login(alice)
    address = reverse("testruns:run_task_json", args=[run_task.uuid])
    assert client.get(address).status_code == 404
    row = run_test("duplicate-result")
    data = client.get(address).json()
    assert (data["stages"], data["outcome"], data["results"]) == (["post_plan"], "warn", row.results)
    assert len(data["exchanges"]) == 8
    assert KEY not in str(data)


@pytest.mark.django_db(transaction=True)
def test_canceled_test_run_stops_waiting(
    live_server: Any, settings: Any, monkeypatch: Any, run_task: Integration, alice: Any
) -> None:
    settings.SITE_URL = live_server.url
    settings.ALLOW_LOOPBACK_HTTP = True
    monkeypatch.setattr(kind, "RESULT_WAIT_SECONDS", 60)
    monkeypatch.setattr(
        kind.time,
        "sleep",
        lambda _: services.cancel_test_run(TestRun.objects.get(), actor=alice),
    )
    with serve_endpoint(kind=DeferredEndpoint) as server:
        services.start_test_run("run_task", run_task, FORM_DATA | {"url": server.url}, actor=alice, now=timezone.now())
        run_test_job()
    row = TestRun.objects.get()
    verdict_by_rule = {each["rule"]: (each["outcome"], each["summary"]) for each in row.results}
    assert verdict_by_rule["end"] == ("not_run", "The test run was canceled before a result arrived.")
    assert (
        row.outcome,
        {
            effect.mandatory
            for effect in build_effects(database_store.DatabaseStore(row).load_records(is_complete=True))
        },
    ) == ("not_run", {"The run waits."})


@pytest.mark.django_db(transaction=True)
def test_endpoint_gets_the_plan_of_the_partner(run_test: Any) -> None:
    swapped_run = run_test(passing_plan=json.dumps({"cidr": "0.0.0.0/0"}))
    assert {each["rule"]: each["outcome"] for each in swapped_run.results}["scenario.passing"] == "fail"


@pytest.mark.django_db(transaction=True)
def test_result_after_the_end_still_counts(run_test: Any, live_server: Any) -> None:
    row = run_test()
    request = row.requests.get(step="passing.post_plan")
    token = secrets.token_urlsafe(32)
    row.requests.filter(pk=request.pk).update(token_hash=hash_token(token))
    callback_request = urllib.request.Request(
        database_store.build_urls(request).callback,
        DOCUMENT.encode(),
        method="PATCH",
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/vnd.api+json"},
    )
    with pytest.raises(HTTPError) as refusal:
        urllib.request.urlopen(callback_request)
    refusal.value.close()
    row.refresh_from_db()
    assert (refusal.value.code, row.outcome) == (401, "warn")
    assert {each["rule"]: each["outcome"] for each in row.results}["once"] == "warn"


@pytest.mark.django_db
def test_token_is_used_once_and_expires_after_an_hour(run_task: Integration, alice: Any) -> None:
    request, token = create_pending_request(run_task, alice)
    now = request.sent_at
    assert database_store.record_callback(request.uuid, build_callback(""), now)[0] == 401
    assert database_store.record_callback(request.uuid, build_callback("wrong"), now)[0] == 401
    assert database_store.record_callback(request.uuid, build_callback(token, "POST"), now)[0] == 405
    assert database_store.record_callback(request.uuid, build_callback(token, body=b"{}"), now)[0] == 422
    assert (
        database_store.record_callback(request.uuid, build_callback(token), now + timedelta(minutes=60, seconds=1))[0]
        == 401
    )
    assert database_store.record_callback(request.uuid, build_callback(token), now + timedelta(minutes=60))[0] == 200
    assert database_store.record_callback(request.uuid, build_callback(token), now + timedelta(minutes=60))[0] == 401
    assert [each.record["token"] for each in request.callbacks.all()] == [
        "missing",
        "unknown",
        "valid",
        "valid",
        "expired",
        "valid",
        "used",
    ]
    assert token not in str([*request.callbacks.values("record")]) + request.token_hash


@pytest.mark.django_db
def test_results_above_the_maximum_are_refused(run_task: Integration, alice: Any) -> None:
    request, _ = create_pending_request(run_task, alice)
    answers = [
        database_store.record_callback(request.uuid, build_callback("x"), timezone.now())[0]
        for _ in range(database_store.MAX_CALLBACKS + 1)
    ]
    assert (answers[-1], request.callbacks.count()) == (429, database_store.MAX_CALLBACKS)


@pytest.mark.django_db
def test_frequent_updates_do_not_displace_the_final_result(run_task: Integration, alice: Any) -> None:
    request, token = create_pending_request(run_task, alice)
    running = DOCUMENT.replace("passed", "running").encode()
    for second in range(0, 1200, 10):
        at = request.sent_at + timedelta(seconds=second)
        assert database_store.record_callback(request.uuid, build_callback(token, body=running), at)[0] == 200
    at = request.sent_at + timedelta(seconds=1200)
    assert database_store.record_callback(request.uuid, build_callback(token), at)[0] == 200
    stored = [each.record["elapsed_seconds"] for each in request.callbacks.all()]
    expected = [*range(0, 600, 10), *range(650, 1200, 60), 1200]
    assert stored == expected


@pytest.mark.django_db
def test_only_members_start_a_test_run_and_only_one_is_open(run_task: Integration, alice: Any, charlie: Any) -> None:
    form_data = FORM_DATA | {"url": "https://run.acme.io/"}
    with pytest.raises(ActionRefused):
        services.start_test_run("run_task", run_task, form_data, actor=charlie, now=timezone.now())
    services.start_test_run("run_task", run_task, form_data, actor=alice, now=timezone.now())
    with pytest.raises(ActionRefused) as refusal:
        services.start_test_run("run_task", run_task, form_data, actor=alice, now=timezone.now())
    assert str(refusal.value) == "A test run is in progress. Wait until it ends, or cancel it."
    services.cancel_test_run(TestRun.objects.get(), actor=alice)
    assert TestRun.objects.get().outcome == "not_run"
    assert Job.objects.get(kind="testruns.run_task").state == Job.State.CANCELED


@pytest.mark.django_db
def test_page_confirms_that_a_test_run_was_canceled_or_had_ended(
    run_task: Integration, alice: Any, sign_in: Any
) -> None:
    inputs = FORM_DATA | {"url": "https://run.acme.io/"}
    services.start_test_run("run_task", run_task, inputs, actor=alice, now=timezone.now())
    client = sign_in(alice)
    page = f"/integrations/{run_task.uuid}/tests/run-task/cancel/"
    texts = [get_text(client.post(page, follow=True)) for _ in range(2)]
    assert ["Test run canceled. The results so far are below." in text for text in texts] == [True, False]
    assert ["The test run has already ended." in text for text in texts] == [False, True]


@pytest.mark.django_db(transaction=True)
def test_canceled_test_run_ends_its_job_after_the_request_that_it_sends(
    live_server: Any, settings: Any, run_task: Integration, alice: Any
) -> None:
    settings.SITE_URL = live_server.url
    settings.ALLOW_LOOPBACK_HTTP = True

    def cancel_during_request(instance: RunTaskRequest, created: bool, **_: object) -> None:
        if created:
            services.cancel_test_run(instance.test_run, actor=alice)

    post_save.connect(cancel_during_request, sender=RunTaskRequest)
    try:
        with serve_endpoint() as server:
            inputs = FORM_DATA | {"url": server.url}
            services.start_test_run("run_task", run_task, inputs, actor=alice, now=timezone.now())
            run_test_job()
    finally:
        post_save.disconnect(cancel_during_request, sender=RunTaskRequest)
    assert TestRun.objects.get().requests.count() == 1
    job = Job.objects.get(kind="testruns.run_task")
    assert (job.state, job.cancel_requested) == (Job.State.CANCELED, False)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("url", "https://169.254.169.254/", "169.254.169.254 is"),
        ("url", "http://run.acme.io/", "Use https."),
        ("url", "https://run.acme.io/", "send results to this portal, because its own address is 127.0.0.1."),
        ("failing_plan", "{", "Enter a JSON object. Paste the whole output of “terraform show -json”."),
        ("stages", [], "Select at least one stage."),
    ],
)
def test_invalid_input_is_shown_as_field_error(
    client: Any, run_task: Integration, alice: Any, field: str, value: Any, message: str
) -> None:
    client.force_login(alice)
    posted_data = {"url": "https://run.acme.io/", "key": KEY, "stages": ["post_plan"], field: value}
    answer = client.post(f"/integrations/{run_task.uuid}/tests/run-task/", posted_data)
    page = answer.content.decode()
    assert (answer.status_code, TestRun.objects.count()) == (422, 0)
    assert message in page
    assert KEY not in page


@pytest.mark.django_db
@pytest.mark.parametrize(("outcome", "is_ticked"), [("pass", True), ("fail", False)])
def test_meeting_preselects_what_a_passed_test_run_showed(
    acme: Any, alice: Any, rita: Any, client: Any, outcome: str, is_ticked: bool
) -> None:
    now = timezone.now().replace(second=0, microsecond=0) - timedelta(days=3)
    row = create_integration(acme, alice, program="terraform-run-task", repository="", name="Preflight", now=now)
    row = advance_to_stage(row, "review", partner=alice, reviewer=rita, now=now)
    observation = {
        "url": "https://run.acme.io/",
        "stages": ["post_plan"],
        "signed": True,
        "outcome": outcome,
        "verdicts": [],
    }
    observations.store_observation(row, KEY_OF_CHECK, {OBSERVATION_KEY: observation | {"at": now.isoformat()}}, now)
    run_integration_checks(row, ["RT-TEST"], now=timezone.now())
    times = (now + timedelta(days=1),)
    meeting = meetings.propose_times(
        row, "RT-4", meetings.MeetingProposal(times, "https://meet.example", 45), actor=alice, now=now
    )
    meetings.accept_time(meeting, times[0], actor=rita, now=now)
    client.force_login(rita)
    page = client.get(f"/integrations/{row.uuid}/requirements/RT-4/").content.decode()
    assert ("“Live demo” is preselected because of a check" in page) == is_ticked
    assert len(re.findall("<input[^>]* checked", page)) == (1 if is_ticked else 0)
    assert Integration.objects.get(pk=row.pk).meetings.get().items == {}
