"""Journeys of a run task test: updates on the page, without scripts, and the result for reviewers."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from integrations.submissions.models import Integration
from tests.conftest import begin
from tests.journeys.person import Person
from tests.verification.testruns.endpoints import KEY, HeldEndpoint, endpoint
from verification.testruns.kinds.run_task.kind import RESUME_DELAY


def task(acme: Any, alice: Any, settings: Any) -> Integration:
    settings.ALLOW_LOOPBACK_HTTP = True
    return begin(acme, alice, program="terraform-run-task", repository="", name="Preflight")


def ask(person: Person, url: str) -> None:
    """Fill in the form and send it."""
    person.write("Endpoint URL", url).write("HMAC key", KEY).tick("Post-plan")
    person.press("Start test run").sees("The test is running: 0 of 8 requests complete.")


def run_test_to_end(server: Any, background: Callable[..., Any]) -> None:
    """Requests first, then the results, then what follows of them."""
    background()
    server.work()
    background(timezone.now() + RESUME_DELAY)


def test_good_endpoint_is_tested_live(
    visit: Callable[..., Person], acme: Any, alice: Any, rita: Any, settings: Any, background: Callable[..., Any]
) -> None:
    row = task(acme, alice, settings)
    partner = visit(alice).go(f"/integrations/{row.uuid}/").press("Test run task")
    partner.sees("No test runs yet")
    with endpoint(kind=HeldEndpoint) as server:
        ask(partner, server.url)
        run_test_to_end(server, background)
    partner.sees(
        "All rules passed.", "The run stops after the plan, before anyone can confirm it.", "Start test run"
    ).arrived()
    partner.never_reads(KEY).shot("run-task-test")
    background()
    visit(rita).go(f"/checks/{row.uuid}/").sees("The run task passed its test run (Post-plan).")


def test_faulty_endpoint_is_explained_on_a_phone_without_scripts(
    visit: Callable[..., Person], acme: Any, alice: Any, settings: Any, background: Callable[..., Any]
) -> None:
    row = task(acme, alice, settings)
    partner = visit(alice, phone=True, javascript=False).go(f"/integrations/{row.uuid}/tests/run-task/")
    with endpoint("unsigned-taken", kind=HeldEndpoint) as server:
        ask(partner, server.url)
        run_test_to_end(server, background)
    partner.press("Refresh page").sees(
        "Some rules failed. Follow the advice for each rule.",
        "The endpoint accepted a request without a signature and sent a result for it.",
        "Return 401 if X-TFC-Task-Signature is missing or blank and your run task has a key.",
    )
    partner.shot("run-task-test-phone")
