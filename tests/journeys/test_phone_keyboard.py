"""Everything goes on a phone without scripts, and with the keyboard alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from integrations.programs.requirements import Requirement
from integrations.submissions.models import Integration
from tests.conftest import begin
from tests.journeys.keyboard import tab_to
from tests.journeys.person import Person
from tests.journeys.walk import FIELDS, FILES

Visit = Callable[..., Person]
KEYS = {"email": "alice@acme.example", "date": "01152027"}


@pytest.fixture
def new_integration(acme: Partner, alice: Any) -> Integration:
    return begin(acme, alice, now=timezone.now())


def requirement_of(row: Integration, id: str) -> tuple[Requirement, str]:
    requirement = row.edition.requirement(id)
    assert requirement is not None
    return requirement, f"/integrations/{row.uuid}/requirements/{id}/"


def fits(browser: Person) -> Person:
    """Nothing sticks out at the side."""
    body = browser.page.locator("html")
    assert body.evaluate("e => e.scrollWidth <= e.clientWidth") is True
    return browser


def test_requirements_are_met_on_a_phone_without_scripts(
    visit: Visit, alice: Any, new_integration: Integration, tmp_path: Path
) -> None:
    phone = visit(alice, phone=True, javascript=False)
    fits(phone.go("/")).press("Rocket").sees("Action required").shot("phone-integration")
    form, address = requirement_of(new_integration, "NO-1")
    fits(phone).page.locator(".turn a").click()
    assert phone.arrived().page.url.endswith("#opened")
    FIELDS[form.fields[0].type](phone, form.fields[0])
    fits(phone.press("Save draft")).press("Submit answers")
    for field in form.fields[1:]:
        FIELDS[field.type](phone, field)
    fits(phone).shot("phone-requirement").press("Submit answers")
    assert phone.page.url.endswith(address)
    assert Integration.objects.get(pk=new_integration.pk).step == "dev-test"
    _, address = requirement_of(new_integration, "NO-8-LOGO")
    text, picture = tmp_path / "logo.png", tmp_path / "rocket.png"
    text.write_bytes(b"I am no picture.")
    picture.write_bytes(FILES["png"])
    fits(phone.go(address).hand_in("File", text).press("Upload document"))
    assert not new_integration.fulfillments.filter(requirement_id="NO-8-LOGO", status="submitted").exists()
    fits(phone.hand_in("File", picture).press("Upload document").sees("rocket.png"))
    assert new_integration.fulfillments.get(requirement_id="NO-8-LOGO").status == "submitted"


def test_requirement_and_a_step_with_the_keyboard_alone(visit: Visit, alice: Any, new_integration: Integration) -> None:
    browser = visit(alice).go("/")
    page, keys = browser.page, browser.page.keyboard
    keys.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    keys.press("Enter")
    tab_to(browser, page.get_by_role("link", name="Rocket", exact=True))
    keys.press("Enter")
    page.wait_for_url("**/integrations/**")
    tab_to(browser.arrived(), page.locator(".turn a"))
    keys.press("Enter")
    for field in requirement_of(new_integration, "NO-1")[0].fields:
        tab_to(browser, page.get_by_label(field.label).first)
        keys.type(KEYS.get(field.type, "Alice Archer"))
    tab_to(browser, page.get_by_role("button", name="Submit answers"))
    keys.press("Enter")
    browser.sees("You submitted “Nomad integration webform”.").arrived()
    expect(page.locator("#opened .requirement-title a")).to_be_focused()
    assert Integration.objects.get(pk=new_integration.pk).step == "dev-test"


def test_slash_leads_to_the_search(visit: Visit, alice: Any, new_integration: Integration) -> None:
    browser = visit(alice).go("/")
    browser.page.keyboard.press("/")
    expect(browser.page.locator("#top-search")).to_be_focused()
    browser.page.keyboard.type("rocket/")
    browser.page.keyboard.press("Backspace")
    browser.page.keyboard.press("Enter")
    browser.page.wait_for_url("**/search/?q=rocket")
    browser.arrived().press("Rocket").sees("Action required")
