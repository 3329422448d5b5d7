"""The test of a run task: progress on the page, results without scripts, and the check for reviewers."""

from collections.abc import Callable
from typing import Any

from integrations.submissions.models import Integration
from tests.conftest import create_integration
from tests.journeys.person import Person
from tests.verification.testruns.endpoints import KEY, DeferredEndpoint, serve_endpoint
from verification.testruns.kinds.run_task.kind import RESUME_DELAY


def create_run_task(acme: Any, alice: Any, settings: Any) -> Integration:
    settings.ALLOW_LOOPBACK_HTTP = True
    return create_integration(acme, alice, program="terraform-run-task", repository="", name="Preflight")


def start_test_run(person: Person, url: str) -> None:
    person.write("Endpoint URL", url).write("HMAC key", KEY).tick("Post-plan")
    person.press("Start test run").sees("The test is running: 0 of 8 requests complete.")


def finish_test_run(server: Any, run_jobs: Callable[[], None], advance_time: Callable[..., None]) -> None:
    """Send the requests, let the endpoint send its results, and evaluate them."""
    run_jobs()
    server.evaluate_runs()
    advance_time(seconds=RESUME_DELAY.total_seconds())


def test_good_endpoint_passes_without_reloading_the_page(
    visit: Callable[..., Person],
    acme: Any,
    alice: Any,
    rita: Any,
    settings: Any,
    run_jobs: Callable[[], None],
    advance_time: Callable[..., None],
) -> None:
    row = create_run_task(acme, alice, settings)
    partner = visit(alice).go(f"/integrations/{row.uuid}/").press("Test run task")
    partner.sees("No test runs yet")
    with serve_endpoint(kind=DeferredEndpoint) as server:
        start_test_run(partner, server.url)
        finish_test_run(server, run_jobs, advance_time)
    partner.sees(
        "All rules passed.", "The run stops after the plan, before anyone can confirm it.", "Start test run"
    ).wait_for_page()
    partner.never_receives(KEY).shot("run-task-test")
    run_jobs()
    visit(rita).go(f"/checks/{row.uuid}/").sees("The run task passed its test run (Post-plan).")


def test_faulty_endpoint_gets_advice_on_a_phone_without_scripts(
    visit: Callable[..., Person],
    acme: Any,
    alice: Any,
    settings: Any,
    run_jobs: Callable[[], None],
    advance_time: Callable[..., None],
) -> None:
    row = create_run_task(acme, alice, settings)
    partner = visit(alice, phone=True, javascript=False).go(f"/integrations/{row.uuid}/tests/run-task/")
    with serve_endpoint("accepts-unsigned", kind=DeferredEndpoint) as server:
        start_test_run(partner, server.url)
        finish_test_run(server, run_jobs, advance_time)
    partner.press("Refresh page").sees(
        "Some rules failed. Follow the advice for each rule.",
        "The endpoint accepted a request without a signature and sent a result for it.",
        "Return 401 if X-TFC-Task-Signature is missing or blank and your run task has a key.",
    )
    partner.shot("run-task-test-phone")
