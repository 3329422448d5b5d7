"""Requirements on a phone without scripts, and with the keyboard alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from integrations.programs.requirements import Requirement
from integrations.submissions.models import Integration
from tests.conftest import create_integration
from tests.journeys.keyboard import tab_to
from tests.journeys.person import Person
from tests.journeys.walkthrough import FIELDS, FILES

Visit = Callable[..., Person]
KEYS_BY_FIELD_TYPE = {"email": "alice@acme.example", "date": "01152027"}


@pytest.fixture
def new_integration(acme: Partner, alice: Any) -> Integration:
    return create_integration(acme, alice, now=timezone.now())


def find_requirement(row: Integration, id: str) -> tuple[Requirement, str]:
    requirement = row.edition.get_requirement(id)
    assert requirement is not None
    return requirement, f"/integrations/{row.uuid}/requirements/{id}/"


def check_width(browser: Person) -> Person:
    """Expect no horizontal scrolling."""
    root = browser.page.locator("html")
    assert root.evaluate("e => e.scrollWidth <= e.clientWidth") is True
    return browser


def test_requirements_are_met_on_a_phone_without_scripts(
    visit: Visit, alice: Any, new_integration: Integration, tmp_path: Path
) -> None:
    phone = visit(alice, phone=True, javascript=False)
    check_width(phone.go("/")).press("Rocket").sees("Action required").shot("phone-integration")
    form, address = find_requirement(new_integration, "NO-1")
    check_width(phone).page.locator(".next-action a").click()
    assert phone.wait_for_page().page.url.endswith("#opened")
    FIELDS[form.fields[0].type](phone, form.fields[0])
    check_width(phone.press("Save draft")).press("Submit answers")
    for field in form.fields[1:]:
        FIELDS[field.type](phone, field)
    check_width(phone).shot("phone-requirement").press("Submit answers")
    assert phone.page.url.endswith(address)
    assert Integration.objects.get(pk=new_integration.pk).step == "dev-test"
    _, address = find_requirement(new_integration, "NO-8-LOGO")
    text = tmp_path / "logo.png"
    image = tmp_path / "rocket.png"
    text.write_bytes(b"This is not an image.")
    image.write_bytes(FILES["png"])
    check_width(phone.go(address).choose_file("File", text).press("Upload document"))
    assert not new_integration.fulfillments.filter(requirement_id="NO-8-LOGO", status="submitted").exists()
    check_width(phone.choose_file("File", image).press("Upload document").sees("rocket.png"))
    assert new_integration.fulfillments.get(requirement_id="NO-8-LOGO").status == "submitted"


def test_requirement_is_met_with_the_keyboard_alone(visit: Visit, alice: Any, new_integration: Integration) -> None:
    browser = visit(alice).go("/")
    page = browser.page
    keys = browser.page.keyboard
    keys.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    keys.press("Enter")
    tab_to(browser, page.get_by_role("link", name="Rocket", exact=True))
    keys.press("Enter")
    page.wait_for_url("**/integrations/**")
    tab_to(browser.wait_for_page(), page.locator(".next-action a"))
    keys.press("Enter")
    for field in find_requirement(new_integration, "NO-1")[0].fields:
        tab_to(browser, page.get_by_label(field.label).first)
        keys.type(KEYS_BY_FIELD_TYPE.get(field.type, "Alice Archer"))
    tab_to(browser, page.get_by_role("button", name="Submit answers"))
    keys.press("Enter")
    browser.sees("You submitted “Nomad integration webform”.").wait_for_page()
    expect(page.locator("#opened .requirement-title a")).to_be_focused()
    assert Integration.objects.get(pk=new_integration.pk).step == "dev-test"


def test_slash_key_focuses_the_search(visit: Visit, alice: Any, new_integration: Integration) -> None:
    browser = visit(alice).go("/")
    browser.page.keyboard.press("/")
    expect(browser.page.locator("#top-search")).to_be_focused()
    browser.page.keyboard.type("rocket/")
    browser.page.keyboard.press("Backspace")
    browser.page.keyboard.press("Enter")
    browser.page.wait_for_url("**/search/?q=rocket")
    browser.wait_for_page().press("Rocket").sees("Action required")
