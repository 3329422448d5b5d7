"""Badges: embed codes, images, and the verification of a signed statement."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.directory.badges.embed_codes import build_embed_codes
from portal.directory.badges.status import get_badge_status
from tests.conftest import advance_to_stage, create_integration
from tests.journeys.person import Person

OVERFLOW = "elements => elements.map(each => each.getBoundingClientRect().right - each.ownerSVGElement.clientWidth)"


def test_statement_of_a_badge_is_verified_until_its_status_changes(
    visit: Callable[..., Person], acme: Any, alice: Any, rita: Any, base_url: str
) -> None:
    row = advance_to_stage(create_integration(acme, alice), "support", partner=alice, reviewer=rita, now=timezone.now())
    reader = visit()
    reader.go(f"/directory/{row.uuid}/badge/").sees("Terms of use", "Markdown", "AsciiDoc").shot("badge")
    images = reader.page.locator(".sample img")
    assert images.count() == 4
    assert images.evaluate_all("images => images.every(each => each.complete && each.naturalWidth > 80)")
    page = reader.page.content()
    assert build_embed_codes(get_badge_status(row), "flat")[0][1] in page

    for style in ("flat", "large"):
        reader.page.goto(f"{base_url}/directory/{row.uuid}/badge.svg?style={style}")
        assert all(right < 0 for right in reader.page.locator("text").evaluate_all(OVERFLOW))

    statement = reader.page.request.get(f"{base_url}/directory/{row.uuid}/statement.json").text()
    reader.go("/verify/").write("Statement", statement).press("Verify").sees("Genuine", "Current status").shot("verify")
    reader.go("/verify/").write("Statement", statement.replace('"payload":"ey', '"payload":"eY')).press("Verify")
    reader.sees("Not a statement")
    perform_transition(Integration.objects.get(pk=row.pk), "archive", actor=alice, note="We stop.", now=timezone.now())
    reader.go("/verify/").write("Statement", statement).press("Verify").sees("Status changed", "No longer supported")
    svg = reader.page.request.get(f"{base_url}/directory/{row.uuid}/badge.svg").text()
    assert "No longer supported" in svg


def test_statement_is_verified_with_the_keyboard_on_a_phone_without_scripts(
    visit: Callable[..., Person], db: None
) -> None:
    reader = visit(phone=True, javascript=False).go("/verify/")
    reader.page.keyboard.press("Tab")
    assert reader.page.locator(":focus").inner_text() == "Skip to content"
    reader.page.get_by_role("textbox", name="Statement").focus()
    reader.page.keyboard.type("x.y.z")
    for _ in range(2):
        reader.page.keyboard.press("Tab")
    assert reader.page.locator(":focus").inner_text() == "Verify"
    reader.page.keyboard.press("Enter")
    reader.wait_for_page().sees("Not a statement").sees_value("Statement", "x.y.z")
