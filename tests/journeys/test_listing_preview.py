"""Preview of a listing with an uploaded SVG logo, and the index of the API reference."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.conftest import advance_to_stage
from tests.journeys.person import Person

Visit = Callable[..., Person]
LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 40" width="96" height="40" onload="alert(1)">
<style>.a{fill:#7b42bc}</style><script>alert(1)</script><rect class="a" width="96" height="40" rx="8"/></svg>"""


def test_partner_previews_the_listing_with_the_logo(
    visit: Visit, acme: Any, alice: Any, rita: Any, rocket: Any, now: Any, tmp_path: Path
) -> None:
    row = advance_to_stage(rocket, "review", partner=alice, reviewer=rita, now=now)
    logo = tmp_path / "logo.svg"
    logo.write_text(LOGO)
    owner = visit(alice).go(f"/integrations/{row.uuid}/requirements/NO-8-LOGO/")
    owner.choose_file("File", logo).press("Upload document").sees(
        "logo.svg", "SVG", "Light background", "Dark background"
    )
    images = owner.page.locator(".sample img")
    expect(images).to_have_count(2)
    for number in range(2):
        expect(images.nth(number)).to_have_js_property("naturalWidth", 96)
    owner.shot("logo").press("Preview listing").sees("This page isn't public.", "Not listed yet").shot(
        "listing-preview"
    )
    expect(owner.page.locator(".mark-box img")).to_have_js_property("naturalWidth", 96)
    owner.press("Return to the integration").sees("Preview listing")


def test_developer_finds_an_operation(visit: Visit, db: None) -> None:
    developer = visit().go("/api/docs").shot("api-index")
    developer.page.get_by_label("Path, summary, or scope").press_sequentially("post /drafts")
    expect(developer.page.locator(".api-index > li").first).to_be_visible()
    expect(developer.page.get_by_role("status").filter(has_text="operation")).not_to_contain_text("141")
    developer.page.get_by_role("link", name="Create a draft").first.click()
    developer.wait_for_page().sees("Response bodies").shot("api-group")
    expect(developer.page.locator(".api-operation:target")).to_have_count(1)


def test_developer_finds_an_operation_without_scripts(visit: Visit, db: None) -> None:
    developer = visit(javascript=False).go("/api/docs?q=list_directory")
    expect(developer.page.locator(".api-index > li")).to_have_count(1)
    developer.page.locator(".api-index a").click()
    developer.sees("List public listings")
