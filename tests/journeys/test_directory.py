"""The public directory: search, filters, replies of partners, and the size and layout shift of each public page."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, expect

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.directory.models import Listing
from tests.conftest import advance_to_stage, create_integration
from tests.journeys.person import Person
from tests.journeys.vitals import Vitals, serve_as_in_production

PROGRAMS = (("nomad", "Booster driver"), ("terraform-provider", "Rocket"), ("terraform-run-task", "Rocket scan"))


@pytest.fixture
def integrations_by_program(acme: Partner, alice: Any, rita: Any) -> dict[str, Integration]:
    """Three integrations of Acme in three programs, and one whose support has ended."""
    now = timezone.now() - timedelta(days=1)
    rows = {}
    for number, (program, name) in enumerate((*PROGRAMS, ("nomad", "Old booster"))):
        repository = {"repository": f"acme/{program}-{number}", "repository_id": number + 9}
        row = create_integration(acme, alice, program, now, name=name, **repository)
        rows[name] = advance_to_stage(row, "support", partner=alice, reviewer=rita, now=now)
    perform_transition(rows["Old booster"], "archive", actor=alice, note="Replaced.", now=now)
    return rows


def build_paths(rows: dict[str, Integration]) -> dict[str, str]:
    """Return the paths of public pages by name."""
    listing_path = f"/directory/{rows['Rocket'].uuid}/"
    return {
        "home": "/",
        "directory": "/directory/",
        "search": "/directory/?q=rocket",
        "no results": "/directory/?q=nothing",
        "listing": listing_path,
        "badge": f"{listing_path}badge/",
        "no longer listed": f"/directory/{rows['Old booster'].uuid}/",
        "partner": "/partners/acme/",
        "run tasks": "/run-tasks/",
        "programs": "/programs/",
        "program": "/programs/terraform-provider/",
        "chooser": "/programs/choose/",
        "form": "/programs/choose/nomad/",
        "getting started": "/help/getting-started/",
        "help": "/help/",
        "glossary": "/help/glossary/",
        "checks": "/help/checks/",
        "check": "/help/checks/release.signature/",
        "SLA clock": "/help/clock/",
        "status": "/status/",
        "verify": "/verify/",
        "API": "/api/docs",
        "API group": "/api/docs/requirements",
        "style guide": "/styleguide/",
    }


def create_long_listings(rows: dict[str, Integration], count: int) -> None:
    """Create this many listings with long texts, which fill a page of the directory."""
    listing = Listing.objects.get(pk=rows["Rocket"].pk)
    integration = rows["Rocket"]
    for number in range(count):
        integration.pk = None
        integration.uuid = uuid4()
        integration.name = f"Rocket of type {number}"
        integration.repository = f"acme/terraform-provider-type{number}"
        integration.repository_id = 100 + number
        integration._state.adding = True
        integration.save(force_insert=True)
        listing.pk = None
        listing.integration = integration
        listing.uuid = integration.uuid
        listing.name = integration.name
        listing.summary = f"Starts, steers and lands rockets of type {number}. " * 4
        listing.version = f"1.{number}.0"
        listing._state.adding = True
        listing.save(force_insert=True)


def test_visitor_searches_sorts_filters_and_opens_a_listing(
    integrations_by_program: dict[str, Integration], visit: Callable[..., Person]
) -> None:
    visitor = visit().go("/directory/").sees("3 integrations", "Booster driver")
    page = visitor.page
    status = visitor.page.get_by_role("status")
    page.get_by_role("searchbox").press_sequentially("scan", delay=20)
    expect(status).to_contain_text("1 integration for “scan”")
    visitor.does_not_see("Booster driver")
    assert page.url.endswith("/directory/?q=scan")
    order = page.get_by_label("Sort by")
    expect(order.locator("option:checked")).to_have_text("Best match")
    order.select_option(label="Name")
    expect(page).to_have_url(re.compile(r"\?q=scan&sort=name$"))
    order.select_option("")
    page.get_by_role("searchbox").fill("")
    expect(status).to_have_text("3 integrations")
    expect(order.locator("option:checked")).to_have_text("Newest first")
    page.get_by_role("link", name="Workflow partners").click()
    expect(status).to_have_text("1 integration · 1 filter")
    assert "track=workflow" in page.url
    page.go_back()
    expect(status).to_have_text("3 integrations")
    visitor.go("/directory/").press("Rocket").sees("Installation", "Support record").shot("listing")
    visitor.press("Acme", nth=0).sees("No longer listed").press("Old booster").sees("No longer supported")
    visitor.go("/run-tasks/").sees("Rocket scan")


def test_filters_stay_open_on_a_phone(
    integrations_by_program: dict[str, Integration], visit: Callable[..., Person]
) -> None:
    page = visit(phone=True).go("/directory/").page
    page.get_by_text("Filters").click()
    page.locator("#f-program summary").click()
    for label, count in (
        ("Nomad", "1 integration"),
        ("Nomad", "3 integrations"),
        ("Terraform provider", "1 integration"),
    ):
        filter_link = page.locator("#f-program").get_by_role("link", name=label)
        filter_link.click()
        expect(page.get_by_role("status")).to_contain_text(count)
        expect(filter_link).to_be_visible()
        expect(filter_link).to_be_focused()


def test_directory_works_without_scripts_on_a_phone(
    integrations_by_program: dict[str, Integration], visit: Callable[..., Person]
) -> None:
    visitor = visit(phone=True, javascript=False).go("/directory/")
    visitor.page.get_by_role("searchbox").fill("boost")
    visitor.press("Search").sees("1 integration for “boost”")
    visitor.page.get_by_text("Filters").click()
    visitor.page.get_by_role("link", name="No longer listed").click()
    visitor.sees("Old booster")


def test_partner_replies_to_its_support_record(
    integrations_by_program: dict[str, Integration], visit: Callable[..., Person], alice: Any
) -> None:
    page = f"/directory/{integrations_by_program['Rocket'].uuid}/"
    owner = visit(alice).go(page).press("Reply to support record")
    owner.write("Your reply", "See https://elsewhere.example").press("Publish reply").sees("isn't your page")
    owner.write("Your reply", "Two people are on call now.").press("Publish reply").sees("Acme replied on")
    visit().go(page).sees("Two people are on call now.").does_not_see("Edit reply")


def test_every_public_page_is_small_and_has_no_layout_shift(
    integrations_by_program: dict[str, Integration], chromium: Browser, tmp_path: Path
) -> None:
    paths = build_paths(integrations_by_program)
    create_long_listings(integrations_by_program, 24)
    with serve_as_in_production(tmp_path / "static") as base_url:
        vitals_by_name = {name: Vitals.measure(chromium, base_url + path) for name, path in paths.items()}
    violations = {name: vitals.violations for name, vitals in vitals_by_name.items() if vitals.violations}
    assert violations == {}, vitals_by_name
