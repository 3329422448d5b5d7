"""A visitor finds an integration by typing, follows it, and every public page is light and still."""

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
from tests.conftest import begin, drive
from tests.journeys.person import Person
from tests.journeys.vitals import Vitals, production

PROGRAMS = (("nomad", "Booster driver"), ("terraform-provider", "Rocket"), ("terraform-run-task", "Rocket scan"))


@pytest.fixture
def integrations_by_program(acme: Partner, alice: Any, rita: Any) -> dict[str, Integration]:
    """Three integrations of Acme in three programs, and one whose support has ended."""
    now = timezone.now() - timedelta(days=1)
    rows = {}
    for number, (program, name) in enumerate((*PROGRAMS, ("nomad", "Old booster"))):
        where = {"repository": f"acme/{program}-{number}", "repository_id": number + 9}
        row = begin(acme, alice, program, now, name=name, **where)
        rows[name] = drive(row, "support", partner=alice, reviewer=rita, now=now)
    perform_transition(rows["Old booster"], "archive", actor=alice, note="Replaced.", now=now)
    return rows


def pages(rows: dict[str, Integration]) -> dict[str, str]:
    its = f"/directory/{rows['Rocket'].uuid}/"
    return {
        "home": "/",
        "directory": "/directory/",
        "search": "/directory/?q=rocket",
        "nothing": "/directory/?q=nothing",
        "listing": its,
        "badge": f"{its}badge/",
        "ended": f"/directory/{rows['Old booster'].uuid}/",
        "partner": "/partners/acme/",
        "run tasks": "/run-tasks/",
        "programs": "/programs/",
        "program": "/programs/terraform-provider/",
        "start": "/programs/choose/",
        "begin": "/programs/choose/nomad/",
        "welcome": "/help/getting-started/",
        "help": "/help/",
        "words": "/help/glossary/",
        "checks": "/help/checks/",
        "check": "/help/checks/release.signature/",
        "clock": "/help/clock/",
        "status": "/status/",
        "verify": "/verify/",
        "API": "/api/docs",
        "API group": "/api/docs/requirements",
        "design": "/styleguide/",
    }


def fill(rows: dict[str, Integration], count: int) -> None:
    """So many listings, each as long as they come: a whole page of the directory."""
    listing, integration = Listing.objects.get(pk=rows["Rocket"].pk), rows["Rocket"]
    for number in range(count):
        integration.pk, integration.uuid, integration.name = None, uuid4(), f"Rocket of the {number}. kind"
        integration.repository, integration.repository_id = f"acme/terraform-provider-kind{number}", 100 + number
        integration._state.adding = True
        integration.save(force_insert=True)
        listing.pk, listing.integration, listing.uuid, listing.name = (
            None,
            integration,
            integration.uuid,
            integration.name,
        )
        listing.summary, listing.version = (
            f"Starts, steers and lands rockets of the {number}. kind. " * 4,
            f"1.{number}.0",
        )
        listing._state.adding = True
        listing.save(force_insert=True)


def test_visitor_finds_follows_and_takes_over(
    integrations_by_program: dict[str, Integration], visit: Callable[..., Person]
) -> None:
    visitor = visit().go("/directory/").sees("3 integrations", "Booster driver")
    page, status = visitor.page, visitor.page.get_by_role("status")
    page.get_by_role("searchbox").press_sequentially("scan", delay=20)
    expect(status).to_contain_text("1 integration for “scan”")
    visitor.sees_not("Booster driver")
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


def test_filters_stay_unfolded_on_a_phone(
    integrations_by_program: dict[str, Integration], visit: Callable[..., Person]
) -> None:
    page = visit(phone=True).go("/directory/").page
    page.get_by_text("Filters").click()
    page.locator("#f-program summary").click()
    for words, count in (
        ("Nomad", "1 integration"),
        ("Nomad", "3 integrations"),
        ("Terraform provider", "1 integration"),
    ):
        choice = page.locator("#f-program").get_by_role("link", name=words)
        choice.click()
        expect(page.get_by_role("status")).to_contain_text(count)
        expect(choice).to_be_visible()
        expect(choice).to_be_focused()


def test_it_works_without_a_script_on_a_phone(
    integrations_by_program: dict[str, Integration], visit: Callable[..., Person]
) -> None:
    visitor = visit(phone=True, javascript=False).go("/directory/")
    visitor.page.get_by_role("searchbox").fill("boost")
    visitor.press("Search").sees("1 integration for “boost”")
    visitor.page.get_by_text("Filters").click()
    visitor.page.get_by_role("link", name="No longer listed").click()
    visitor.sees("Old booster")


def test_partner_replies_to_its_record(
    integrations_by_program: dict[str, Integration], visit: Callable[..., Person], alice: Any
) -> None:
    page = f"/directory/{integrations_by_program['Rocket'].uuid}/"
    owner = visit(alice).go(page).press("Reply to support record")
    owner.write("Your reply", "See https://elsewhere.example").press("Publish reply").sees("isn't your page")
    owner.write("Your reply", "Two people are on call now.").press("Publish reply").sees("Acme replied on")
    visit().go(page).sees("Two people are on call now.").sees_not("Edit reply")


def test_every_public_page_is_light_and_still(
    integrations_by_program: dict[str, Integration], chromium: Browser, tmp_path: Path
) -> None:
    addresses = pages(integrations_by_program)
    fill(integrations_by_program, 24)
    with production(tmp_path / "static") as base:
        vitals_by_name = {name: Vitals.of(chromium, base + path) for name, path in addresses.items()}
    assert {name: vitals.wrong for name, vitals in vitals_by_name.items() if vitals.wrong} == {}, vitals_by_name
