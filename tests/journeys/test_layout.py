"""Layout: long words on a phone, print, and text fields that a person resized."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from portal.api.services import tokens
from tests.conftest import create_integration
from tests.journeys.person import Person
from tests.journeys.test_phone_keyboard import check_width

Visit = Callable[..., Person]
LONG_NAME = "release_pipeline_of_all_providers_and_modules"


def test_long_word_in_the_history_of_a_company_wraps_on_a_phone(visit: Visit, alice: Any, acme: Partner) -> None:
    tokens.create_token(LONG_NAME, ("integrations:read",), 30, actor=alice, now=timezone.now(), partner=acme)
    phone = visit(alice, phone=True).go(f"/company/{acme.slug}/").sees(f"Alice Archer created the token “{LONG_NAME}”")
    check_width(phone)


def test_page_in_the_dark_theme_is_printed_with_the_colors_of_the_light_theme(visit: Visit, alice: Any) -> None:
    page = visit(alice).go("/").page
    text = page.locator("h1")
    color = text.evaluate("e => getComputedStyle(e).color")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    expect(text).to_have_css("color", color)


def test_answer_in_a_resized_text_field_is_saved_without_a_script_error(
    visit: Visit, alice: Any, acme: Partner
) -> None:
    row = create_integration(acme, alice, now=timezone.now())
    browser = visit(alice).go(f"/integrations/{row.uuid}/requirements/NO-8-LIST/").write("Text", "Runs workloads.")
    browser.page.get_by_label("Text").first.evaluate("field => { field.style.height = '180px' }")
    browser.press("Save draft").sees_value("Text", "Runs workloads.")
