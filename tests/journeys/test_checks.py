"""Checks: results that appear while checks run, their evidence, and the decision of a reviewer."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.utils import timezone
from playwright.sync_api import expect

from portal.audit.models import AuditEvent
from portal.jobs.models import Job
from tests.conftest import create_integration
from tests.journeys.person import Person
from tests.verification.checks.fake_sources import (
    REPOSITORY,
    FakeSources,
    build_registry_listing,
    build_release_answers,
)
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, CheckRun
from verification.checks.services.runner import list_checked_requirements, run_integration_checks

MOVED_REPOSITORY = replace(REPOSITORY, owner_id=9, full_name="globex/terraform-provider-rocket")


def run_checks(row: Any, **fields: Any) -> None:
    """Run all checks of an integration, as a worker does."""
    answers = {
        **build_release_answers("1.2.0"),
        "listing_answer": build_registry_listing(newest="1.3.0", versions=("1.2.0", "1.3.0")),
    }
    run_integration_checks(row, now=timezone.now(), sources=FakeSources(**{**answers, **fields}))


@contextmanager
def pause_polling(page: Person) -> Iterator[None]:
    """Answer the requests of the page without the server: an in-memory database has only one writer."""
    polling_url = re.compile("shown=")
    page.page.route(polling_url, lambda route: route.fulfill(status=204))
    page.page.wait_for_load_state("networkidle")
    yield
    page.page.unroute(polling_url)


def test_results_appear_while_checks_run(visit: Callable[..., Person], acme: Any, alice: Any) -> None:
    row = create_integration(acme, alice, "terraform-provider", now=timezone.now())
    check_keys = list_required_check_keys(list_checked_requirements(row))
    page = visit(alice).go(f"/checks/{row.uuid}/").sees(f"Checks are running: 0 of {len(check_keys)} complete.")
    page.shot("checks-begin")
    with pause_polling(page):
        run_checks(row)
        Job.objects.update(state=Job.State.RUNNING, progress={"finished_checks": check_keys[:2]})
    page.sees(f"Checks are running: 2 of {len(check_keys)} complete.").sees("MPL-2.0 is on the program's list.")
    page.shot("checks-running")
    with pause_polling(page):
        CheckRun.objects.update(finished_at=timezone.now())
    page.sees("Run checks again").does_not_see("Running…").shot("checks")
    assert page.errors == []


def test_expanded_step_and_started_message_stay_while_the_page_updates_itself(
    visit: Callable[..., Person], acme: Any, alice: Any
) -> None:
    row = create_integration(acme, alice, "terraform-provider", now=timezone.now())
    partner = visit(alice).go(f"/integrations/{row.uuid}/")
    page = partner.page
    step = page.locator("details", has=page.get_by_text("Terraform Registry listing")).first
    expect(step).not_to_have_attribute("open", "")
    step.locator("summary").first.click()
    message = page.get_by_label("Message to the program")
    message.fill("Which release")
    outdated = re.compile(r"version=\d+")  # the server then sends the whole part
    page.route(outdated, lambda route: route.continue_(url=outdated.sub("version=0", route.request.url)))
    with page.expect_response(outdated) as update:
        pass
    assert update.value.status == 200
    partner.wait_for_page()
    expect(step).to_have_attribute("open", "")
    expect(message).to_have_value("Which release")
    expect(message).to_be_focused()


def test_conflict_shows_both_sources_and_links_to_evidence(
    visit: Callable[..., Person], acme: Any, alice: Any, rita: Any
) -> None:
    row = create_integration(acme, alice, "terraform-provider", now=timezone.now())
    CheckRun.objects.update(finished_at=timezone.now())
    run_checks(row, repository_answer=MOVED_REPOSITORY)
    assert CheckResult.objects.get(key="registry.latest").outcome == "not_run"
    for person, phone in ((alice, True), (rita, False)):
        page = visit(person, phone=phone).go(f"/checks/{row.uuid}/")
        conflict = page.page.locator("#check-registry-latest")
        expect(conflict).to_contain_text("GitHub says v1.2.0; the registry says 1.3.0. A reviewer decides.")
        conflict.get_by_text("Evidence").click()
        expect(conflict.get_by_role("link", name="v1.2.0")).to_have_attribute("href", re.compile("^https://"))
        expect(conflict.get_by_role("link", name="1.3.0")).to_have_attribute("href", re.compile("^https://"))
        if phone:
            page.audit("open evidence on a phone")
        page.shot(f"checks-{'phone' if phone else 'reviewer'}")
        fits = page.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert fits, "the page scrolls sideways"
    page.press("Accept new owner").sees("You accepted the new owner permanently.").shot("checks-accepted")
    assert AuditEvent.objects.get(event_type="check.accepted").actor_id == rita.pk
