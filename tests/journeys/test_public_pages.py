"""Every public page stands up to being looked at: no violation by day and by night, no width that it spills over."""

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
from tests.conftest import begin, drive
from tests.journeys.person import Person
from tests.portal.addresses import PUBLIC_FILES, address
from tests.portal.conftest import build

Visit = Callable[..., Person]
ACCESS = Path(__file__).parents[1] / "portal" / "access.txt"
WIDTHS = (320, 1920)
# public rows that are no page: files, feeds, pictures and answers for machines
NO_PAGES = PUBLIC_FILES | {"inbox:calendar_feed", "status:healthz", "status:json"}
# what goes wrong has a page too; each is drawn as it would come
BAD = ("400.html", "403.html", "403_csrf.html", "404.html", "429.html", "500.html", "status/status_down.html")
STEPS = {"suspended": 2, "delisted": 3, "ended": 0}


def public() -> set[str]:
    """The names of the addresses that a visitor may look at."""
    lines = [line.split() for line in ACCESS.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return {name for name, cell, *_ in lines if cell.startswith("200/") and not name.endswith(":")} - NO_PAGES


def create_ended_listings(world: dict[str, Any]) -> dict[str, Integration]:
    """A listing that is suspended, one that was removed, one whose support has ended; by what they are."""
    cast, now, integrations_by_standing = world["cast"], timezone.now() - timedelta(days=200), {}
    for number, (listing_status, steps) in enumerate(STEPS.items()):
        row = begin(
            world["partner"],
            cast["alice"],
            "terraform-provider",
            now,
            name=f"Rocket {number}",
            repository=f"acme/terraform-provider-rocket{number}",
            repository_id=70 + number,
        )
        row = drive(row, "support", partner=cast["alice"], reviewer=cast["rita"], now=now)
        MonitoredRepository.objects.filter(integration=row).update(data_up_to=now + timedelta(days=3650))
        story = [("issue_notice", "rita", 0), ("suspend", "rob", 31), ("delist", "rita", 91)][:steps]
        for step, by, after in story or [("archive", "alice", 0)]:
            there = Integration.objects.get(pk=row.pk)
            perform_transition(there, step, actor=cast[by], note="Because.", now=now + timedelta(days=after))
        integrations_by_standing[listing_status] = row
    return integrations_by_standing


def look(person: Person, name: str, path: str, troubles: list[str]) -> None:
    """One page by day and by night, and as narrow and as wide as people have it."""
    person.page.goto(person.base + path)
    spills(person.page, name, troubles)
    try:
        person.audit_once()
    except AssertionError as violation:
        troubles.append(" ".join(str(violation).split())[:600])


def spills(page: Page, name: str, troubles: list[str]) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth")
        troubles += [f"{name}: {wide} pixels on a screen of {width}"] if wide > width else []
    page.set_viewport_size({"width": 1280, "height": 900})


def test_every_public_page_by_day_and_by_night_on_any_screen(visit: Visit, db: Any) -> None:
    """A new public row of access.txt is looked at here, or the test says that it has no page to look at."""
    world, visitor, troubles = build(), visit(), list[str]()
    names = sorted(public())
    assert names
    for name in names:
        look(visitor, name, address(name, world), troubles)
        assert visitor.page.locator("h1").count() == 1, name
    for listing_status, row in create_ended_listings(world).items():
        for name in ("directory:listing", "directory:badge"):
            look(visitor, f"{name}, {listing_status}", reverse(name, args=[row.uuid]), troubles)
    assert troubles == visitor.troubles == []


def serve_page(page: str) -> Callable[[Route], None]:
    return lambda route: route.fulfill(body=page, content_type="text/html")


def test_what_goes_wrong_has_a_page_as_good_as_the_others(visit: Visit, db: Any) -> None:
    visitor, troubles = visit(), list[str]()
    for number, name in enumerate(BAD):
        visitor.page.route(f"**/bad/{number}/", serve_page(render_to_string(name)))
        look(visitor, name, f"/bad/{number}/", troubles)
    visitor.page.unroute_all()
    look(visitor, "a page that there is not", "/listed/nothing/", troubles)
    assert troubles == visitor.troubles == []


def test_own_pages_of_the_way_in_on_any_screen(visit: Visit, alice: Any) -> None:
    owner, troubles = visit(alice), list[str]()
    for name in (
        "api:tokens",
        "inbox:preferences",
        "webhooks:list",
        "webhooks:event_types",
        "analytics:saved_views",
        "accounts:profile",
    ):
        look(owner, name, reverse(name), troubles)
    look(owner, "webhooks:create", reverse("webhooks:create", args=["acme"]), troubles)
    assert troubles == owner.troubles == []


def test_offices_pages_on_any_screen(visit: Visit, rita: Any) -> None:
    services.save_view(rita, "overview", "Terraform", "program=terraform-provider", shared=False, now=timezone.now())
    reviewer, troubles = visit(rita), list[str]()
    for name in ("analytics:overview", "analytics:flow", "analytics:workload", "analytics:saved_views"):
        look(reviewer, name, reverse(name), troubles)
    reviewer.page.set_viewport_size({"width": 320, "height": 900})
    reviewer.go(reverse("analytics:forecast"))
    expect(reviewer.page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=0.9)
    assert troubles == reviewer.troubles == []


def test_what_is_fetched_again_says_that_it_waits(visit: Visit, db: Any) -> None:
    visitor = visit().go("/directory/")
    page, held_routes = visitor.page, list[Route]()
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
