"""Accessibility of every public page and its fit on narrow and wide screens."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.analytics.saved_views import services
from tests.conftest import advance_to_stage, create_integration
from tests.journeys.person import Person
from tests.portal.conftest import create_world
from tests.portal.page_urls import PUBLIC_FILES, build_url

Visit = Callable[..., Person]
ACCESS = Path(__file__).parents[1] / "portal" / "access.txt"
WIDTHS = (320, 1920)
# public addresses that are not pages: files, feeds, images, and responses for machines
NON_PAGES = PUBLIC_FILES | {"inbox:calendar_feed", "status:healthz", "status:json"}
ERROR_TEMPLATES = (
    "400.html",
    "403.html",
    "403_csrf.html",
    "404.html",
    "429.html",
    "500.html",
    "status/status_down.html",
)
STEPS = {"suspended": 2, "delisted": 3, "ended": 0}


def list_public_pages() -> set[str]:
    """Return the URL names of the pages that a visitor can open."""
    lines = [line.split() for line in ACCESS.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return {name for name, cell, *_ in lines if cell.startswith("200/") and not name.endswith(":")} - NON_PAGES


def create_ended_listings(world: dict[str, Any]) -> dict[str, Integration]:
    """Create a suspended listing, a delisted one, and one whose support has ended, by status."""
    users = world["users"]
    now = timezone.now() - timedelta(days=200)
    integrations_by_status = {}
    for number, (listing_status, steps) in enumerate(STEPS.items()):
        row = create_integration(
            world["partner"],
            users["alice"],
            "terraform-provider",
            now,
            name=f"Rocket {number}",
            repository=f"acme/terraform-provider-rocket{number}",
            repository_id=70 + number,
        )
        row = advance_to_stage(row, "support", partner=users["alice"], reviewer=users["rita"], now=now)
        MonitoredRepository.objects.filter(integration=row).update(data_up_to=now + timedelta(days=3650))
        transitions = [("issue_notice", "rita", 0), ("suspend", "rob", 31), ("delist", "rita", 91)][:steps]
        for step, by, after in transitions or [("archive", "alice", 0)]:
            fresh = Integration.objects.get(pk=row.pk)
            perform_transition(fresh, step, actor=users[by], note="A test.", now=now + timedelta(days=after))
        integrations_by_status[listing_status] = row
    return integrations_by_status


def check_page(person: Person, name: str, path: str, problems: list[str]) -> None:
    """Audit a page, and check that it fits narrow and wide screens."""
    person.page.goto(person.base_url + path)
    check_widths(person.page, name, problems)
    try:
        person.audit_once()
    except AssertionError as violation:
        problems.append(" ".join(str(violation).split())[:600])


def check_widths(page: Page, name: str, problems: list[str]) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page_width = page.evaluate("document.documentElement.scrollWidth")
        problems += [f"{name}: {page_width} pixels on a screen of {width}"] if page_width > width else []
    page.set_viewport_size({"width": 1280, "height": 900})


def test_every_public_page_is_accessible_and_fits_any_screen(visit: Visit, db: Any) -> None:
    """Check each page that access.txt lists as public, unless NON_PAGES names it."""
    world = create_world()
    visitor = visit()
    problems = list[str]()
    names = sorted(list_public_pages())
    assert names
    for name in names:
        check_page(visitor, name, build_url(name, world), problems)
        assert visitor.page.locator("h1").count() == 1, name
    for listing_status, row in create_ended_listings(world).items():
        for name in ("directory:listing", "directory:badge"):
            check_page(visitor, f"{name}, {listing_status}", reverse(name, args=[row.uuid]), problems)
    assert problems == visitor.errors == []


def serve_page(page: str) -> Callable[[Route], None]:
    return lambda route: route.fulfill(body=page, content_type="text/html")


def test_every_error_page_is_accessible_and_fits_any_screen(visit: Visit, db: Any) -> None:
    visitor = visit()
    problems = list[str]()
    for number, name in enumerate(ERROR_TEMPLATES):
        visitor.page.route(f"**/error/{number}/", serve_page(render_to_string(name)))
        check_page(visitor, name, f"/error/{number}/", problems)
    visitor.page.unroute_all()
    check_page(visitor, "unknown address", "/listed/nothing/", problems)
    assert problems == visitor.errors == []


def test_pages_of_a_partner_are_accessible_and_fit_any_screen(visit: Visit, alice: Any) -> None:
    owner = visit(alice)
    problems = list[str]()
    for name in (
        "api:tokens",
        "inbox:preferences",
        "webhooks:list",
        "webhooks:event_types",
        "analytics:saved_views",
        "accounts:profile",
    ):
        check_page(owner, name, reverse(name), problems)
    check_page(owner, "webhooks:create", reverse("webhooks:create", args=["acme"]), problems)
    assert problems == owner.errors == []


def test_analytics_pages_are_accessible_and_fit_any_screen(visit: Visit, rita: Any) -> None:
    services.save_view(rita, "overview", "Terraform", "program=terraform-provider", shared=False, now=timezone.now())
    reviewer = visit(rita)
    problems = list[str]()
    for name in ("analytics:overview", "analytics:flow", "analytics:workload", "analytics:saved_views"):
        check_page(reviewer, name, reverse(name), problems)
    reviewer.page.set_viewport_size({"width": 320, "height": 900})
    reviewer.go(reverse("analytics:forecast"))
    expect(reviewer.page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=0.9)
    assert problems == reviewer.errors == []


def test_results_are_marked_busy_while_they_are_fetched(visit: Visit, db: Any) -> None:
    visitor = visit().go("/directory/")
    page = visitor.page
    held_routes = list[Route]()
    page.route("**/directory/?q=*", lambda route: held_routes.append(route))
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("rocket")
    results = page.locator("#results")
    expect(results).to_have_attribute("aria-busy", "true")
    expect(results).to_have_css("opacity", "0.5")
    held_routes[-1].continue_()
    expect(results).not_to_have_attribute("aria-busy", "true")
    expect(results).to_have_css("opacity", "1")
    visitor.sees("No matching integrations")
