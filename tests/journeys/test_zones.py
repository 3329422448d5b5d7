"""Moments stand in the reader's zone: a visitor's browser says which, a choice goes before it, without scripts UTC."""

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
from tests.conftest import begin, drive
from tests.journeys.person import Person
from tests.journeys.test_sign_up import sign_up

Visit = Callable[..., Person]
NIGHT = datetime(2026, 4, 14, 22, 30, tzinfo=UTC)


@pytest.fixture
def listed_integration(acme: Any, alice: User, rita: User) -> Integration:
    row = begin(acme, alice, "nomad", NIGHT, name="Booster driver", repository="acme/booster", repository_id=9)
    return drive(row, "support", partner=alice, reviewer=rita, now=NIGHT)


def reads(browser: Person, path: str, zone: str) -> None:
    """The first moment of the page is said in that zone."""
    browser.go(path)
    moment = browser.page.locator("main time[data-exact]").first
    local = datetime.fromisoformat(moment.get_attribute("datetime") or "").astimezone(ZoneInfo(zone))
    year = "" if local.year == datetime.now(UTC).year else f", {local.year}"
    clock = f"{local.hour % 12 or 12}:{local:%M %p}"
    name = " UTC" if zone == "UTC" else ""
    expect(moment).to_have_text(f"{local:%a, %b} {local.day}{year}, {clock}{name}")
    expect(moment).to_have_attribute("title", re.compile(f"^{local:%a, %b} {local.day}, {local.year}, {clock} \\S+$"))


def test_visitor_reads_moments_in_the_zone_of_the_browser(listed_integration: Integration, visit: Visit) -> None:
    path = f"/directory/{listed_integration.uuid}/"
    for zone in ("Asia/Tokyo", "America/Los_Angeles"):
        reads(visit(zone=zone), path, zone)
    reads(visit(zone="Asia/Tokyo", javascript=False), path, "UTC")


def test_chosen_zone_goes_before_the_browsers(listed_integration: Integration, visit: Visit, alice: User) -> None:
    path = f"/directory/{listed_integration.uuid}/"
    browser = visit(alice, zone="Asia/Tokyo")
    reads(browser, path, "Asia/Tokyo")
    browser.go("/profile/").choose("Time zone", "Europe/Berlin").press("Save profile").sees("Profile saved.")
    reads(browser, path, "Europe/Berlin")


def test_new_account_brings_the_zone_of_the_browser(
    visit: Visit, mail_to: Callable[..., EmailMessage], db: None
) -> None:
    dora = visit(zone="Asia/Tokyo").go("/accounts/signup/")
    sign_up(dora, mail_to, "Dora Dean", "dora@initech.example")
    chosen_option = dora.go("/profile/").page.get_by_label("Time zone").locator("option:checked")
    expect(chosen_option).to_have_text("Automatic, from the browser (emails: Asia/Tokyo)")
