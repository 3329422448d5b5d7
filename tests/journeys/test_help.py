"""Help and status pages for visitors, new partners, and reviewers, on narrow and wide screens."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.journeys.person import Person

PAGES = ("/help/", "/help/glossary/", "/status/", "/help/getting-started/", "/help/checks/", "/verify/", "/styleguide/")


def test_visitor_finds_help_from_the_home_page(visit: Callable[..., Person], db: None) -> None:
    reader = visit().go("/")
    reader.press("Getting started").sees("Your next step:", "How it works").shot("welcome")
    reader.page.get_by_text("Nomad: about").click()
    reader.sees("All steps")
    reader.press("About next actions")
    assert reader.page.url.endswith("/help/glossary/#responsible-party")
    reader.go("/help/").press("Status").sees("About this page").shot("status")
    reader.go("/help/").press("Checks").write("Search checks", "signature").press("Search").sees("release.signature")


def test_new_partner_continues_from_the_guide_to_the_start_page(
    visit: Callable[..., Person], alice: Any, acme: Any
) -> None:
    partner = visit(alice).go("/").press("Getting started")
    partner.press("Continue")
    assert partner.page.url.endswith("/new/")


def test_reviewer_sees_the_status_of_background_jobs(
    visit: Callable[..., Person], rita: Any, run_jobs: Callable[[], None]
) -> None:
    run_jobs()
    visit(rita).go("/status/").sees("every 30 s", "Background jobs last ran just now.")


def test_selection_on_the_status_page_survives_an_update(visit: Callable[..., Person], db: None) -> None:
    reader = visit().go("/status/")
    reader.page.evaluate("getSelection().selectAllChildren(document.querySelector('#status-redis'))")
    shown = reader.page.evaluate_handle("document.querySelector('#status')")
    # Within the same second, the response would be that nothing has changed.
    reader.page.evaluate("status => status.removeAttribute('hx-headers')", shown)
    with reader.page.expect_response("**/status/"):
        reader.page.evaluate("htmx.ajax('GET', '/status/', {source: '#status', target: '#status', swap: 'outerHTML'})")
    reader.page.wait_for_function("shown => !shown.isConnected", arg=shown)
    assert reader.page.evaluate("getSelection().toString()").split("\n")[0].startswith("Redis")


@pytest.mark.parametrize("width", [320, 1920])
def test_help_pages_fit_the_screen(visit: Callable[..., Person], db: None, width: int) -> None:
    reader = visit()
    reader.page.set_viewport_size({"width": width, "height": 900})
    for path in PAGES:
        reader.go(path)
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= width, path
    reader.shot(f"styleguide-{width}")
