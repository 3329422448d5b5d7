"""The directory, notification preferences, and webhooks with the keyboard alone."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from integrations.submissions.models import Integration
from portal.webhooks.models import WebhookEndpoint
from tests.conftest import advance_to_stage, create_integration
from tests.journeys.keyboard import tab_to
from tests.journeys.person import Person

Visit = Callable[..., Person]


@pytest.fixture
def listed_integrations(acme: Any, alice: Any, rita: Any) -> list[Integration]:
    now = timezone.now() - timedelta(days=1)
    rows = [
        create_integration(acme, alice, program, now, name=name, repository=f"acme/{program}-x", repository_id=number)
        for number, (program, name) in enumerate((("nomad", "Booster driver"), ("terraform-provider", "Booster")))
    ]
    return [advance_to_stage(row, "support", partner=alice, reviewer=rita, now=now) for row in rows]


def test_visitor_searches_filters_and_copies_a_badge(listed_integrations: list[Integration], visit: Visit) -> None:
    visitor = visit().go("/directory/")
    page = visitor.page
    keys = visitor.page.keyboard
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    keys.press("/")
    keys.type("boost")
    status = page.get_by_role("status")
    expect(status).to_contain_text("2 integrations for “boost”")
    facet = page.locator("#facets").get_by_role("link", name="Nomad 1").first
    tab_to(visitor, facet)
    keys.press("Enter")
    expect(status).to_contain_text("1 integration for “boost”")
    expect(facet).to_have_attribute("aria-current", "true")
    expect(facet).to_be_focused()
    tab_to(visitor, page.get_by_role("link", name="Booster driver"))
    keys.press("Enter")
    page.wait_for_url(f"**/directory/{listed_integrations[0].uuid}/")
    badge = page.locator(f"a[href='/directory/{listed_integrations[0].uuid}/badge/']").first
    tab_to(visitor.wait_for_page(), badge)
    keys.press("Enter")
    page.wait_for_url("**/badge/")
    copy = visitor.wait_for_page().page.locator("[data-copy]").first
    tab_to(visitor, copy)
    keys.press("Enter")
    expect(copy).to_have_class("icon-button copied")
    assert page.evaluate("navigator.clipboard.readText()") == copy.get_attribute("data-copy")


def test_partner_sets_preferences_and_adds_a_webhook(visit: Visit, alice: Any, settings: Any) -> None:
    owner = visit(alice).go("/notifications/preferences/")
    page = owner.page
    keys = owner.page.keyboard
    messages = page.get_by_label("Messages")
    initial_value = messages.input_value()
    tab_to(owner, messages)
    keys.press("ArrowDown")
    assert (chosen_value := messages.input_value()) != initial_value
    tab_to(owner, page.get_by_label("Hold emails until my working hours"))
    keys.press("Space")
    tab_to(owner, page.get_by_role("button", name="Save preferences"))
    keys.press("Enter")
    expect(page.locator(".banner").first).to_be_visible()
    owner.wait_for_page()
    assert page.get_by_label("Messages").input_value() == chosen_value
    expect(page.get_by_label("Hold emails until my working hours")).to_be_checked()
    owner.go("/webhooks/")
    tab_to(owner, page.locator("a[href='/webhooks/new/acme/']"))
    keys.press("Enter")
    page.wait_for_url("**/webhooks/new/acme/")
    tab_to(owner.wait_for_page(), page.get_by_label("Name").first)
    keys.type("Build")
    tab_to(owner, page.get_by_label("URL", exact=True))
    keys.type("https://127.0.0.1/build")
    tab_to(owner, page.get_by_role("checkbox").first)
    keys.press("Space")
    tab_to(owner, page.get_by_role("button", name="Add webhook"))
    keys.press("Enter")
    expect(page.locator("[aria-invalid=true]").first).to_be_focused()
    owner.wait_for_page().sees_value("Name", "Build")
    assert not WebhookEndpoint.objects.exists()


def test_focus_stays_when_a_part_of_the_page_is_replaced(visit: Visit, acme: Any, alice: Any, rita: Any) -> None:
    now = timezone.now()
    row = advance_to_stage(create_integration(acme, alice, now=now), "review", partner=alice, reviewer=rita, now=now)
    reviewer = visit(rita).go(f"/integrations/{row.uuid}/review/")
    page = reviewer.page
    tab_to(reviewer, page.get_by_role("link", name="Assign reviewer"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio").first).to_be_focused()
    reviewer.go("/queue/")
    results = page.locator("#results")
    for control in (results.get_by_role("link", name="Unclaimed"), results.get_by_role("checkbox").first):
        tab_to(reviewer, control)
        page.evaluate("htmx.ajax('GET', '/queue/', '#results')")
        reviewer.wait_for_page()
        expect(control).to_be_focused()


def test_menu_closes_when_the_focus_leaves_it(visit: Visit, alice: Any) -> None:
    person = visit(alice).go("/")
    menu = person.page.locator("details.menu")
    menu.locator("summary").focus()
    person.page.keyboard.press("Enter")
    tab_to(person, menu.get_by_role("button", name="Sign out"))
    expect(menu).to_have_attribute("open", "")
    person.page.keyboard.press("Tab")
    expect(menu).not_to_have_attribute("open", "")
    expect(person.page.locator(":focus")).to_be_in_viewport()


def test_reviewer_decides_on_the_review_page_with_single_keys(
    acme: Any, alice: Any, rita: Any, github: Any, visit: Visit
) -> None:
    now = timezone.now()
    row = advance_to_stage(create_integration(acme, alice, now=now), "review", partner=alice, reviewer=rita, now=now)
    review = f"/integrations/{row.uuid}/review/"
    reviewer = visit(rita).go(review)
    page, keys = reviewer.page, reviewer.page.keyboard
    keys.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    keys.press("Escape")
    keys.press("j")
    keys.press("j")
    second = page.locator("article[id^=requirement-]").nth(1)
    expect(second.get_by_role("heading").get_by_role("link")).to_be_focused()
    keys.press("f")
    expect(second.locator("#finding-form textarea")).to_be_focused()
    reviewer.go(review)
    keys.press("a")  # the focus shows why the approval isn't available
    expect(page.locator("[data-action=approve] button")).to_be_focused()
    keys.press("h")
    page.wait_for_url("**/put_on_hold/")
    expect(page.get_by_label("Waiting for")).to_be_focused()
    reviewer.go(review)
    keys.press("u")
    page.wait_for_url("**/queue/")
    reviewer.go(review)
    keys.press("r")
    page.wait_for_url("**/request_changes/")
    reviewer.wait_for_page()
    keys.press("r")
    page.wait_for_url("**/review/")
    assert Integration.objects.get(pk=row.pk).review_state == "changes"
