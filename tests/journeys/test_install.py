"""The installation page, for the partner and on a phone without scripts."""

from collections.abc import Callable
from typing import Any

from tests.conftest import NOW, create_integration
from tests.journeys.person import Person
from tests.verification.checks.fake_sources import build_registry_listing
from verification.checks.services import observations

VERSIONS = ("0.9.1", *(f"1.{minor}.0" for minor in range(12)), "2.0.0-rc1")


def test_install_page_shows_configuration_and_tests_a_constraint(
    visit: Callable[..., Person], alice: Any, acme: Any
) -> None:
    row = create_integration(acme, alice, "terraform-provider")
    listing = build_registry_listing(versions=VERSIONS, newest="1.11.0")
    observations.store_observation(row, "registry.listed", {"registry": listing.as_dict()}, NOW)
    page = visit(alice).go(f"/integrations/{row.uuid}/").press("View configuration")
    page.sees("~> 1.11", "Copy: Required provider").shot("install")
    page.press("1.3.0").sees("~> 1.3")
    page.press("Windows, 64-bit x86").sees(r"%APPDATA%\terraform.d\plugins\terraform-provider-rocket_v1.3.0.exe")
    phone = visit(alice, phone=True, javascript=False).go(f"/integrations/{row.uuid}/install/")
    phone.write("Version constraint", ">= 1.9, != 1.11.0").press("Test constraint").sees(
        "Terraform selects 1.10.0. 2 versions match: 1.10.0, 1.9.0."
    )
    phone.write("Version constraint", "v1").press("Test constraint").sees("is not a constraint.").shot("install-phone")
