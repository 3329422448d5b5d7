"""The command palette with the keyboard alone."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from integrations.submissions.models import Integration
from portal.search.indexing import rebuild
from tests.conftest import create_integration
from tests.journeys.person import Person

Visit = Callable[..., Person]


@pytest.fixture
def integrations(acme: Any, alice: Any) -> list[Integration]:
    now = timezone.now()
    rows = [
        create_integration(acme, alice, now=now, name=name, repository=f"acme/{name.lower()}", repository_id=number)
        for number, name in enumerate(("Rocket", "Rocketry"))
    ]
    rebuild()
    return rows


def search(page: Page, text: str) -> None:
    """Type into the palette, and wait for the results of the whole text: opening one aborts a request."""
    with page.expect_response(lambda response: response.url.endswith(f"q={text}")):
        page.keyboard.type(text)


def test_palette_opens_results_and_pages(visit: Visit, alice: Any, integrations: list[Integration]) -> None:
    browser = visit(alice).go("/help/")
    page = browser.page
    keys = browser.page.keyboard
    field = page.get_by_role("combobox", name="Search and commands")
    status = page.locator("#palette-status")
    selected = page.locator("#palette [aria-selected=true]")
    expect(field).to_be_hidden()
    keys.press("Control+k")
    expect(field).to_be_focused()
    expect(status).to_contain_text("Use the arrow keys and Enter.")
    expect(page.get_by_role("option", name="New integration")).to_be_visible()
    expect(selected).to_have_count(0)
    browser.audit("palette with pages")

    search(page, "rocket")
    expect(selected).to_have_text("Rocket Acme", use_inner_text=True)
    first = str(selected.get_attribute("id"))
    expect(field).to_have_attribute("aria-activedescendant", first)
    keys.press("ArrowDown")
    expect(selected).to_have_text("Rocketry Acme", use_inner_text=True)
    keys.press("ArrowUp")
    expect(field).to_have_attribute("aria-activedescendant", first)
    browser.audit("palette with results")
    browser.shot("palette")
    keys.press("Enter")
    page.wait_for_url(f"**/integrations/{integrations[0].uuid}/")
    browser.wait_for_page()

    keys.press("Meta+k")
    expect(field).to_be_focused()
    keys.press("Escape")
    expect(field).to_be_hidden()

    keys.press("Control+k")
    search(page, "gardening")
    expect(status).to_have_text("No results")
    expect(page.locator(".htmx-request")).to_have_count(0)
    keys.press("Enter")
    page.wait_for_url("**/search/?q=gardening")
    browser.wait_for_page().sees("Nothing that you have access to matches “gardening”.")

    keys.press("Control+k")
    search(page, "notif")
    expect(selected).to_have_text("Notifications", use_inner_text=True)
    keys.press("Enter")
    page.wait_for_url("**/notifications/")
    browser.wait_for_page()


def test_palette_opens_with_its_button_and_returns_the_focus(visit: Visit, alice: Any) -> None:
    browser = visit(alice).go("/")
    button = browser.page.get_by_role("button", name="Search and commands")
    button.focus()
    browser.page.keyboard.press("Enter")
    expect(browser.page.get_by_role("combobox", name="Search and commands")).to_be_focused()
    browser.page.keyboard.press("Control+k")
    expect(button).to_be_focused()


def test_search_without_scripts_shows_all_kinds(visit: Visit, alice: Any, integrations: list[Integration]) -> None:
    browser = visit(alice, javascript=False).go("/")
    expect(browser.page.get_by_role("button", name="Search and commands")).to_have_count(0)
    browser.write("Search", "rocket").page.keyboard.press("Enter")
    browser.page.wait_for_url("**/search/?q=rocket")
    browser.sees("Rocketry", "acme/rocketry", "Repository")
