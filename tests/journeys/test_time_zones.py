"""Times in the reader's time zone: the one of the profile, else of the browser, and UTC without scripts."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.conftest import advance_to_stage, create_integration
from tests.journeys.person import Person
from tests.journeys.test_sign_up import sign_up

Visit = Callable[..., Person]
NIGHT = datetime(2026, 4, 14, 22, 30, tzinfo=UTC)


@pytest.fixture
def listed_integration(acme: Any, alice: User, rita: User) -> Integration:
    row = create_integration(
        acme, alice, "nomad", NIGHT, name="Booster driver", repository="acme/booster", repository_id=9
    )
    return advance_to_stage(row, "support", partner=alice, reviewer=rita, now=NIGHT)


def check_time_zone(browser: Person, path: str, zone: str) -> None:
    """Expect the first time of the page in this time zone."""
    browser.go(path)
    time = browser.page.locator("main time[data-exact]").first
    local = datetime.fromisoformat(time.get_attribute("datetime") or "").astimezone(ZoneInfo(zone))
    year = "" if local.year == datetime.now(UTC).year else f", {local.year}"
    clock = f"{local.hour % 12 or 12}:{local:%M %p}"
    name = " UTC" if zone == "UTC" else ""
    expect(time).to_have_text(f"{local:%a, %b} {local.day}{year}, {clock}{name}")
    expect(time).to_have_attribute("title", re.compile(f"^{local:%a, %b} {local.day}, {local.year}, {clock} \\S+$"))


def test_visitor_sees_times_in_the_time_zone_of_the_browser(listed_integration: Integration, visit: Visit) -> None:
    path = f"/directory/{listed_integration.uuid}/"
    for zone in ("Asia/Tokyo", "America/Los_Angeles"):
        check_time_zone(visit(zone=zone), path, zone)
    check_time_zone(visit(zone="Asia/Tokyo", javascript=False), path, "UTC")


def test_time_zone_of_the_profile_overrides_the_browser(
    listed_integration: Integration, visit: Visit, alice: User
) -> None:
    path = f"/directory/{listed_integration.uuid}/"
    browser = visit(alice, zone="Asia/Tokyo")
    check_time_zone(browser, path, "Asia/Tokyo")
    browser.go("/profile/").choose("Time zone", "Europe/Berlin").press("Save profile").sees("Profile saved.")
    check_time_zone(browser, path, "Europe/Berlin")


def test_new_account_has_the_time_zone_of_the_browser(
    visit: Visit, find_email: Callable[..., EmailMessage], db: None
) -> None:
    dora = visit(zone="Asia/Tokyo").go("/accounts/signup/")
    sign_up(dora, find_email, "Dora Dean", "dora@initech.example")
    chosen_option = dora.go("/profile/").page.get_by_label("Time zone").locator("option:checked")
    expect(chosen_option).to_have_text("Automatic, from the browser (emails: Asia/Tokyo)")
