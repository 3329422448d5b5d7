"""Selection of many items in the review queue: its actions stay in view, and all items can be selected at once."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from tests.conftest import advance_to_stage, create_integration
from tests.journeys.person import Person

Visit = Callable[..., Person]
ITEMS = 4
MEASURE_TOP = "box => box.getBoundingClientRect().top + scrollY"


@pytest.fixture
def items(acme: Partner, alice: Any, rita: Any, github: Any) -> None:
    now = timezone.now()
    for number in range(ITEMS):
        row = create_integration(acme, alice, now=now, name=f"Rocket {number}")
        advance_to_stage(row, "review", partner=alice, reviewer=rita, now=now)


@pytest.mark.parametrize("phone", [False, True])
def test_actions_of_the_last_item_are_in_view(visit: Visit, rita: Any, items: None, phone: bool) -> None:
    browser = visit(rita, phone=phone, javascript=False).go("/queue/")
    browser.page.set_viewport_size({"width": 375 if phone else 1280, "height": 400})
    last = browser.page.locator("#results input[name=row]").last
    last.check()
    expect(last).to_be_in_viewport()
    expect(browser.page.get_by_role("button", name="Assign reviewer")).to_be_in_viewport()


@pytest.mark.parametrize("phone", [False, True])
def test_selection_does_not_move_the_list(visit: Visit, rita: Any, items: None, phone: bool) -> None:
    page = visit(rita, phone=phone).go("/queue/").page
    box = page.locator("#results input[name=row]").first
    place = box.evaluate(MEASURE_TOP)
    box.check()
    expect(page.get_by_role("button", name="Assign reviewer")).to_be_in_viewport()
    assert box.evaluate(MEASURE_TOP) == place


@pytest.mark.parametrize("phone", [False, True])
def test_actions_do_not_cover_the_focus_in_the_footer(visit: Visit, rita: Any, items: None, phone: bool) -> None:
    page = visit(rita, phone=phone).go("/queue/").page
    page.locator("#results input[name=row]").first.check()
    link = page.locator("footer a").last
    link.focus()
    actions = page.locator("#queue-form").bounding_box()
    focused = link.bounding_box()
    assert actions is not None
    assert focused is not None
    assert focused["y"] + focused["height"] <= actions["y"]


def test_all_items_are_selected_at_once(visit: Visit, rita: Any, items: None) -> None:
    browser = visit(rita).go("/queue/")
    boxes = browser.page.locator("#results input[name=row]")
    select_all = browser.page.get_by_label("Select all on this page")
    boxes.first.check()
    browser.sees("1 selected")
    expect(select_all).not_to_be_checked()
    select_all.check()
    browser.sees(f"{ITEMS} selected")
    expect(browser.page.locator("#results input[name=row]:checked")).to_have_count(ITEMS)
    browser.page.keyboard.press("X")
    expect(select_all).to_be_hidden()
    browser.page.keyboard.press("j")
    browser.page.keyboard.press("x")
    browser.sees("1 selected")
    browser.page.keyboard.press("X")
    expect(select_all).to_be_checked()
    browser.press("Claim reviews").sees(f"Claimed {ITEMS} items.")


def test_shortcuts_continue_at_the_item_on_which_they_acted(visit: Visit, rita: Any, items: None) -> None:
    browser = visit(rita).go("/queue/")
    keys = browser.page.keyboard
    links = browser.page.locator("#results td.main a")
    names = links.all_inner_texts()
    for number in range(2):
        keys.press("j")
        expect(links.nth(number)).to_be_focused()
        keys.press("c")
        browser.sees("Claimed 1 item.")
        expect(links.nth(number)).to_be_focused()
        expect(browser.page.locator("#results input[name=row]:checked")).to_have_count(0)
    claimed = Integration.objects.filter(claim_expires_at__isnull=False)
    assert set(claimed.values_list("name", flat=True)) == set(names[:2])


def test_enter_after_the_reason_snoozes_the_current_item(visit: Visit, rita: Any, items: None) -> None:
    browser = visit(rita).go("/queue/")
    keys = browser.page.keyboard
    links = browser.page.locator("#results td.main a")
    names = links.all_inner_texts()
    keys.press("j")
    keys.press("e")
    expect(browser.page.get_by_label("Reason or message")).to_be_focused()
    keys.press("Enter")
    keys.type("Waits for a release.")
    keys.press("Enter")
    browser.sees("Snoozed 1 item.")
    expect(links).to_have_text(names[1:])
    expect(links.first).to_be_focused()
