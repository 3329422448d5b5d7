"""Every public page stands up to being looked at: no violation by day and by night, no width that it spills over."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Route, expect

from tests.journeys.person import Person

Visit = Callable[..., Person]


def test_what_is_fetched_anew_says_that_it_waits(visit: Visit, db: Any) -> None:
    visitor = visit().go("/listed/")
    page, held = visitor.page, list[Route]()
    page.route("**/listed/?q=*", lambda route: held.append(route))
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("rocket")
    found = page.locator("#found")
    expect(found).to_have_attribute("aria-busy", "true")
    expect(found).to_have_css("opacity", "0.5")
    held[-1].continue_()
    expect(found).not_to_have_attribute("aria-busy", "true")
    expect(found).to_have_css("opacity", "1")
    visitor.sees("Nothing is listed like this")
