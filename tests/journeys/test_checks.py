"""Journeys through checks: results as they arrive, their evidence, and what a reviewer can do."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.utils import timezone
from playwright.sync_api import expect

from portal.audit.models import AuditEvent
from portal.jobs.models import Job
from tests.conftest import begin
from tests.journeys.person import Person
from tests.verification.checks.fake_sources import (
    REPOSITORY,
    FakeSources,
    build_registry_listing,
    build_release_answers,
)
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, CheckRun
from verification.checks.runner import list_checked_requirements, run_integration_checks

MOVED_REPOSITORY = replace(REPOSITORY, owner_id=9, full_name="globex/terraform-provider-rocket")


def look(row: Any, **fields: Any) -> None:
    """One whole run, as a worker would do it."""
    answers = {
        **build_release_answers("1.2.0"),
        "published_said": build_registry_listing(newest="1.3.0", versions=("1.2.0", "1.3.0")),
    }
    run_integration_checks(row, now=timezone.now(), sources=FakeSources(**{**answers, **fields}))


@contextmanager
def quiet(page: Person) -> Iterator[None]:
    """The page asks for nothing meanwhile: a database in memory has one writer and no patience."""
    asking = re.compile("shown=")
    page.page.route(asking, lambda route: route.fulfill(status=204))
    page.page.wait_for_load_state("networkidle")
    yield
    page.page.unroute(asking)


def test_results_come_one_after_the_other(visit: Callable[..., Person], acme: Any, alice: Any) -> None:
    row = begin(acme, alice, "terraform-provider", now=timezone.now())
    every = list_required_check_keys(list_checked_requirements(row))
    page = visit(alice).go(f"/checks/{row.uuid}/").sees(f"Checks are running: 0 of {len(every)} complete.")
    page.shot("checks-begin")
    with quiet(page):
        look(row)
        Job.objects.update(state=Job.State.RUNNING, progress={"finished_checks": every[:2]})
    page.sees(f"Checks are running: 2 of {len(every)} complete.").sees("MPL-2.0 is on the program's list.")
    page.shot("checks-running")
    with quiet(page):
        CheckRun.objects.update(finished_at=timezone.now())
    page.sees("Run checks again").sees_not("Running…").shot("checks")
    assert page.troubles == []


def test_conflict_shows_both_sources_and_evidence_leads_there(
    visit: Callable[..., Person], acme: Any, alice: Any, rita: Any
) -> None:
    row = begin(acme, alice, "terraform-provider", now=timezone.now())
    CheckRun.objects.update(finished_at=timezone.now())
    look(row, repository_said=MOVED_REPOSITORY)
    assert CheckResult.objects.get(key="registry.latest").outcome == "not_run"
    for person, phone in ((alice, True), (rita, False)):
        page = visit(person, phone=phone).go(f"/checks/{row.uuid}/")
        conflict = page.page.locator("#check-registry-latest")
        expect(conflict).to_contain_text("GitHub says v1.2.0; the registry says 1.3.0. A reviewer decides.")
        conflict.get_by_text("Evidence").click()
        expect(conflict.get_by_role("link", name="v1.2.0")).to_have_attribute("href", re.compile("^https://"))
        expect(conflict.get_by_role("link", name="1.3.0")).to_have_attribute("href", re.compile("^https://"))
        if phone:
            page.audit("evidence unfolded on a phone")
        page.shot(f"checks-{'phone' if phone else 'reviewer'}")
        wide = page.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert wide, "the page scrolls sideways"
    page.press("Accept new owner").sees("You accepted the new owner permanently.").shot("checks-accepted")
    assert AuditEvent.objects.get(event_type="check.accepted").actor_id == rita.pk
